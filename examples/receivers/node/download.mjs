import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Milliseconds before each try of a download. An event that is given up is tried again at the next start. */
const SCHEDULE = [0, 5_000, 30_000, 300_000];
const TIMEOUT_MS = 300_000;

/** A download that will not go better later. */
class Hopeless extends Error {}

/** Downloads the files of recorded events, one at a time; nobody who sends a callback waits for it. */
export function createDownloader({ store, directory, baseUrl, apiKey, log }) {
  let last = Promise.resolve();

  function enqueue(event, tries = 0) {
    setTimeout(() => {
      last = last.then(() => attempt(event, tries));
    }, SCHEDULE[tries]);
  }

  async function attempt(event, tries) {
    const facts = { event: event.event, delivery: event.delivery };
    try {
      // Versions are downloaded in any order; a late one may not overwrite a newer one.
      if (event.key !== undefined && event.version < store.held(event.key)) log('superseded', facts);
      else for (const file of event.files) await download(event, file);
      await store.settle(event.delivery);
    } catch (error) {
      log('download_failed', { ...facts, reason: describe(error) });
      if (error instanceof Hopeless) await store.settle(event.delivery).catch(() => log('disk_failed', facts));
      else if (tries + 1 < SCHEDULE.length) enqueue(event, tries + 1);
      else log('download_given_up', facts);
    }
  }

  async function download(event, file) {
    if (!isOurs(file, baseUrl)) throw new Hopeless('address_not_allowed');
    const response = await fetch(file.url, {
      // A document's address carries its own signature; the key goes to DocBuilder's files only.
      headers: { 'Accept-Encoding': 'identity', ...(file.id && { Authorization: `Bearer ${apiKey}` }) },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      const passing = response.status === 429 || response.status >= 500;
      throw new (passing ? Error : Hopeless)(`status_${response.status}`);
    }
    const files = join(directory, 'files');
    await mkdir(files, { recursive: true, mode: 0o700 });
    const part = join(files, `${event.delivery}.part`);
    try {
      await save(response.body, part, file);
      await rename(part, join(files, file.name));
    } finally {
      await rm(part, { force: true });
    }
    log('downloaded', { event: event.event, delivery: event.delivery, file: file.name, size: file.size });
  }

  return { enqueue };
}

/** Writes the file, if it has the size and the hash in the event. */
async function save(body, path, { size, sha256 }) {
  const out = await open(path, 'w', 0o600);
  try {
    const hash = createHash('sha256');
    let received = 0;
    for await (const chunk of body) {
      received += chunk.length;
      if (received > size) throw new Error('size');
      hash.update(chunk);
      await out.writeFile(chunk);
    }
    if (received !== size) throw new Error('size');
    if (hash.digest('hex') !== sha256) throw new Error('sha256');
    await out.sync();
  } finally {
    await out.close();
  }
}

/**
 * Tells if the address leads to our own service. Even with a stolen callback secret nobody can make us send the API
 * key, or any request, elsewhere.
 */
export function isOurs({ url, id }, baseUrl) {
  if (id !== undefined) return url === `${baseUrl}/v1/files/${id}`;
  return (
    url.startsWith(`${baseUrl}/svc/embed/files/`) &&
    /^[\w/?&=.-]*$/.test(url.slice(baseUrl.length)) &&
    !url.includes('..')
  );
}

/** A word for the log; other messages may hold an address. */
function describe(error) {
  if (/^[a-z0-9_]+$/.test(error.message)) return error.message;
  return error.cause?.code ?? error.code ?? error.name;
}
