import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listeningPort } from './listen.ts';

export const CONTENT = Buffer.from('%PDF-1.7 the result\n');
export const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
export const sha256 = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

/** Stands in for the service's downloads, and makes events that point to them. */
export type FileService = Awaited<ReturnType<typeof startFileService>>;

export async function startFileService() {
  const asked: { url: string; headers: IncomingHttpHeaders }[] = [];
  /** Answers by path; elsewhere the content is answered. */
  const answers = new Map<string, { status: number; body: Buffer; location?: string }>();
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers });
    const { status, body, location } = answers.get(request.url ?? '') ?? { status: 200, body: CONTENT };
    response.writeHead(status, location ? { Location: location } : {}).end(body);
  }).listen(0, '127.0.0.1');
  const base = `http://127.0.0.1:${await listeningPort(server)}`;
  return {
    base,
    asked,
    answers,
    /** Requests for an address. */
    requestsFor: (url: string) => asked.filter((request) => base + request.url === url),
    /** A job.done event with one output, with members replaced by `changes`. */
    job: (changes: Record<string, unknown> = {}) => {
      const fileId = `file_${hex(12)}`;
      const output = { file_id: fileId, url: `${base}/v1/files/${fileId}`, filename: '../../x.pdf', format: 'pdf' };
      const outputs = [{ ...output, size: CONTENT.length, sha256: sha256(CONTENT), ...changes }];
      const job = { id: `job_${hex(12)}`, kind: 'convert', status: 'done', outputs, error: null };
      return { event: 'job.done', job, path: `/v1/files/${fileId}`, name: `${fileId}.pdf` };
    },
    /** A document.saved event. */
    document: (key: string, version: number, content = CONTENT, changes: Record<string, unknown> = {}) => {
      const path = `/svc/embed/files/doc_${sha256(key)}?v=${version}&exp=1&sig=${hex(8)}`;
      answers.set(path, { status: 200, body: content });
      const file = { url: base + path, fileType: 'docx', size: content.length, sha256: sha256(content) };
      const rest = { title: 'Hợp đồng', users: [], savedBy: null, autosave: false, final: true, modifiedByUser: true };
      return { status: 'saved', key, version, ...file, ...rest, timestamp: new Date().toISOString(), ...changes };
    },
    close: () => server.close(),
  };
}
