import { expect } from 'chai';
import { openContent } from '../../examples/editor/content/content.ts';
import { type StandInEditor, startEditor } from '../../examples/editor/editor.ts';
import type { EditorOptions, Timings } from '../../examples/editor/options.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import { until } from '../support/until.ts';
import { type EditorClient, openEditor } from './client.ts';
import { startWopiHost, type WopiHost } from './wopi-host.ts';

/** As the real ones, a hundred times faster. */
const FAST: Partial<Timings> = { uploadGap: 50, unloadRetry: 40, giveUp: 40, tooLarge: 200 };
const ORIGINAL = ooxml('docx', { paragraphs: 2 });

describe('stand-in editor: saves', () => {
  let editor: StandInEditor;
  let host: WopiHost;

  beforeEach(async () => {
    host = await startWopiHost();
    host.files.set('doc_1', { name: 'a.docx', bytes: ORIGINAL, stamp: 'first' });
    editor = await start();
  });
  afterEach(async () => {
    await editor.kill();
    await host.stop();
  });

  const start = (options: Partial<EditorOptions> = {}): Promise<StandInEditor> =>
    startEditor({ port: 0, host: '127.0.0.1', admin: null, timings: FAST, ...options });
  const open = (token = 'an', options = {}): Promise<EditorClient> =>
    openEditor({ server: editor.url, session: host.session('doc_1', token), ...options });
  const storedLines = (): string[] => {
    const { name, bytes } = host.files.get('doc_1') ?? { name: '', bytes: Buffer.alloc(0) };
    return openContent(name, bytes)
      .lines()
      .map(({ text }) => text);
  };
  const errors = (client: EditorClient): string[] => client.received.filter((text) => text.startsWith('error: '));
  const putsReach = (count: number): Promise<unknown> =>
    until(`${count} uploads`, async () => host.puts().length >= count);
  /** So many uploads have failed, and the properties were asked for and not had after each. */
  const failuresReach = (count: number): Promise<unknown> =>
    until(`${count} failures`, async () => {
      const asked = host.requests.at(-1)?.operation === 'CheckFileInfo';
      return asked && host.puts().length >= count;
    });
  /** All views are gone and all that was to be done was done: the document can be opened anew. */
  const settled = async (): Promise<EditorClient> => open('later');

  it('stores what was typed, with the headers of the real one', async () => {
    const client = await open();
    await client.setLine(0, 'Điều 1. Đã sửa');
    expect(client.modified()).to.equal(true);
    expect(await client.save({ extendedData: 'svc1.nonce' })).to.deep.equal({ success: true, result: '' });
    await client.stored();
    expect(storedLines()[0]).to.equal('Điều 1. Đã sửa');
    const [put] = host.puts();
    expect(put?.headers).to.include({
      'x-wopi-override': 'PUT',
      'content-type': 'application/octet-stream',
      'content-length': String(put?.body.length),
      'x-cool-wopi-ismodifiedbyuser': 'true',
      'x-cool-wopi-isautosave': 'false',
      'x-cool-wopi-isexitsave': 'false',
      'x-cool-wopi-extendeddata': 'svc1.nonce',
      'x-cool-wopi-timestamp': 'first',
    });
    expect(put?.headers).not.to.have.any.keys('transfer-encoding', 'x-wopi-lock');
    await client.addLine('nữa');
    await client.save();
    await client.stored();
    expect(host.puts()[1]?.headers['x-cool-wopi-timestamp'], 'as the host told it last').to.match(/^2026-/);
    expect(host.puts()[1]?.headers).not.to.have.property('x-cool-wopi-extendeddata');
  });

  it('tells success and "not modified" before the upload has an answer, and even when it fails', async () => {
    let answer: (status: number) => void = () => {};
    host.answer = ({ operation }) =>
      operation === 'PutFile' ? new Promise<number>((resolve) => (answer = resolve)) : 200;
    const client = await open();
    await client.addLine('mới');
    expect((await client.save()).success).to.equal(true);
    expect(client.modified()).to.equal(false);
    await putsReach(1);
    answer(500);
    await client.message('error: cmd=storage kind=savefailed');
    expect(client.received.filter((text) => text.startsWith('saveresult'))).to.have.lengthOf(1);
  });

  describe('while an upload is under way', () => {
    let goOn: (status: number) => void;
    /** Types and saves; the upload of that is held until `goOn` is called, those after it are not. */
    const beginUpload = async (): Promise<EditorClient> => {
      const held = new Promise<number>((resolve) => (goOn = resolve));
      host.answer = ({ operation }) => (operation === 'PutFile' && host.puts().length === 1 ? held : 200);
      const client = await open();
      await client.addLine('một');
      await client.save({ extendedData: 'svc1.one' });
      await putsReach(1);
      return client;
    };
    const REFUSAL = {
      success: false,
      result: 'Could not upload document to storage',
      errorMsg: 'Already in progress.',
    };

    it('refuses that of what is written meanwhile, tells everybody, and does it later in nobody’s name', async () => {
      const [client, other] = [await beginUpload(), await open('binh')];
      await client.addLine('hai');
      const before = client.received.length;
      expect(await client.save({ extendedData: 'svc1.two' })).to.deep.equal(REFUSAL);
      await client.message('saveresult: {"success":true', before);
      expect(errors(client)).to.deep.equal(['error: cmd=storage kind=savefailed']);
      expect(JSON.parse((await other.message('saveresult: ')).slice('saveresult: '.length))).to.deep.equal(REFUSAL);
      expect(client.modified()).to.equal(false);
      goOn(200);
      await client.stored();
      expect(storedLines().slice(-2)).to.deep.equal(['một', 'hai']);
      const [, put] = host.puts();
      expect(put?.headers).to.include({ 'x-cool-wopi-ismodifiedbyuser': 'false' });
      expect(put?.headers).not.to.have.property('x-cool-wopi-extendeddata');
    });

    it('refuses also where nothing was written, and uploads the same once more', async () => {
      const client = await beginUpload();
      expect(await client.save({ extendedData: 'svc1.two', dontSaveIfUnmodified: true })).to.deep.equal(REFUSAL);
      goOn(200);
      await putsReach(2);
      const [first, second] = host.puts();
      expect(second?.body.equals(first?.body ?? Buffer.of())).to.equal(true);
    });
  });

  it('saves when the last view leaves, marked as exit save, with the extended data of the save before', async () => {
    const client = await open();
    await client.addLine('một');
    await client.save({ extendedData: 'svc1.one' });
    await client.stored();
    await client.addLine('hai');
    await client.leave();
    await putsReach(2);
    const [, put] = host.puts();
    expect(put?.headers).to.include({
      'x-cool-wopi-isexitsave': 'true',
      'x-cool-wopi-isautosave': 'false',
      'x-cool-wopi-extendeddata': 'svc1.one',
      connection: 'close',
    });
    expect((await settled()).lines().slice(-2)).to.deep.equal(['một', 'hai']);
  });

  describe('when the upload fails while somebody is there', () => {
    const edited = async (...statuses: (number | undefined)[]): Promise<EditorClient> => {
      const client = await open();
      host.answer = ({ operation }) => (operation === 'PutFile' && statuses.length > 0 ? statuses.shift() : 200);
      await client.addLine('quý giá');
      await client.save();
      return client;
    };

    for (const status of [401, 403, 404]) {
      it(`${status}: this view's token is taken for expired; another's is used, or a new one`, async () => {
        const other = await open('binh');
        const client = await edited(status);
        await client.message('error: cmd=storage kind=saveunauthorized');
        await client.message('uploaded');
        expect(host.puts().map(({ token }) => token)).to.deep.equal(['an', 'binh']);
        expect(errors(other)).to.deep.equal([]);
      });
    }

    it('413: everybody becomes read-only, and it is not tried again', async () => {
      const other = await open('binh');
      const client = await edited(413);
      for (const view of [client, other]) {
        await view.message('error: cmd=storage kind=savetoolarge');
        await view.message('perm: readonly');
        expect(view.readonly()).to.equal(true);
      }
      expect(host.puts()).to.have.lengthOf(1);
    });

    it('anything else: tried again as long as the properties cannot be had either', async () => {
      const client = await open();
      let down = true;
      host.answer = () => (down ? undefined : 200);
      await client.addLine('quý giá');
      await client.save();
      await failuresReach(4);
      down = false;
      await client.stored();
      expect(storedLines().at(-1)).to.equal('quý giá');
      expect(host.puts().at(-1)?.headers, 'nobody knows').not.to.have.property('x-cool-wopi-timestamp');
    });
  });

  describe('when the upload fails after the last one left', () => {
    const leave = async (answer: WopiHost['answer']): Promise<void> => {
      const client = await open();
      await client.addLine('quý giá');
      host.answer = answer;
      await client.leave();
    };
    const outcome = async (): Promise<'lost' | 'stored'> => {
      host.answer = () => 200;
      return (await settled()).lines().includes('quý giá') ? 'stored' : 'lost';
    };

    it('the host is away: 5 attempts, then what was typed is lost', async () => {
      await leave(() => undefined);
      await putsReach(5);
      expect(await outcome()).to.equal('lost');
      expect(host.puts().map(({ headers }) => headers['x-cool-wopi-isexitsave'])).to.deep.equal([
        'true',
        'false',
        'false',
        'false',
        'false',
      ]);
    });

    for (const status of [503, 409, 401, 404]) {
      it(`${status} while the properties can be had: one attempt, lost`, async () => {
        await leave(({ operation }) => (operation === 'PutFile' ? status : 200));
        await putsReach(1);
        expect(await outcome()).to.equal('lost');
        expect(host.puts()).to.have.lengthOf(1);
      });
    }
  });
});
