import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { expect } from 'chai';
import { hashToken } from '../../cmd/gate/domain/session-token.ts';
import { sessionRecord } from '../support/gate-records.ts';
import {
  beginPut,
  ORIGINAL,
  putHeaders,
  type SavesBench,
  savesBench,
  serveWopi,
  TOKEN,
} from '../support/gate-saves.ts';
import { close } from '../support/listen.ts';
import { secret } from '../support/logs.ts';
import { readError, until } from '../support/service.ts';

describe('the WOPI host', () => {
  let bench: SavesBench;
  let server: Server;
  let url: string;

  const disk = { broken: false, written: 0, work: Promise.resolve() };

  beforeEach(async () => {
    Object.assign(disk, { broken: false, written: 0, work: Promise.resolve() });
    bench = await savesBench({
      timings: { holdMs: 0 },
      wrap: ({ blobs }) => ({
        blobs: {
          ...blobs,
          put: async (file, ...args) => {
            if (disk.broken) throw new Error('the disk is gone');
            await blobs.put(file, ...args);
            disk.written += 1;
            await disk.work;
          },
        },
      }),
    });
    ({ server, url } = await serveWopi(bench));
    await bench.open({ callbackUrl: 'https://portal.example.vn/cb' });
  });
  afterEach(async () => {
    await close(server);
    await bench.stop();
  });

  const file = (rest = '', token = TOKEN) => `${url}/doc_a${rest}?access_token=${token}&access_token_ttl=0`;
  const info = async () => (await (await fetch(file())).json()) as Record<string, unknown>;
  const put = (body: string | Buffer, headers: Record<string, string | undefined> = {}) =>
    fetch(file('/contents'), { method: 'POST', headers: putHeaders(headers), body });
  /** Begins a PutFile of which nothing more comes than this content. */
  const send = async (content = 'half', length = 1000) => {
    const socket = await beginPut(url, content, length);
    await until('it is under way', () => bench.isSaving('doc_a'));
    return socket;
  };

  it('answers CheckFileInfo with all that the editor reads, by a token as Bearer alone as well', async () => {
    const answer = await info();
    expect(answer).to.include({
      ...{ BaseFileName: 'Báo cáo _quý 1_.docx', OwnerId: 'svc', Size: ORIGINAL.length, Version: '0' },
      ...{ UserId: 'ses_doc_a', UserFriendlyName: "Nguyễn Thị O'Hara", UserCanWrite: true, ReadOnly: false },
      ...{ UserCanNotWriteRelative: true, SupportsUpdate: true, SupportsLocks: false, SupportsRename: false },
      ...{ EnableOwnerTermination: false, DisablePrint: false, HideSaveOption: false },
      ...{ PostMessageOrigin: 'https://portal.example.vn', LastModifiedTime: '2026-09-21T00:00:00.000Z' },
    });
    expect((await fetch(`${url}/doc_a`, { headers: { Authorization: `Bearer ${TOKEN}` } })).status).to.equal(200);
  });

  it('lets views look and not write', async () => {
    const token = secret('V'.repeat(43));
    const view = sessionRecord({
      ...{ sessionId: 'ses_v', mode: 'view', readOnly: false, hasEdited: false, ui: { print: false }, origin: null },
      ...{ tokenHash: hashToken(token), expiresAt: bench.now() + 1000 },
    });
    await bench.rows.transact((tx) => tx.putSession(view));
    const answer = (await (await fetch(file('', token))).json()) as Record<string, unknown>;
    expect(answer).to.include({ UserCanWrite: false, ReadOnly: true, HideSaveOption: true, DisablePrint: true });
    expect(answer).not.to.have.property('PostMessageOrigin');
    const init = { method: 'POST', headers: putHeaders({}, token), body: 'x' };
    expect(await readError(await fetch(file('/contents', token), init))).to.include({
      status: 401,
      code: 'invalid_session_token',
    });
  });

  it('serves the current version, whole and in ranges', async () => {
    const whole = await fetch(file('/contents'));
    expect(whole.status).to.equal(200);
    expect(whole.headers.get('x-wopi-itemversion')).to.equal('0');
    expect(await whole.text()).to.equal(ORIGINAL.toString());
    const part = await fetch(file('/contents'), { headers: { Range: 'bytes=4-7' } });
    expect([part.status, await part.text()]).to.deep.equal([206, 'orig']);
  });

  it('stores a PutFile with its facts before it answers', async () => {
    const before = await info();
    const response = await put('one', {
      'X-COOL-WOPI-Timestamp': String(before['LastModifiedTime']),
      'X-COOL-WOPI-ExtendedData': 'svc1.n0nce',
    });
    expect(response.status).to.equal(200);
    expect(response.headers.get('x-wopi-itemversion')).to.equal('1');
    const putAnswer = (await response.json()) as Record<string, unknown>;
    const after = await info();
    expect(putAnswer).to.deep.equal({ LastModifiedTime: after['LastModifiedTime'] });
    expect(after['LastModifiedTime']).not.to.equal(before['LastModifiedTime']);
    expect(after).to.include({ Size: 3, Version: '1' });
    const version = await bench.rows.transact((tx) => tx.version('doc_a', 1));
    expect(version).to.deep.include({
      ...{ size: 3, sha256: createHash('sha256').update('one').digest('hex') },
      ...{ autosave: false, final: false, modifiedByUser: true, nonce: 'n0nce' },
      savedBy: { id: 'u1', name: "Nguyễn Thị O'Hara" },
    });
  });

  it('gives each version a stamp of its own, also within one millisecond', async () => {
    const stamps = [(await info())['LastModifiedTime']];
    for (const body of ['a', 'b', 'c']) {
      await put(body);
      stamps.push((await info())['LastModifiedTime']);
    }
    expect(stamps).to.deep.equal([...new Set(stamps)].sort());
  });

  it('tells a save that began from another version from one that was forced', async () => {
    const stale = String((await info())['LastModifiedTime']);
    await put('one', { 'X-COOL-WOPI-Timestamp': stale });
    const conflict = await put('two', { 'X-COOL-WOPI-Timestamp': stale });
    expect(conflict.status).to.equal(409);
    expect(await conflict.json()).to.deep.equal({ COOLStatusCode: 1010 });
    expect((await info())['Version']).to.equal('1');
    expect((await put('two')).status).to.equal(200);
    expect((await put('three', { 'X-COOL-WOPI-Timestamp': '' })).status, 'an empty timestamp is none').to.equal(200);
    expect((await info())['Version']).to.equal('3');
    bench.pass(16 * 60_000);
    await bench.cleaning.sweepBytes();
    expect(await bench.stored(), 'nothing of the conflict').to.have.lengthOf(4);
  });

  it('marks autosaves and final saves, and counts a nonce once, and that of a final save never', async () => {
    await put('one', { 'X-COOL-WOPI-ExtendedData': 'svc1.abc' });
    await put('two', { 'X-COOL-WOPI-IsAutosave': 'true', 'X-COOL-WOPI-ExtendedData': 'undefined' });
    await put('six', { 'X-COOL-WOPI-IsExitSave': 'true', 'X-COOL-WOPI-ExtendedData': 'svc1.fresh' });
    await put('ten', { 'X-COOL-WOPI-ExtendedData': 'svc1.abc', 'X-COOL-WOPI-IsModifiedByUser': 'false' });
    const versions = await bench.rows.transact((tx) => tx.versions('doc_a'));
    expect(versions.map(({ nonce }) => nonce)).to.deep.equal([null, 'abc', null, null, null]);
    expect(versions.map(({ autosave }) => autosave)).to.deep.equal([false, false, true, false, false]);
    expect(versions.map(({ final }) => final)).to.deep.equal([false, false, false, true, false]);
    expect(versions.map(({ modifiedByUser }) => modifiedByUser)).to.deep.equal([false, true, true, true, false]);
  });

  it('takes a save of a session that expired, was deleted or is a view by now', async () => {
    bench.pass(13 * 3_600_000);
    expect((await put('late')).status).to.equal(200);
    const session = await bench.rows.transact((tx) => tx.session('ses_doc_a'));
    if (!session) throw new Error('no session');
    await bench.rows.transact((tx) => tx.putSession({ ...session, closedAt: bench.now(), mode: 'view' }));
    expect((await put('later')).status).to.equal(200);
    // The editor looks again after trouble, and nobody opens the document with it.
    expect((await fetch(file())).status).to.equal(200);
    expect((await fetch(file('/contents'))).status).to.equal(401);
  });

  it('has no answer for an ended session once the document is closed, but still takes its save', async () => {
    bench.pass(13 * 3_600_000);
    await bench.samples(3);
    expect((await bench.rows.transact((tx) => tx.document('doc_a')))?.state).to.equal('closed');
    expect((await fetch(file())).status).to.equal(401);
    expect((await put('very late')).status).to.equal(200);
    expect((await bench.rows.transact((tx) => tx.document('doc_a')))?.state).to.equal('open');
  });

  it('takes the last save of a session that ended days ago while its document was open', async () => {
    bench.pass(72 * 3_600_000);
    await bench.sample({ docId: 'doc_a', userId: 'ses_doc_a' });
    await bench.sample();
    await bench.cleaning.sweep();
    expect((await put('left a moment ago')).status).to.equal(200);
    await bench.samples(4);
    expect((await bench.rows.read((tx) => tx.document('doc_a')))?.state).to.equal('closed');
    await bench.cleaning.sweep();
    expect((await put('closed a moment ago')).status).to.equal(200);
  });

  it('does without what it does not offer, and refuses what is empty', async () => {
    for (const override of ['PUT_RELATIVE', 'RENAME_FILE', 'LOCK', 'UNLOCK', 'REFRESH_LOCK', 'GET_LOCK', 'DELETE']) {
      const response = await fetch(file(), { method: 'POST', headers: putHeaders({ 'X-WOPI-Override': override }) });
      expect(await readError(response), override).to.include({ status: 501, code: 'not_implemented' });
    }
    expect(await readError(await put('x', { 'X-WOPI-Override': 'COBALT' }))).to.include({ status: 501 });
    expect((await fetch(file('/ancestry'))).status).to.equal(501);
    expect((await fetch(file('/contents'), { method: 'PUT', body: 'x' })).status).to.equal(501);
    expect((await fetch(`${url}/../containers/a`)).status).to.equal(501);
    expect(await readError(await put(''))).to.include({ status: 400, code: 'bad_request' });
  });

  it('answers the upload of an unmodified document at exit with the version that is there', async () => {
    const bytes = randomBytes(1000);
    const first = await put(bytes);
    const stored = await info();
    const again = await put(bytes, { 'X-COOL-WOPI-IsExitSave': 'true' });
    expect([again.status, again.headers.get('X-WOPI-ItemVersion')]).to.deep.equal([200, '1']);
    expect(await again.json()).to.deep.equal(await first.json());
    expect(await info()).to.deep.equal(stored);
  });

  it('keeps the latest five versions and the original, and no bytes of others, also while another save goes on', async () => {
    const token = 'B'.repeat(43);
    await bench.open({ docId: 'doc_b', key: 'key-b' }, {}, token);
    const stalled = await send();
    for (let n = 1; n <= 9; n += 1) {
      const init = { method: 'POST', headers: putHeaders({}, token), body: `version ${n}` };
      expect((await fetch(`${url}/doc_b/contents`, init)).status).to.equal(200);
    }
    const [other, versions] = await bench.rows.read(
      async (tx) => [await tx.versions('doc_a'), await tx.versions('doc_b')] as const,
    );
    expect(versions.map(({ version }) => version)).to.deep.equal([0, 5, 6, 7, 8, 9]);
    expect(await bench.stored(), 'who has found a version can still read it').to.have.lengthOf(11);
    bench.pass(16 * 60_000);
    await bench.cleaning.sweepBytes();
    expect(await bench.stored()).to.have.members([...other, ...versions].map(({ blob }) => blob));
    stalled.destroy();
  });

  it('has no CheckFileInfo while a save is owed for trouble of its own, and has it again with the next save', async () => {
    disk.broken = true;
    expect(await readError(await put('one'))).to.include({ status: 503, code: 'internal' });
    const asked = await fetch(file());
    expect(asked.headers.get('retry-after')).to.match(/^\d+$/);
    expect(await readError(asked)).to.include({ status: 503, code: 'internal' });
    disk.broken = false;
    expect((await put('one')).status).to.equal(200);
    expect((await fetch(file())).status).to.equal(200);
  });

  it('nor while one broke off a moment ago, which the editor takes for a conflict when it hears the old size', async () => {
    const socket = await send();
    expect((await fetch(file())).status, 'while it is under way').to.equal(200);
    const asked = fetch(file());
    socket.resetAndDestroy();
    expect(await readError(await asked)).to.include({ status: 503, code: 'internal' });
    expect((await put('whole')).status).to.equal(200);
    expect((await fetch(file())).status).to.equal(200);
  });

  it('nor while one is being stored that nobody waits for any more, until its size can be told', async () => {
    const size = async () => ((await (await fetch(file())).json()) as { Size: number }).Size;
    for (const [content, ms] of [
      ['a moment', 100],
      ['longer than anybody waits', 1_500],
    ] as const) {
      const storing = Promise.withResolvers<void>();
      disk.work = storing.promise;
      const before = disk.written;
      const socket = await send(content, content.length);
      await until('all of it is there', () => disk.written > before);
      socket.resetAndDestroy();
      const asked = fetch(file());
      setTimeout(storing.resolve, ms);
      const answer = await asked;
      if (ms > 1_000) expect(answer.status).to.equal(503);
      else expect(await answer.json()).to.have.property('Size', content.length);
      await until('it is stored', async () => !(await bench.isSaving('doc_a')));
      expect(await size()).to.equal(content.length);
    }
  });

  it('asks for the content of a save that waits to be asked for it', async () => {
    const socket = await beginPut(url, '', 3, ['Expect: 100-continue']);
    const next = async () => String((await once(socket, 'data'))[0]);
    expect(await next()).to.match(/^HTTP\/1\.1 100 /);
    socket.write('one');
    expect(await next()).to.match(/^HTTP\/1\.1 200 /);
    socket.destroy();
    expect(await info()).to.include({ Size: 3, Version: '1' });
  });
});
