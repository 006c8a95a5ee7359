import { resolve } from 'node:path';
import { nginx } from './front.ts';
import { internalSide } from './internal.ts';
import { localSecret } from './key.ts';
import { type Neighbours, parseNeighbours, toAllowHosts } from './neighbours.ts';
import { FRONT_DIRECTORY, gate, standInEditor } from './parts.ts';
import { firstFree, freePorts, isFree, isPort } from './port.ts';
import { node, type RunningService, type ServiceOptions, startService } from './service.ts';

const root = resolve(import.meta.dirname, '../..');
const dataDir = resolve(process.env['SVC_LOCAL_DIR'] || `${root}/.data`);
const port = Number(process.env['PORT'] || 8080);
const address = `http://localhost:${port}`;
/** An editor server that runs already; without one the stand-in is started. */
const ownEditor = process.env['SVC_ONLINE_URL'] || undefined;
const editorUrl = ownEditor === undefined ? undefined : URL.parse(ownEditor);

if (!isPort(port)) {
  console.error(`PORT=${process.env['PORT']} is not a port number from 1 to 65535, such as make run PORT=8081`);
  process.exit(1);
}
if (ownEditor && !(editorUrl?.protocol === 'http:' && editorUrl.pathname === '/')) {
  console.error(
    `SVC_ONLINE_URL=${ownEditor} must be an address such as http://localhost:9980: plain HTTP, without a path`,
  );
  process.exit(1);
}
let neighbours: Neighbours;
try {
  neighbours = parseNeighbours(
    process.env['SVC_LOCAL_PORTS'],
    process.env['SVC_EMBED_ALLOWED_ORIGINS'],
    process.env['SVC_FETCH_ALLOW_HOSTS'],
  );
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
if (!(await isFree(port))) {
  console.error(`Port ${port} is in use. Choose another: make run PORT=${port + 1}`);
  process.exit(1);
}
const key = await localSecret(dataDir, 'api-key');
const callbackSecret = await localSecret(dataDir, 'callback-secret');
const adminPassword = await localSecret(dataDir, 'editor-password');
const [gatePort, docbuilder, editor, openPort = 0, askPort = 0] = await freePorts(5);
// The same at each start: an editor that runs already has it in its configuration.
const usualPort = port + 1;
const internalPort = await firstFree(usualPort);
const internal = internalSide(process.env, internalPort);
const on = (some: number | undefined): string => `127.0.0.1:${some}`;
const isGiven = (secret: string): boolean => Boolean(process.env[secret] || process.env[`${secret}_FILE`]);
const log = (name: string): string => `${dataDir}/${name}.log`;

const services: RunningService[] = [];
let [isUp, stopping, failed] = [false, false, false];
const stop = (signal: NodeJS.Signals): void => {
  stopping = true;
  for (const service of services) service.stop(signal);
};
// From the beginning: services are in groups of their own, and nobody else would end them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal));

/** Starts a service and waits until it is ready. When it can't be, it says why, and stops all. */
async function start(options: ServiceOptions): Promise<void> {
  if (stopping) return;
  const service = await startService(options);
  services.push(service);
  if (stopping) service.stop('SIGTERM');
  if ((await service.ready) || stopping) return;
  console.error(`${service.name} did not start. The end of ${service.logFile}:\n`);
  console.error(await service.lastWords());
  failed = true;
  stop('SIGTERM');
}

const machine = { address, dataDir, internal };
if (!ownEditor) {
  await start(
    standInEditor({
      ...machine,
      listen: on(editor),
      password: adminPassword,
      serverName: process.env['SVC_ONLINE_SERVER_NAME'] || `localhost:${port}`,
      sslTermination: process.env['SVC_ONLINE_SSL_TERMINATION'] ?? '',
    }),
  );
}
await Promise.all([
  start({
    name: 'docbuilder',
    ...node(`${root}/cmd/docbuilder/main.ts`),
    logFile: log('docbuilder'),
    readyUrl: `http://${on(docbuilder)}/v1/status`,
    environment: {
      SVC_DOCBUILDER_LISTEN: on(docbuilder),
      SVC_BASE_URL: address,
      SVC_DOCBUILDER_DATA_DIR: `${dataDir}/docbuilder`,
      SVC_DOCBUILDER_API_KEYS: `local:${key}`,
      ...(!isGiven('SVC_DOCBUILDER_CALLBACK_SECRET') && { SVC_DOCBUILDER_CALLBACK_SECRET: callbackSecret }),
      SVC_FETCH_ALLOW_HOSTS: toAllowHosts(neighbours, port),
      SVC_DEV_MODE: '1',
    },
  }),
  start(
    gate({
      ...machine,
      listen: on(gatePort),
      editorUrl: ownEditor ?? `http://${on(editor)}`,
      adminPassword: process.env['SVC_ONLINE_ADMIN_PASSWORD'] ?? adminPassword,
      callbackSecret,
      neighbours,
    }),
  ),
]);
// Not what its settings would be made of, when one of them was refused already.
if (!stopping) {
  await start({
    name: 'front',
    ...(await nginx({
      prefix: `${dataDir}/front`,
      directory: FRONT_DIRECTORY,
      log: log('front'),
      address: '127.0.0.1',
      ...{ port, openPort, askPort },
      gate: on(gatePort),
      gateInternal: internal.front,
      docbuilder: on(docbuilder),
      editor: editorUrl?.host ?? on(editor),
    })),
    logFile: log('front'),
    readyUrl: `${address}/svc/healthz`,
    environment: {},
  });
}

const isMoved = internalPort !== usualPort && internal.listen.endsWith(`:${internalPort}`);
const moved = isMoved ? `\n                   Port ${usualPort} is in use, so this is not the usual address.` : '';
const documents = ownEditor
  ? `\n  its documents    ${internal.wopiUrl}, the editor's aliasgroup1; the gate listens on ${internal.listen}${moved}`
  : '';
isUp = !stopping;
if (isUp) {
  console.log(`
SVC is running.  Ctrl+C stops it.

  address          ${address}
  demo             ${address}/svc/demo
  API key          ${key}
  callback secret  ${callbackSecret}
  logs             ${dataDir}/*.log
  editor           ${ownEditor ?? 'a stand-in that edits only plain text in docx files; for the real one see docs/compose.md'}${documents}

Your own pages, documents and callback receivers on this machine need their ports named: SVC_LOCAL_PORTS=8000,8090 make run${
    neighbours.ports.length > 0 ? `\nNamed are ${neighbours.ports.join(', ')}.` : ''
  }

Convert a document (replace report.docx by any .docx, .xlsx, .pptx, .odt ...):

curl -H 'Authorization: Bearer ${key}' -F file=@report.docx -F to=pdf ${address}/v1/convert -o report.pdf
`);
}

const codes = services.map(async ({ name, ended, logFile }) => {
  const code = await ended;
  if (code !== 0 && isUp) console.error(`${name} ended with exit code ${code}; see ${logFile}`);
  // The others are useless alone. Those already stopping get no second signal, which would make them drop their work.
  if (!stopping) stop('SIGTERM');
  return code;
});
process.exitCode = Math.max(failed ? 1 : 0, ...(await Promise.all(codes)));
