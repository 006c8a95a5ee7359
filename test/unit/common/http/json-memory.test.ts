import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { parseJson, readJsonText } from '../../../../src/common/http/json.ts';
import { JsonAllocation } from '../../../../src/common/http/json-memory.ts';
import { useServers } from '../../../support/canary.ts';
import { refusal } from '../../../support/refusal.ts';

const MB = 1024 * 1024;

describe('the memory of JSON', () => {
  it('counts what stands outside of strings, wherever the pieces are cut', () => {
    for (const [text, values] of [
      ['{"a": [1, 2, {}], "b": "x"}', 6],
      ['[[], [], [{}]]', 7],
      ['"[,{"', 0],
      [String.raw`["\"[,{", "\\", ","]`, 3],
      [String.raw`["\\\"[", "Xin chào, các bạn"]`, 2],
    ] as const) {
      for (const size of [1, 2, 3, 1000]) {
        const [memory, bytes] = [{ maxBytes: 100 * values, held: 0 }, Buffer.from(text)];
        const [held, other] = [new JsonAllocation(memory, MB), new JsonAllocation(memory, MB)];
        for (let at = 0; at < bytes.length; at += size) held.count(bytes.subarray(at, at + size));
        expect(() => other.reserve(1), `${text} by ${size}`)
          .to.throw()
          .with.property('code', values ? 'pool_unavailable' : 'file_too_large');
        expect(() => held.count(Buffer.from('[,')), `${text} by ${size}`).to.throw();
      }
    }
  });

  it('holds no more than fits together: the rest may come again, what never fits may not', () => {
    const memory = { maxBytes: 10 * MB, held: 0 };
    const [first, second] = [new JsonAllocation(memory, 10 * MB), new JsonAllocation(memory, 10 * MB)];
    first.reserve(6 * MB);
    const busy = refusal(() => second.assertRoom(5 * MB));
    expect(busy).to.deep.include({ code: 'pool_unavailable', detail: { reason: 'memory_limit' } });
    expect(busy.retryAfter).to.be.greaterThan(0);
    expect(refusal(() => second.reserve(5 * MB))).to.have.property('code', 'pool_unavailable');
    const detail = { limit_mb: 10, subject: 'body', reason: 'memory_limit' };
    expect(refusal(() => first.reserve(5 * MB)).detail).to.deep.equal(detail);
    first.release();
    first.release();
    second.reserve(10 * MB);
    expect(refusal(() => first.reserve(1))).to.have.property('code', 'pool_unavailable');
  });
});

describe('JSON bodies', () => {
  const start = useServers();

  /** Answers with a body as it was read. */
  async function serve(held: JsonAllocation, idleMs = 1000, maxBytes = 10 * MB): Promise<string> {
    const { port } = await start((asked, response) => {
      readJsonText(asked, idleMs, maxBytes, held).then(
        (text) => response.end(JSON.stringify(parseJson(text, ''))),
        ({ status, code, detail }) => response.writeHead(status).end(JSON.stringify({ status, code, detail })),
      );
    });
    return `http://127.0.0.1:${port}`;
  }
  const post = async (url: string, body: RequestInit['body']) =>
    (await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit)).json();

  it('are refused for their length by what they say of it, and by what arrives', async () => {
    const memory = { maxBytes: MB, held: 0 };
    new JsonAllocation(memory, 10 * MB).reserve(MB / 2);
    const url = await serve(new JsonAllocation(memory, 10 * MB));
    const body = JSON.stringify('x'.repeat(MB * 0.75));
    expect(await post(url, body)).to.have.property('code', 'pool_unavailable');
    expect(await post(url, new Blob([body]).stream())).to.have.property('code', 'pool_unavailable');
    expect(await post(url, '"x"')).to.equal('x');
  });

  for (const headers of [{ 'Content-Length': '4096' }, { 'Transfer-Encoding': 'chunked' }]) {
    it(`that come byte by byte are waited for no longer than a slow line would take (${Object.keys(headers)})`, async () => {
      const url = await serve(new JsonAllocation({ maxBytes: MB, held: 0 }, MB), 100, 4096);
      const started = performance.now();
      const post = request(url, { method: 'POST', headers });
      const drip = setInterval(() => post.write(' '), 20);
      try {
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        post.on('error', reject).on('response', (response) => resolve(json(response)));
        expect(await promise).to.include({ status: 408, code: 'bad_request' });
        expect(performance.now() - started).to.be.at.least(100);
      } finally {
        clearInterval(drip);
        post.destroy();
      }
    });
  }
});
