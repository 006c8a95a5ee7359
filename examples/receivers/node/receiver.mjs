// Receives callbacks of SVC: job.done, job.failed, document.saved, document.closed. See ../README.md.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createDownloader } from './download.mjs';
import { MalformedEvent, parseEvent } from './event.mjs';
import { openStore } from './store.mjs';
import { VerificationError, verify } from './verify.mjs';

const MAX_BODY = 1024 * 1024;

/** One line for each thing done: no content, no addresses, no secrets. */
function log(what, facts = {}) {
  const pairs = Object.entries(facts).filter(([, value]) => value !== undefined);
  const line = [new Date().toISOString(), what, ...pairs.map(([name, value]) => `${name}=${value}`)];
  process.stdout.write(`${line.join(' ')}\n`);
}

/** The variable, or the content of the file that NAME_FILE names. */
function setting(name, otherwise = '') {
  const path = process.env[`${name}_FILE`];
  return path ? readFileSync(path, 'utf8').replace(/[\r\n]+$/, '') : process.env[name] || otherwise;
}

function readConfig() {
  const [host, port] = setting('RECEIVER_LISTEN', '127.0.0.1:8090').split(/:(?=\d+$)/);
  const config = {
    host,
    port: Number(port),
    directory: setting('RECEIVER_DIR', './received'),
    secrets: [setting('CALLBACK_SECRET'), setting('CALLBACK_SECRET_OLD')].filter((secret) => secret !== ''),
    allowUnsigned: setting('CALLBACK_ALLOW_UNSIGNED') === '1',
    baseUrl: setting('SVC_BASE_URL').replace(/\/+$/, ''),
    apiKey: setting('SVC_API_KEY'),
  };
  if (!/^https?:\/\/[^/?#@\s\\]+(\/[\w./-]*)?$/.test(config.baseUrl))
    throw new Error('SVC_BASE_URL is no http address');
  // A forgotten secret must not open the door.
  if (config.secrets.length === 0 && !config.allowUnsigned) throw new Error('CALLBACK_SECRET is not set');
  return config;
}

/** The raw bytes, or undefined when there are too many; a little too many are read so that the sender sees the answer. */
function readBody(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let size = 0;
    request.on('data', (chunk) => {
      size += chunk.length;
      if (size <= MAX_BODY) chunks.push(chunk);
      else chunks.length = 0;
      if (size > 16 * MAX_BODY) request.destroy();
    });
    request.on('end', () => resolve(size > MAX_BODY ? undefined : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('closed early')));
  });
}

/** Status of the answer. Everything but a 2xx makes the service try again. */
async function receive(request, { secrets, store, downloader }) {
  if (request.url !== '/callbacks') return 404;
  if (request.method !== 'POST') return 405;
  const rawBody = await readBody(request);
  if (rawBody === undefined) {
    log('refused', { reason: 'too_large' });
    return 413;
  }
  try {
    if (secrets.length > 0) verify(request.headers, rawBody, secrets);
    const event = parseEvent(request.headers, rawBody);
    const outcome = await store.record(event);
    const { delivery, job, version, code } = event;
    log(outcome, { event: event.event, delivery, job, version, code });
    if (outcome === 'recorded') downloader.enqueue(store.entry(delivery));
    return 204;
  } catch (error) {
    if (error instanceof VerificationError) {
      log('refused', { reason: error.reason });
      return 401;
    }
    if (error instanceof MalformedEvent) {
      log('refused', { reason: 'malformed', what: error.message });
      return 400;
    }
    throw error;
  }
}

const config = readConfig();
const store = await openStore(config.directory);
const downloader = createDownloader({ ...config, store, log });
for (const event of store.pending()) downloader.enqueue(event);

const server = createServer({ requestTimeout: 20_000, connectionsCheckingInterval: 5_000 }, (request, response) => {
  receive(request, { ...config, store, downloader }).then(
    (status) => response.writeHead(status, { Connection: 'close' }).end(),
    (error) => {
      log('failed', { reason: error.code ?? error.name });
      response.writeHead(500, { Connection: 'close' }).end();
    },
  );
});
server.listen(config.port, config.host, () => {
  if (config.secrets.length === 0) log('warning: callbacks are not verified');
  log(`listening on http://${config.host}:${server.address().port}/callbacks`);
});
