import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { freePorts } from '../../cmd/local/port.ts';
import { runEnding } from './at-end.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { kubectlFor } from './kubectl.ts';
import { API_SERVER_PROGRAMS, kubernetesProgram, missingPrograms } from './kubernetes.ts';
import { ownFolder, removeFolder } from './own-folder.ts';
import { makeAuthority, makeIdentity, makeSigningKey } from './pki.ts';
import { until } from './until.ts';

const START_MS = 60_000;

export type ApiServer = Awaited<ReturnType<typeof startApiServer>>;

let shared: Promise<ApiServer> | undefined;

/** Why there can be no API server here, or undefined. */
export function apiServerMissing(): string | undefined {
  const missing = missingPrograms(API_SERVER_PROGRAMS);
  return missing.length === 0 ? undefined : `not built: ${missing.join(', ')} (scripts/kubernetes.sh build api)`;
}

/** The one API server of a run of tests: started when the first asks for it, stopped after the last test. */
export function sharedApiServer(): Promise<ApiServer> {
  if (shared === undefined) {
    shared = startApiServer();
    runEnding.at(async () => (await shared?.catch(() => undefined))?.stop());
  }
  return shared;
}

/**
 * A real kube-apiserver before a real etcd, of its own, ready for use in a few seconds. No controllers: nothing makes
 * pods, collects garbage or ends namespaces.
 * @param flags of kube-apiserver, besides the usual ones
 */
export async function startApiServer(flags: readonly string[] = []) {
  const reason = apiServerMissing();
  if (reason !== undefined) throw new Error(reason);
  const folder = await ownFolder('api-server');
  let etcd: Daemon | undefined;
  let server: Daemon | undefined;
  try {
    const [clientPort = 0, peerPort = 0, port = 0] = await freePorts(3);
    const credentials = await makeCredentials(folder, port);
    etcd = startEtcd(folder, clientPort, peerPort);
    server = startServer(folder, port, clientPort, flags);
    const agent = new Agent({ connect: { ca: credentials.ca } });
    const ready = (daemon: Daemon) =>
      until('the API server is ready', () => isReady(daemon, credentials, agent), START_MS);
    await ready(server).catch((error: Error) => {
      throw new Error(`${error.message}\n${server?.log()}\n${etcd?.log()}`);
    });
    const kubectl = kubectlFor(credentials.kubeconfig, folder);
    return {
      ...credentials,
      /** kubectl as that admin. */
      kubectl,
      /** Makes a namespace that no other test has. @returns its name */
      async namespace(): Promise<string> {
        const name = `test-${randomBytes(4).toString('hex')}`;
        await kubectl(['create', 'namespace', name]);
        return name;
      },
      /** Makes a service account. @returns a token for it, as TokenRequest gives one */
      async serviceAccount(namespace: string, name: string): Promise<string> {
        await kubectl(['create', 'serviceaccount', name, '--namespace', namespace]);
        return (await kubectl(['create', 'token', name, '--namespace', namespace])).trim();
      },
      /** Sends a signal to kube-apiserver alone: SIGSTOP makes it a black hole, SIGCONT ends that. */
      signal: (signal: NodeJS.Signals) => void server?.child.kill(signal),
      /** Kills kube-apiserver; etcd keeps all that was written. */
      kill: async () => server?.stop('SIGKILL'),
      /** Starts it again after `kill`, at the same address. */
      async start(): Promise<void> {
        server = startServer(folder, port, clientPort, flags);
        await ready(server);
      },
      async stop(): Promise<void> {
        await agent.destroy();
        await end(folder, server, etcd);
      },
    };
  } catch (error) {
    await end(folder, server, etcd);
    throw error;
  }
}

// Both hold nothing that is needed again, and an API server that is asked to end waits for its watches.
async function end(folder: string, ...daemons: readonly (Daemon | undefined)[]): Promise<void> {
  await Promise.all(daemons.map((daemon) => daemon?.stop('SIGKILL')));
  await removeFolder(folder);
}

/** Makes the credentials of a cluster admin: `kubeconfig` has paths of files, all else is PEM and a bearer token. */
async function makeCredentials(folder: string, port: number) {
  const pki = join(folder, 'pki');
  await mkdir(pki);
  const authority = await makeAuthority(pki);
  await Promise.all([
    makeIdentity(pki, 'server', authority, { name: 'kube-apiserver', hosts: ['IP:127.0.0.1', 'DNS:localhost'] }),
    makeSigningKey(pki),
  ]);
  const url = `https://127.0.0.1:${port}`;
  const token = randomBytes(24).toString('hex');
  await writeFile(join(pki, 'tokens.csv'), `${token},token-admin,token-admin,system:masters\n`, { mode: 0o600 });
  const kubeconfig = join(folder, 'kubeconfig');
  const ca = await readFile(authority.certificate, 'utf8');
  await writeKubeconfig(kubeconfig, { server: url, authority: ca, token });
  return { url, token, kubeconfig, ca };
}

function startEtcd(folder: string, clientPort: number, peerPort: number): Daemon {
  const client = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return startDaemon({
    command: kubernetesProgram('etcd'),
    parameters: [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      // It need not outlive the machine.
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    logFile: join(folder, 'etcd.log'),
    cwd: folder,
  });
}

function startServer(folder: string, port: number, etcdPort: number, flags: readonly string[]): Daemon {
  const pki = join(folder, 'pki');
  return startDaemon({
    command: kubernetesProgram('kube-apiserver'),
    parameters: [
      `--etcd-servers=http://127.0.0.1:${etcdPort}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${join(pki, 'server.crt')}`,
      `--tls-private-key-file=${join(pki, 'server.key')}`,
      `--token-auth-file=${join(pki, 'tokens.csv')}`,
      `--service-account-key-file=${join(pki, 'service-accounts.pub')}`,
      `--service-account-signing-key-file=${join(pki, 'service-accounts.key')}`,
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--authorization-mode=RBAC',
      // Nobody makes the default service account of a namespace here, and no pod ever runs.
      '--disable-admission-plugins=ServiceAccount',
      '--endpoint-reconciler-type=none',
      '--allow-privileged=true',
      ...flags,
    ],
    logFile: join(folder, 'kube-apiserver.log'),
    cwd: folder,
  });
}

async function isReady(
  daemon: Daemon,
  { url, token }: { url: string; token: string },
  agent: Agent,
): Promise<true | undefined> {
  if (daemon.child.exitCode !== null) throw new Error('kube-apiserver ended');
  try {
    const answer = await request(`${url}/readyz`, { dispatcher: agent, headers: { authorization: `Bearer ${token}` } });
    await answer.body.dump();
    return answer.statusCode === 200 || undefined;
  } catch {
    return undefined;
  }
}
