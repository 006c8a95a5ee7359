import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pipeName } from '../../cmd/docbuilder/engine/sockets.ts';
import { type Bench, createBench, skip } from '../engine/support.ts';

const CODE = join(import.meta.dirname, '../../cmd/docbuilder/engine');
const UNO = `
import sys, uno
def resolve(context, pipe):
    resolver = context.ServiceManager.createInstanceWithContext('com.sun.star.bridge.UnoUrlResolver', context)
    return resolver.resolve('uno:pipe,name=%s;urp;StarOffice.ComponentContext' % pipe)
office = resolve(uno.getComponentContext(), sys.argv[1])
try:
    resolve(office, sys.argv[2])
except Exception as error:
    print(type(error).__name__)`;
const ALONE = `
import os, resource, signal, socket, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import confine
service = os.getppid()
confine.drop_privileges(None, None)
confine.seccomp()
confine.alone()
reach = {
    'connect': lambda: socket.socket(socket.AF_UNIX).connect('/nowhere'),
    'signal': lambda: os.kill(service, 0),
    'signal all': lambda: os.kill(-1, 0),
    'signal by descriptor': lambda: signal.pidfd_send_signal(os.pidfd_open(service), 0),
    'limit': lambda: resource.prlimit(service, resource.RLIMIT_NOFILE),
    'slow down': lambda: os.setpriority(os.PRIO_PROCESS, service, 19),
}
for name, attempt in reach.items():
    try:
        attempt()
        print('can', name)
    except PermissionError:
        pass
resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE)
os.kill(os.getpid(), signal.SIGTERM)
print('cannot end itself')`;

/** Without a process tree, a network and a /tmp of its own a worker has neighbours: other workers, the service, the machine. */
describe('attack: a worker against its neighbours (landlock)', function () {
  this.timeout(30_000);
  let bench: Bench;
  let canary: Server;
  let hits = 0;
  const canaryPipe = `svc_canary_${process.pid}`;
  const toSocketPath = (pipe: string): string => join('/tmp', `OSL_PIPE_${pipe}`);
  before(async function () {
    canary = createServer((socket) => {
      hits++;
      socket.destroy();
    }).listen(toSocketPath(canaryPipe));
    await once(canary, 'listening');
    try {
      bench = await createBench({ sandbox: 'landlock' });
    } catch (error) {
      skip(this, `landlock does not work on this machine: ${(error as Error).message}`);
    }
  });
  after(async () => {
    await bench?.dispose();
    canary.close();
  });

  function findFirstPipe(): string {
    const [run = ''] = readdirSync(bench.workDir);
    const worker = readdirSync(join(bench.workDir, run)).find((name) => name.startsWith('w0-')) as string;
    return pipeName(join(bench.workDir, run, worker));
  }

  it('the pipe by which LibreOffice takes orders is for its own user', () => {
    expect(statSync(toSocketPath(findFirstPipe())).mode & 0o777).to.equal(0o700);
  });

  it('LibreOffice connects to no pipe, so that one that was taken over gives no orders to another', async () => {
    const pipe = findFirstPipe();
    // Whose user has a name looks for pipes with its number.
    const numbered = toSocketPath(`${process.getuid?.()}_${pipe}`);
    symlinkSync(toSocketPath(pipe), numbered);
    try {
      const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', UNO, pipe, canaryPipe]);
      expect(stdout).to.include('NoConnectException');
      expect(hits).to.equal(0);
    } finally {
      rmSync(numbered);
    }
  });
});

describe('attack: what reads documents in a worker', () => {
  it('reaches no socket and no process but itself', () => {
    let ended: { stdout?: string; signal?: string } = {};
    try {
      execFileSync('/usr/bin/python3', ['-c', ALONE, CODE], { encoding: 'utf8' });
    } catch (error) {
      ended = error as typeof ended;
    }
    expect(ended.stdout).to.equal('');
    expect(ended.signal).to.equal('SIGTERM');
  });
});
