import { createHash } from 'node:crypto';

/** The body or a header is not what the service sends. */
export class MalformedEvent extends Error {}

/**
 * Reads a verified request. Only the body and the timestamp are under the signature: `X-SVC-Event` has to agree
 * with the body, and `subject` finds a repeat even when somebody sends a body again with another `X-SVC-Delivery`.
 * @returns {{ delivery: string, event: string, subject: string, files: object[], job?: string, code?: string,
 *   key?: string, version?: number }} `job` and `code` for job events, `key` and `version` for document events
 */
export function parseEvent(headers, rawBody) {
  const delivery = String(headers['x-svc-delivery']).toLowerCase();
  must(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(delivery), 'X-SVC-Delivery');
  const body = parse(rawBody);
  const event = body.status === undefined ? body.event : `document.${body.status}`;
  must(event === headers['x-svc-event'], 'X-SVC-Event');
  switch (event) {
    case 'job.done':
    case 'job.failed':
      return { delivery, event, ...jobEvent(event, body.job) };
    case 'document.saved':
    case 'document.closed':
      return { delivery, event, ...documentEvent(event, body) };
    default:
      throw new MalformedEvent('event');
  }
}

function jobEvent(event, job) {
  must(isObject(job) && /^job_[0-9a-f]{24}$/.test(job.id), 'job.id');
  must(Array.isArray(job.outputs), 'job.outputs');
  const known = { subject: `${event} ${job.id}`, job: job.id };
  if (event === 'job.failed') return { ...known, files: [], code: word(job.error?.code, 'unknown') };
  return { ...known, files: job.outputs.map(outputFile) };
}

function outputFile(output) {
  must(isObject(output) && /^file_[0-9a-f]{24}$/.test(output.file_id), 'file_id');
  return { ...contents(output), id: output.file_id, name: `${output.file_id}.${word(output.format)}` };
}

function documentEvent(event, { key, version, url, fileType, timestamp, ...body }) {
  must(typeof key === 'string' && key !== '' && Number.isSafeInteger(version) && version >= 0, 'key, version');
  // The key is any text at all; its hash makes a file name.
  const id = createHash('sha256').update(key).digest('hex');
  // A document is closed many times, maybe twice with one version: the send time tells these apart.
  const subject = `${event} ${id} ${version}${event === 'document.closed' ? ` ${timestamp}` : ''}`;
  const files = url === null ? [] : [{ ...contents({ ...body, url }), name: `${id}.${word(fileType)}` }];
  return { subject, key, version, files };
}

function contents({ url, size, sha256 }) {
  must(typeof url === 'string', 'url');
  must(Number.isSafeInteger(size) && size >= 0, 'size');
  must(/^[0-9a-f]{64}$/.test(sha256), 'sha256');
  return { url, size, sha256 };
}

function parse(rawBody) {
  try {
    const body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody));
    must(isObject(body), 'body');
    return body;
  } catch {
    throw new MalformedEvent('body');
  }
}

/** Text that is safe in a file name or a log line. */
function word(value, otherwise) {
  if (typeof value === 'string' && /^[A-Za-z0-9_]{1,40}$/.test(value)) return value;
  must(otherwise !== undefined, 'format');
  return otherwise;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function must(condition, what) {
  if (!condition) throw new MalformedEvent(what);
}
