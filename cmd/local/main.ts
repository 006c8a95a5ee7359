import { resolve } from 'node:path';
import { localKey } from './key.ts';
import { isFree } from './port.ts';
import { startService } from './service.ts';

const root = resolve(import.meta.dirname, '../..');
const dataDir = resolve(process.env['SVC_LOCAL_DIR'] || `${root}/.data`);
const port = Number(process.env['PORT'] || 8080);
const address = `http://localhost:${port}`;

if (!(await isFree(port))) {
  console.error(`Port ${port} is taken. Choose another: make run PORT=${port + 1}`);
  process.exit(1);
}
const key = await localKey(dataDir);
const docbuilder = await startService({
  name: 'docbuilder',
  main: `${root}/cmd/docbuilder/main.ts`,
  logFile: `${dataDir}/docbuilder.log`,
  readyUrl: `${address}/v1/status`,
  environment: {
    SVC_DOCBUILDER_LISTEN: `127.0.0.1:${port}`,
    SVC_BASE_URL: address,
    SVC_DOCBUILDER_DATA_DIR: `${dataDir}/docbuilder`,
    SVC_DOCBUILDER_API_KEYS: `local:${key}`,
    SVC_DEV_MODE: '1',
  },
});

console.log(`
SVC is running.  Ctrl+C stops it.

  address   ${address}
  API key   ${key}
  log       ${docbuilder.logFile}

Convert a document (any .docx, .xlsx, .pptx, .odt ... in place of report.docx):

curl -H 'Authorization: Bearer ${key}' -F file=@report.docx -F to=pdf ${address}/v1/convert -o report.pdf
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => docbuilder.stop(signal));
process.exitCode = await docbuilder.ended;
