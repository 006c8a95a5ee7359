import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect } from 'chai';
import { createCanary } from '../../cmd/docbuilder/engine/engine.ts';
import { findOffice } from '../../cmd/docbuilder/engine/office.ts';
import {
  createSandbox,
  getUid,
  makeWorkerFolder,
  type Sandbox,
  setupMessage,
  workerCommand,
} from '../../cmd/docbuilder/engine/sandbox.ts';
import { WorkerProcess } from '../../cmd/docbuilder/engine/worker-process.ts';
import { isRoot, skip } from '../engine/support.ts';

const CODE = join(import.meta.dirname, '../../cmd/docbuilder/engine');
const SCRIPT = join(import.meta.dirname, './taken-over.py');
const MEMORY_MB = 512;

const SANDBOXES = [
  // In a pod no worker may have a uid of its own.
  { name: 'landlock, the uid of the service', kind: 'landlock', ownUser: false },
  { name: 'landlock, its own uid', kind: 'landlock', ownUser: true },
  { name: 'namespaces', kind: 'namespaces', ownUser: true },
] as const;

/** A process with more capabilities than others is safe from them; in a pod no process has any. */
const NEIGHBOUR = `
import sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import confine
confine.drop_privileges(None, None)
print('ready', flush=True)
time.sleep(60)`;

/** The script's report on stderr. */
interface Report {
  can: string[];
  tried: number;
}

describe('attack: a worker that was taken over', function () {
  this.timeout(60_000);
  let folder: string;
  let service: string;
  let program: string;
  let neighbour: ChildProcess;
  let listener: Server;
  let hits = 0;

  beforeEach(async () => {
    // Not in /tmp, of which a mount namespace has its own.
    folder = mkdtempSync('/var/tmp/svc-taken-over-');
    chmodSync(folder, 0o755);
    service = join(folder, 'service');
    mkdirSync(service, { mode: 0o755 });
    for (const name of ['file', 'spare']) writeFileSync(join(service, name), name);
    program = join(folder, 'office/program');
    mkdirSync(program, { recursive: true });
    copyFileSync(SCRIPT, join(program, 'soffice.bin'));
    neighbour = spawn('/usr/bin/python3', ['-c', NEIGHBOUR, CODE], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(neighbour.stdout as Readable, 'data');
    hits = 0;
    const socket = join(folder, 'socket');
    listener = createServer((connection) => {
      hits++;
      connection.destroy();
    }).listen(socket);
    await once(listener, 'listening');
    writeFileSync(join(program, 'prey.json'), JSON.stringify({ pid: neighbour.pid, folder: service, socket }));
  });
  afterEach(() => {
    neighbour.kill('SIGKILL');
    listener.close();
    chmodSync(service, 0o755);
    rmSync(folder, { recursive: true });
  });

  /** Starts a worker as the service does, but with the script in the place of LibreOffice. */
  async function takeOver(sandbox: Sandbox): Promise<Report> {
    const office = { ...(await findOffice()), program };
    const directory = join(folder, 'worker');
    const { canary, close } = await createCanary(folder);
    try {
      const uid = getUid(0, sandbox);
      await makeWorkerFolder(directory, office, uid);
      const { command, environment } = workerCommand(directory, office, sandbox);
      const child = await WorkerProcess.start(withWayTo(folder, command), environment);
      child.send(setupMessage(directory, { office, sandbox, canary, memoryMb: MEMORY_MB, stallSeconds: 20 }, uid));
      await child.ended;
      return printed(child.errorOutput);
    } finally {
      close();
    }
  }

  for (const { name, kind, ownUser } of SANDBOXES) {
    it(`reaches nobody (${name})`, async function () {
      if (ownUser && kind === 'landlock' && !isRoot) skip(this, 'only root can give a worker a uid of its own');
      const sandbox = createSandbox(kind, { ...(await findOffice()), program }, MEMORY_MB * 1024 * 1024, ownUser);
      const { can, tried } = await takeOver(sandbox);
      if (tried === 0 && kind === 'namespaces') skip(this, 'namespaces do not work on this machine');
      expect(tried).to.be.greaterThan(20);
      expect(can).to.deep.equal([]);
      expect(neighbour.exitCode ?? neighbour.signalCode, 'the neighbour lives').to.equal(null);
      expect(readScheduling(neighbour.pid)).to.deep.equal(readScheduling(process.pid));
      expect(statSync(service).mode & 0o777).to.equal(0o755);
      expect(readdirSync(service)).to.deep.equal(['file', 'spare']);
      expect(readFileSync(join(service, 'file'), 'utf8')).to.equal('file');
      expect(hits).to.equal(0);
    });
  }

  it('would reach them otherwise: the script does what it says', () => {
    const { can, tried } = printed(spawnSync(join(program, 'soffice.bin'), { encoding: 'utf8' }).stderr);
    expect(can).to.have.lengthOf(tried);
    expect(readScheduling(neighbour.pid)).to.not.deep.equal(readScheduling(process.pid));
  });
});

describe('attack: threads without end', () => {
  it('begin with none in what draws pictures', () => {
    const script = `
import sys, threading
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import confine
confine.drop_privileges(None, None)
confine.seccomp()
for threads in (True, False):
    confine.alone(threads)
    try:
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
        print('started')
    except RuntimeError as error:
        print(error)`;
    const printed = execFileSync('/usr/bin/python3', ['-c', script, CODE], { encoding: 'utf8' });
    expect(printed).to.equal("started\ncan't start new thread\n");
  });

  it('end their process before they are too many for others', () => {
    const bomb = `
import threading, time
threading.stack_size(262144)
for _ in range(2000):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
time.sleep(60)`;
    const watch = `
import os, subprocess, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import office, threading
process = subprocess.Popen([sys.executable, '-c', sys.argv[2]])
dead = threading.Event()
def on_death(reason, code):
    print(reason, code)
    dead.set()
watch = office.Watch(process, 1 << 40, 20, on_death)
watch.begin(60, 1 << 30, [sys.argv[1]])
dead.wait(30)
process.kill()`;
    const printed = execFileSync('/usr/bin/python3', ['-c', watch, CODE, bomb], { encoding: 'utf8' });
    expect(printed).to.equal('threads -9\n');
  });
});

function printed(output: string): Report {
  const can = [...output.matchAll(/^can (.+)$/gm)].map(([, what]) => what as string);
  return { can, tried: Number(/^tried (\d+)$/m.exec(output)?.[1] ?? 0) };
}

/** Policy and nice value of a process (proc_pid_stat(5)). */
function readScheduling(pid: number | undefined): { policy: string | undefined; nice: string | undefined } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { policy: fields[38], nice: fields[16] };
}

/** Lets every user pass through the folders that bubblewrap makes on the way to the script. */
function withWayTo(folder: string, [first = '', ...rest]: readonly string[]): string[] {
  if (first !== 'bwrap') return [first, ...rest];
  const above: string[] = [];
  for (let path = folder; path !== '/'; path = dirname(path)) above.unshift(path);
  return [first, ...above.flatMap((path) => ['--perms', '0755', '--dir', path]), ...rest];
}
