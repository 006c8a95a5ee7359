import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Unsaved } from '../../cmd/gate/domain/unsaved.ts';
import type { GateStatus } from '../../src/common/generated/wire.ts';
import { QUARANTINE_SCRIPT } from '../../src/common/quarantine-script.ts';
import { Unavailable } from '../../src/common/unavailable.ts';
import { useFolder } from '../support/folder.ts';
import { aloneSettings, startGateProcess } from '../support/gate.ts';
import {
  ADMIN,
  type BenchOptions,
  MB,
  ORIGINAL,
  putHeaders,
  type SavesBench,
  savesBench,
  serveWopi,
  TOKEN,
  WOPI_URL,
} from '../support/gate-saves.ts';
import { close } from '../support/listen.ts';
import { until } from '../support/until.ts';
import { coolwsdQuarantine } from './coolwsd-quarantine.ts';

const DOC = `doc_${'a'.repeat(32)}`;
const SAVES = Number(process.env['SVC_TEST_QUARANTINE_SAVES'] ?? 80);
const BYTES = Number(process.env['SVC_TEST_QUARANTINE_BYTES'] ?? 20_000);

describe("the editor's quarantine", function () {
  this.timeout(60_000 + SAVES * 1_000);
  let bench: SavesBench;
  let server: Server;
  let base: string;
  let script: ChildProcess | undefined;
  let said = '';

  async function begin(options: BenchOptions = {}): Promise<void> {
    bench = await savesBench({ clock: Date.now, maxBytes: 64 * MB, ...options });
    const served = await serveWopi(bench, 64 * MB);
    server = served.server;
    base = new URL(served.url).origin;
    await bench.open({ docId: DOC, callbackUrl: 'https://portal.example.vn/cb' });
  }

  /** Runs the script as beside the editor. */
  function watch(environment: Record<string, string> = {}): void {
    said = '';
    script = spawn('sh', ['-c', QUARANTINE_SCRIPT], {
      env: {
        ...{ PATH: process.env['PATH'], QUARANTINE_DIR: folder.path, GATE_URL: base, QUARANTINE_SECONDS: '0.1' },
        ...{ username: ADMIN.user, password: ADMIN.password, ...environment },
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    script.stderr?.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
    });
  }
  async function endWatch(): Promise<void> {
    const running = script;
    script = undefined;
    if (!running) return;
    const ended = once(running, 'close');
    running.kill('SIGTERM');
    await ended;
  }
  afterEach(async () => {
    await endWatch();
    await close(server);
    await bench.stop();
  });
  const folder = useFolder('test');

  const quarantine = (method: string, path = '', authorization = basic(ADMIN.password)) =>
    fetch(`${base}/svc/quarantine${path}`, { method, headers: { authorization } });
  const listed = async () => ((await (await quarantine('GET', '/')).json()) as { unsaved: Unsaved[] }).unsaved;
  const handedOver = () => until('one is handed over', async () => (await listed())[0], 20_000);
  const load = () => fetch(`${base}/svc/wopi/files/${DOC}/contents?access_token=${TOKEN}`).then((r) => r.arrayBuffer());
  const put = async (body: Buffer) => {
    const init = { method: 'POST', headers: putHeaders({ 'X-COOL-WOPI-Timestamp': undefined }), body };
    const answer = await fetch(`${base}/svc/wopi/files/${DOC}/contents?access_token=${TOKEN}`, init);
    expect(answer.status).to.equal(200);
  };
  const left = async () =>
    (await readdir(folder.path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  /** Hands an edit over that was made so many milliseconds ago. */
  const keep = (content: string, ageMs: number) => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    return bench.unsaved.keep({ docId: DOC, pid: 1, madeAt: 0, sha256, ageMs }, Readable.from([Buffer.from(content)]));
  };
  /** A quarantine of the editor, and what one save puts into it. */
  const editor = (limitBytes: number) => {
    const kept = coolwsdQuarantine(folder.path, limitBytes);
    return (content: Buffer, pid = 120, docId = DOC) => kept.add(`${WOPI_URL}/svc/wopi/files/${docId}`, pid, content);
  };

  it(`keeps the one edit that was never stored through ${SAVES} saves that were, and no copy of those`, async () => {
    // On a busy machine a question may arrive a second after its file was looked at.
    await begin({ quarantine: { margin: 5_000 } });
    const save = editor(50 * BYTES);
    watch();
    await load();
    const lost = randomBytes(BYTES);
    await save(lost);
    await handedOver();
    // The editor is started again, and the document loaded without it.
    await load();
    for (let n = 0; n < SAVES; n += 1) {
      const content = randomBytes(BYTES);
      await save(content);
      await put(content);
    }
    await until('no copy is left', async () => (await left()).length === 0, 60_000);
    const [unsaved, ...others] = await listed();
    expect(others).to.deep.equal([]);
    expect(unsaved).to.include({ doc_id: DOC, key: 'key-a', size: BYTES });
    const restored = await quarantine('POST', `/${unsaved?.id}/restore`);
    expect(await restored.json()).to.deep.equal({ doc_id: DOC, version: SAVES + 1 });
    const current = await bench.rows.transact((tx) => tx.version(DOC, SAVES + 1));
    expect(current?.sha256).to.equal(createHash('sha256').update(lost).digest('hex'));
    expect(await listed()).to.deep.equal([]);
    expect(said).to.equal('');
  });

  it('hands over nothing that a later save of the same loading contains, and all that was lost with its process', async () => {
    await begin({ quarantine: { grace: 1_500 } });
    const save = editor(MB);
    await load();
    await pause(300);
    // The gate is away for two autosaves; the third is uploaded.
    await save(Buffer.from('one'));
    await save(Buffer.from('one two'));
    const third = Buffer.from('one two three');
    await save(third);
    await put(third);
    await save(Buffer.from('one two three four'));
    watch();
    const lost = await handedOver();
    expect(lost?.size).to.equal('one two three four'.length);
    await endWatch();
    // The process has died; the next one has its number, loads the third, and saves.
    await load();
    await save(Buffer.from('one two three 4'));
    await put(Buffer.from('one two three 4'));
    watch();
    await until('no copy is left', async () => (await left()).length === 0, 20_000);
    expect((await listed()).map(({ size }) => size)).to.include('one two three four'.length);
  });

  it('hands over an edit with the bytes of an earlier version, which is not what is current', async () => {
    await begin();
    await load();
    for (const content of ['one', 'two', 'one', 'two']) await put(Buffer.from(content));
    await pause(200);
    // Somebody undoes the change, and that is never uploaded. Text has no time in it.
    const save = editor(MB);
    await save(Buffer.from('one'));
    watch();
    expect((await handedOver())?.size).to.equal(3);
    // The current version is not lost, whenever it was stored.
    await save(Buffer.from('two'));
    await until('no copy is left', async () => (await left()).length === 0);
    expect(await listed()).to.have.lengthOf(1);
    // Nor is an edit that was stored after all.
    await put(Buffer.from('one'));
    expect(await listed()).to.deep.equal([]);
  });

  it('leaves alone what is of another host, of no document that the gate has, or not for it to know', async () => {
    await begin();
    const save = editor(MB);
    await save(Buffer.from('unknown'), 1, `doc_${'c'.repeat(32)}`);
    await writeFile(folder.at('quarantine.test'), '');
    await save(ORIGINAL);
    watch();
    await until('it has looked', async () => (await left()).length === 2);
    await endWatch();
    expect(await left()).to.have.lengthOf(2);
    for (const [method, path, status] of [
      ['GET', '/', 200],
      ['POST', '/ask', 400],
      ['POST', `/ask?file=..%2F1_1_x&sha256=${'0'.repeat(64)}&made=x&now=1`, 400],
      ['PUT', `/file?file=a%2F1_1_x&sha256=${'0'.repeat(64)}&made=1&now=1`, 404],
      ['POST', '/x/restore', 404],
      ['DELETE', '/x', 404],
    ] as const) {
      expect((await quarantine(method, path)).status, `${method} ${path}`).to.equal(status);
      for (const password of ['', 'a wrong one'])
        expect((await quarantine(method, path, basic(password))).status, `${method} ${path}`).to.equal(401);
    }
  });

  it('has an edit that is kept: not while somebody has the document open, not lost with a restart, deleted when told', async () => {
    await begin();
    const save = editor(MB);
    watch();
    await save(Buffer.from('lost'));
    const unsaved = await handedOver();
    await bench.sample({ docId: DOC });
    const refused = await quarantine('POST', `/${unsaved?.id}/restore`);
    expect(refused.status).to.equal(409);
    expect(await refused.json()).to.have.nested.property('error.detail.reason', 'document_open');
    await bench.samples(4);
    await endWatch();
    await bench.stop({ keep: true });
    const again = await savesBench({ folder: bench.folder, clock: Date.now });
    expect(await again.unsaved.list()).to.deep.equal([unsaved]);
    await again.unsaved.discard(unsaved?.id ?? '');
    expect(await again.unsaved.list()).to.deep.equal([]);
    bench = again;
    const original = await bench.rows.read((tx) => tx.version(DOC, 0));
    expect(await text(bench.blobs.read(original ?? expect.fail('no version')))).to.equal('the original');
  });

  it('has an edit whole whose COMMIT was done and whose answer was lost', async () => {
    let answers = 0;
    const wrap: BenchOptions['wrap'] = ({ rows }) => ({
      rows: {
        ...rows,
        transact: async (work) => {
          let isEdit = false;
          const result = await rows.transact((tx) =>
            work({
              ...tx,
              putUnsaved: (edit) => {
                isEdit = true;
                return tx.putUnsaved(edit);
              },
            }),
          );
          if (isEdit && ++answers === 1) throw new Unavailable(new Error('the answer to COMMIT was lost'));
          return result;
        },
      },
    });
    await begin({ wrap });
    await editor(MB)(Buffer.from('lost'));
    watch();
    const unsaved = await handedOver();
    await until('the script has removed its copy', async () => (await left()).length === 0);
    expect(answers).to.equal(1);
    expect(await bench.rows.read((tx) => tx.blobsToRemove(Date.now(), 9))).to.deep.equal([]);
    await bench.cleaning.sweepBytes();
    expect((await quarantine('POST', `/${unsaved.id}/restore`)).status).to.equal(200);
    const restored = await bench.rows.read((tx) => tx.version(DOC, 1));
    expect(await text(bench.blobs.read(restored ?? expect.fail('no version')))).to.equal('lost');
  });

  it('has both of two edits that were made at one moment', async () => {
    const now = Date.now();
    await begin({ clock: () => now });
    await keep('one', 0);
    await keep('other', 0);
    expect((await listed()).map(({ size }) => size)).to.have.members([3, 5]);
  });

  it('leaves nothing open of an edit that is too large to be restored', async () => {
    const read: Readable[] = [];
    await begin({
      maxBytes: ORIGINAL.length,
      wrap: ({ blobs }) => ({
        blobs: {
          ...blobs,
          read: (...args) => {
            const stream = blobs.read(...args);
            read.push(stream);
            return stream;
          },
        },
      }),
    });
    await editor(MB)(randomBytes(300_000));
    watch();
    const unsaved = await handedOver();
    expect((await quarantine('POST', `/${unsaved.id}/restore`)).status).to.equal(413);
    expect(read.map(({ destroyed }) => destroyed)).to.deep.equal([true]);
    expect(await listed()).to.deep.equal([unsaved]);
  });

  it('is seen in the status, and its command lists, restores and discards, and says what it cannot do', async () => {
    await begin();
    await bench.rows.transact(async (tx) => {
      const document = (await tx.document(DOC)) ?? expect.fail('no document');
      await tx.putDocument({ ...document, title: 'two\nlines\t\u001b[2J' });
    });
    await keep('first', 9_000);
    await keep('second', 5_000);
    await bench.stop({ keep: true });
    const environment = await aloneSettings(bench.folder, { SVC_ONLINE_ADMIN_PASSWORD: ADMIN.password });
    const command = async (...args: string[]) => {
      const child = spawn(process.execPath, ['cmd/gate/quarantine.ts', ...args], {
        env: { PATH: process.env['PATH'], ...environment },
      });
      const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      return { out, error, code };
    };
    const away = await command('list');
    expect(away).to.include({ out: '', code: 2 });
    const gate = await startGateProcess(environment);
    try {
      const unsaved = async () => ((await (await fetch(`${gate.url}/svc/status`)).json()) as GateStatus).editor.unsaved;
      expect(await unsaved()).to.equal(2);
      const { out, code } = await command('list');
      expect(code).to.equal(0);
      const lines = [...out.matchAll(/.+/g)].map(([line]) => line.split('\t'));
      const title = 'two\ufffdlines\ufffd\ufffd[2J';
      expect(lines.map(([, , ...rest]) => rest)).to.deep.equal(['5', '6'].map((size) => [size, 'key-a', title]));
      const [first = '', second = ''] = lines.map(([id]) => id);
      expect(await command('restore', first)).to.deep.equal({ out: `version 1 of ${DOC}\n`, error: '', code: 0 });
      expect(await command('discard', second)).to.deep.equal({ out: 'discarded\n', error: '', code: 0 });
      expect(await command('list')).to.include({ out: '', code: 0 });
      const gone = await command('restore', second);
      expect(gone.code).to.equal(1);
      expect(gone.error).to.contain('404');
      for (const wrong of [[], ['restore'], ['list', 'x'], ['other']])
        expect((await command(...wrong)).code).to.equal(2);
      await until('the status says so', async () => (await unsaved()) === 0);
    } finally {
      await gate.stop();
    }
  });
});

function basic(password: string): string {
  return `Basic ${Buffer.from(`${ADMIN.user}:${password}`).toString('base64')}`;
}
