import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { beginPut, MB, putHeaders, type SavesBench, savesBench, serveWopi, TOKEN } from '../support/gate-saves.ts';
import { close } from '../support/listen.ts';
import { secret } from '../support/logs.ts';
import { readError, until } from '../support/service.ts';

const OTHER = secret('o'.repeat(43));

describe('attacks on the WOPI host', () => {
  let bench: SavesBench;
  let server: Server;
  let url: string;

  beforeEach(async () => {
    bench = await savesBench({ timings: { idleMs: 200, retryMs: 5, holdMs: 50 } });
    ({ server, url } = await serveWopi(bench));
    await bench.open();
    await bench.open({ docId: 'doc_b', key: 'key-b' }, {}, OTHER);
  });
  afterEach(async () => {
    await close(server);
    await bench.stop();
  });

  const calls = (query: string, headers: Record<string, string> = {}, doc = 'doc_a') => [
    fetch(`${url}/${doc}${query}`, { headers }),
    fetch(`${url}/${doc}/contents${query}`, { headers }),
    fetch(`${url}/${doc}/contents${query}`, {
      method: 'POST',
      headers: { ...putHeaders({ Authorization: undefined }), ...headers },
      body: 'evil',
    }),
  ];
  const untouched = async () => {
    expect((await bench.rows.transact((tx) => tx.document('doc_a')))?.version).to.equal(0);
    expect(await bench.stored(), 'the two originals').to.have.lengthOf(2);
    expect(await readdir(join(bench.folder, 'incoming'))).to.deep.equal([]);
  };

  it('refuses the token of another document, one that nobody has, and the hash that a stolen database has', async () => {
    const hash = (await bench.rows.transact((tx) => tx.session('ses_doc_a')))?.tokenHash ?? '';
    const changed = [TOKEN.slice(0, -1), `${TOKEN}b`, TOKEN.toLowerCase()];
    for (const token of [OTHER, hash, 'x', ...changed, "' OR 1=1 --", 'a'.repeat(5000)]) {
      const what = token.slice(0, 50);
      for (const call of calls(`?access_token=${encodeURIComponent(token)}`))
        expect(await readError(await call), what).to.include({ status: 401, code: 'invalid_session_token' });
    }
    await untouched();
  });

  for (const [what, statuses, query, headers] of [
    ['a parameter that is there twice', [400], `?access_token=${TOKEN}&access_token=${OTHER}`, {}],
    ['another parameter that is there twice', [400], `?access_token=${TOKEN}&a=1&a=2`, {}],
    ['two tokens that differ', [401], `?access_token=${TOKEN}`, { Authorization: `Bearer ${OTHER}` }],
  ] as const) {
    it(`refuses ${what}`, async () => {
      for (const call of calls(query, headers)) expect((await call).status).to.be.oneOf(statuses);
      await untouched();
    });
  }

  it('lets no id leave its place, and tells an unknown document from a wrong token to nobody', async () => {
    for (const call of calls(`?access_token=${TOKEN}`, {}, 'doc_none')) expect((await call).status).to.equal(401);
    for (const id of '..%2fdoc_a %2e%2e doc_a%00 doc_a%2f..%2fdoc_b doc_a%20 DOC_A doc_a;x %64oc_b *'.split(' '))
      for (const call of calls(`?access_token=${TOKEN}`, {}, id))
        expect((await call).status, id).to.be.oneOf([400, 401, 404, 501]);
    await untouched();
  });

  it('costs nobody a token when the editor sends a save without any', async () => {
    const [info, contents, save] = await Promise.all(calls('?access_token='));
    expect([info?.status, contents?.status, save?.status]).to.deep.equal([401, 401, 503]);
    await untouched();
  });

  const becomesUntouched = () =>
    until('nothing is left', () =>
      untouched()
        .then(() => true)
        .catch(() => undefined),
    );

  it('keeps nothing of a save that was sent by half', async () => {
    const socket = await beginPut(url, Buffer.alloc(50_000, 'x'), 100_000);
    await until('it is under way', () => bench.isSaving('doc_a'));
    socket.destroy();
    await until('nobody saves any more', () => bench.saves.waitUntilQuiet().then(() => true));
    await becomesUntouched();
  });

  for (const [what, status, content, length, lines] of [
    ['stalls', 408, 'x'.repeat(10), 100_000, []],
    ['is declared to be far too large', 413, '', 101 * MB, []],
    ['is declared to be one byte too large, and waits to be asked for it', 413, '', MB + 1, ['Expect: 100-continue']],
    ['has a header twice', 400, 'x', 1, ['X-COOL-WOPI-Timestamp: a', 'X-COOL-WOPI-Timestamp: b']],
  ] as const) {
    it(`ends a save that ${what}: ${status}`, async () => {
      const socket = await beginPut(url, content, length, [...lines]);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      socket.destroy();
      await becomesUntouched();
    });
  }

  it('reads no more than allowed of what does not say how long it is', async () => {
    const chunk = Buffer.alloc(256 * 1024);
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    const endless = fetch(`${url}/doc_a/contents`, { method: 'POST', headers: putHeaders(), body, duplex: 'half' });
    expect(await endless.then(({ status }) => status).catch(() => 'cut')).to.be.oneOf([413, 'cut']);
    await becomesUntouched();
  });
});
