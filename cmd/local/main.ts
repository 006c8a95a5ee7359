import { resolve } from 'node:path';
import { parseList } from '../../src/common/config.ts';
import { checkEditor } from './editor-check.ts';
import { editorContainers, findGateway, requireDocker } from './editor-container.ts';
import { FRONT_DIRECTORY, gate, internalSide, nginx, standInEditor } from './parts.ts';
import { firstFree, freePorts } from './port.ts';
import { createRun, node, startService } from './service.ts';
import { NotPossible, readSettings, requirePort, takeFolder, toAllowHosts, toOrigins } from './settings.ts';
import { sharedStore } from './store.ts';
import { sayRunning } from './summary.ts';

const root = resolve(import.meta.dirname, '../..');
const dataDir = resolve(process.env['SVC_LOCAL_DIR'] || `${root}/.data`);
const run = createRun();
// From the beginning: services have process groups of their own.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.stop(signal));
// The terminal is gone. nginx takes this signal for something else.
process.on('SIGHUP', () => run.stop('SIGTERM'));

const { port, editor, neighbours, store, secrets, ...given } = await prepare().catch(refuse);
const [key, callbackSecret, ownPassword] = secrets;
const address = `http://localhost:${port}`;
const [gatePort, docbuilder, editorPort, openPort = 0, askPort = 0, databasePort = 0, s3Port = 0] = await freePorts(7);
const on = (some: number | undefined): string => `127.0.0.1:${some}`;
const editorUrl = (editor.kind !== 'stand-in' && editor.url) || `http://${on(editorPort)}`;
const [adminUser, adminPassword] =
  editor.kind === 'url' ? [given.adminUser, given.adminPassword] : ['admin', ownPassword];
const origins = parseList(toOrigins(neighbours, port));
const gateway = editor.kind === 'docker' ? await findGateway(process.env).catch(refuse) : undefined;
// The same at each start: a running editor has it in its configuration.
const usualPort = port + 1;
const internalPort = await firstFree(usualPort, gateway);
const internal = internalSide(process.env, internalPort, gateway);
const machine = { address, dataDir, internal };
const isGiven = (secret: string): boolean => Boolean(process.env[secret] || process.env[`${secret}_FILE`]);
const log = (name: string): string => `${dataDir}/${name}.log`;

const containers = editor.kind === 'docker' ? await pulledContainers().catch(refuse) : undefined;
const isDockerOffered =
  editor.kind === 'stand-in' &&
  editor.isDefault &&
  requireDocker().then(
    () => true,
    () => false,
  );
if (containers) await run.start(containers.startEditor, 'first');
else if (editor.kind === 'stand-in') {
  await run.start(
    () =>
      startService(
        standInEditor({
          ...machine,
          listen: on(editorPort),
          password: ownPassword,
          serverName: process.env['SVC_ONLINE_SERVER_NAME'] || `localhost:${port}`,
          sslTermination: process.env['SVC_ONLINE_SSL_TERMINATION'] ?? '',
        }),
      ),
    'first',
  );
}
const shared =
  store === 'shared'
    ? await sharedStore(`${dataDir}/shared`, dataDir, [databasePort, s3Port]).catch(refuse)
    : undefined;
await Promise.all((shared?.servers ?? []).map((server) => run.start(() => startService(server), 'last')));
await Promise.all([
  run.start(() =>
    startService({
      name: 'docbuilder',
      ...node(`${root}/cmd/docbuilder/main.ts`),
      logFile: log('docbuilder'),
      readyUrl: `http://${on(docbuilder)}/v1/status`,
      environment: {
        SVC_DOCBUILDER_LISTEN: on(docbuilder),
        SVC_BASE_URL: address,
        SVC_DOCBUILDER_DATA_DIR: `${dataDir}/docbuilder`,
        ...shared?.environment,
        SVC_DOCBUILDER_API_KEYS: `local:${key}`,
        ...(!isGiven('SVC_DOCBUILDER_CALLBACK_SECRET') && { SVC_DOCBUILDER_CALLBACK_SECRET: callbackSecret }),
        SVC_FETCH_ALLOW_HOSTS: toAllowHosts(neighbours, port),
        SVC_DEV_MODE: '1',
      },
    }),
  ),
  run.start(() =>
    startService(
      gate({
        ...{ ...machine, listen: on(gatePort) },
        ...{ editorUrl, adminUser, adminPassword, callbackSecret, neighbours, store: shared?.environment ?? {} },
      }),
    ),
  ),
]);
if (containers) await run.start(containers.startKeeper);
if (!run.stopping.aborted) {
  const front = await nginx({
    prefix: `${dataDir}/front`,
    directory: FRONT_DIRECTORY,
    log: log('front'),
    address: '127.0.0.1',
    ...{ port, openPort, askPort },
    gate: on(gatePort),
    gateInternal: internal.front,
    docbuilder: on(docbuilder),
    editor: new URL(editorUrl).host,
  });
  const readyUrl = `${address}/svc/healthz`;
  await run.start(() => startService({ ...front, name: 'front', logFile: log('front'), readyUrl }));
}
const mistakes =
  editor.kind === 'stand-in' || run.stopping.aborted
    ? []
    : await checkEditor({
        ...{ url: editorUrl, address, wopiUrl: internal.wopiUrl, origins },
        ...{ user: adminUser, password: adminPassword },
      });
if (!run.stopping.aborted) {
  const isMoved = internalPort !== usualPort && internal.listen.endsWith(`:${internalPort}`);
  sayRunning({
    ...{ address, key, callbackSecret, dataDir, internal, neighbours, mistakes, store },
    editor: editor.kind,
    editorUrl,
    isDockerOffered: await isDockerOffered,
    takenPort: isMoved ? usualPort : undefined,
  });
}
process.exitCode = await run.ended();

/** Reads the settings, and takes folder and port. */
async function prepare() {
  const settings = readSettings(process.env);
  const secrets = await takeFolder(dataDir);
  await requirePort(settings.port);
  return { ...settings, secrets };
}

/** Returns the editor's containers, once their image is pulled. */
async function pulledContainers() {
  const containers = editorContainers({
    ...{ url: editorUrl, address, wopiUrl: internal.wopiUrl, password: ownPassword, origins, dataDir },
    environment: process.env,
  });
  await containers.prepare(run.stopping);
  return containers;
}

/** Exits with the message of what is not possible, silently on a stop. */
function refuse(error: Error): never {
  if (!(error instanceof NotPossible)) throw error;
  if (!run.stopping.aborted) console.error(error.message);
  process.exit(1);
}
