import { expect } from 'chai';
import { ooxml, SENTENCE } from '../../../scripts/support/documents.ts';
import { pdfText } from '../../support/pdf.ts';
import { form } from '../../support/service.ts';
import { skip } from '../../support/skip.ts';
import { arrived, download, readLines } from '../../support/stack-steps.ts';
import { until } from '../../support/until.ts';
import { docker } from './engine.ts';
import { tagImage } from './images/build.ts';
import { type Composed, composeMissing, startComposed } from './support/composed.ts';
import { startWriter } from './support/writer.ts';

/** The first run builds everything. */
const COLD_MS = 25 * 60_000;
const DOCX = ooxml('docx', { paragraphs: 3 });

describe('with compose', function () {
  this.timeout(240_000);
  this.retries(0);
  let composed: Composed;
  /** A container that sees the processes of all others. */
  let killer: string;

  before(async function () {
    this.timeout(COLD_MS);
    const missing = await composeMissing();
    if (missing !== undefined) skip(this, missing);
    composed = await startComposed();
    const words = ['run', '--detach', '--rm', '--pid', 'host', '--user', '0', '--entrypoint', 'sleep'];
    killer = (await docker(...words, composed.images.editor, 'infinity')).trim();
  });
  after(async () => {
    if (killer !== undefined) await docker('rm', '--force', killer);
    await composed?.stop();
  });

  const convert = () =>
    fetch(`${composed.outside.url}/v1/convert`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${composed.apiKey}` },
      body: form(DOCX, 'a.docx', { to: 'pdf' }),
    });
  const converts = () =>
    until('a conversion', async () => (await convert().catch(() => undefined))?.status === 200, 60_000);
  const readStart = async (service: string) =>
    (await docker('inspect', '--format', '{{.State.StartedAt}}', await composed.container(service))).trim();

  it('converts a document, with the key that was made for it', async () => {
    const answer = await convert();
    expect(answer.status).to.equal(200);
    expect((await pdfText(Buffer.from(await answer.arrayBuffer()))).split(SENTENCE)).to.have.lengthOf(4);
  });

  it('embeds: a document of a portal on this machine is opened, edited and saved, and the portal is told', async () => {
    const { sessions, outside } = composed;
    const session = await sessions.create({ key: 'embedded' });
    const client = await sessions.open(session);
    await client.addLine('trong compose');
    expect(await sessions.save(session, client)).to.equal(1);
    await client.leave();
    const { download_url } = await sessions.state(session);
    expect(readLines(await download(download_url))).to.include('trong compose');
    await arrived(outside, 'saved', 1);
  });

  for (const service of ['front', 'gate', 'docbuilder', 'editor', 'quarantine-keeper']) {
    it(`${service} comes back when it is killed under load, and no save is lost`, async () => {
      const writer = startWriter(composed.sessions, `kill-${service}`);
      await writer.more();
      const before = await readStart(service);
      await kill(service);
      await until('it is started again', async () => (await readStart(service)) !== before, 60_000);
      await writer.more();
      await converts();
      await writer.stop();
    });
  }

  it('after a kill of all of them, compose up brings them back, with every save', async () => {
    const writer = startWriter(composed.sessions, 'kill-all');
    await writer.more();
    const words = ['ps', '--quiet'];
    await docker('kill', ...(await composed.compose(words)).trim().split('\n'));
    await composed.compose(['up', '--detach', '--no-build']);
    await writer.more();
    await converts();
    await writer.stop();
  });

  it('compose up with a newer tag replaces those services only, under load, and no save is lost', async () => {
    const writer = startWriter(composed.sessions, 'newer');
    await writer.more();
    const { images } = composed;
    const [gate, front, docbuilder] = await Promise.all(
      [images.gate, images.front, images.docbuilder].map((image) => tagImage(image, 'next')),
    );
    const editor = await composed.container('editor');
    const variables = {
      SVC_GATE_IMAGE: gate ?? '',
      SVC_FRONT_IMAGE: front ?? '',
      SVC_DOCBUILDER_IMAGE: docbuilder ?? '',
    };
    await composed.compose(['up', '--detach', '--no-build'], variables);
    await writer.more();
    await converts();
    await writer.stop();
    expect(await docker('inspect', '--format', '{{.Config.Image}}', await composed.container('gate'))).to.equal(
      `${gate}\n`,
    );
    expect(await composed.container('editor')).to.equal(editor);
  });

  /** Ends it as a crash does: after `docker kill` Docker would start nothing again. */
  async function kill(service: string): Promise<void> {
    const pid = (await docker('inspect', '--format', '{{.State.Pid}}', await composed.container(service))).trim();
    await docker('exec', killer, 'sh', '-c', `kill -9 ${pid}`);
  }
});
