import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A port that answers no connection attempt: its queue is full and its process stopped. */
export async function deafListener(): Promise<{ port: number; stop(): void }> {
  const script =
    "require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port) })";
  const child: ChildProcess = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const port = Number(line.toString());
  child.kill('SIGSTOP');
  const fillers: Socket[] = [];
  for (let i = 0; i < 8; i++) fillers.push(connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.race([
    ...fillers.slice(0, 1).map((socket) => once(socket, 'connect')),
    new Promise((resolve) => setTimeout(resolve, 500)),
  ]);
  return {
    port,
    stop: () => {
      for (const socket of fillers) socket.destroy();
      child.kill('SIGKILL');
    },
  };
}
