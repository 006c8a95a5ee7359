import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import type { ElementHandle, Frame } from 'puppeteer-core';
import { type Day, lacksEditor } from '../day.ts';
import { largeDocx, square } from '../documents.ts';
import { openPerson, type Person } from '../person.ts';
import { protectedOdt } from '../protected.ts';
import type { Scene } from '../scene.ts';
import { need, seconds, waitFor } from '../wait.ts';

const LARGE_MEGABYTES = 20;
const SAVE_SECONDS = 60;
const SAVED_SECONDS = 10;
const PICTURE_PIXELS = 64;
const PASSWORD = 'xin-chao';
/** The time that the dialog may take to appear, and a page to tell that it was cancelled. */
const DIALOG_SECONDS = 60;
const CANCELLED_SECONDS = 30;
/** The editor's server has what is selected, not the page. */
const SELECTED_SECONDS = 1.5;

/** Days with special documents, and with what else people do with a document. */
export const DOCUMENT_DAYS: readonly Day[] = [
  {
    name: 'large-document',
    about: `a docx of ${LARGE_MEGABYTES} MB`,
    async play(scene) {
      scene.tally.rounds += 1;
      const document = await scene.offer(largeDocx(LARGE_MEGABYTES));
      const began = Date.now();
      const person = await scene.open(document);
      scene.tally.notes.push(`loaded after ${((Date.now() - began) / 1000).toFixed(1)} s`);
      const mark = await person.type();
      scene.tally.back.push(await person.saveAgain(Date.now(), SAVE_SECONDS));
      await scene.hear(person);
      await scene.expect(document, [mark]);
    },
  },
  { name: 'password', about: 'a document with a password, which is typed', lacks: lacksEditor, play: openProtected },
  {
    name: 'password-cancelled',
    about: 'a document with a password; the dialog is cancelled',
    lacks: lacksEditor,
    play: cancelPassword,
  },
  { name: 'picture', about: 'a picture is inserted', lacks: lacksEditor, play: insertPicture },
  {
    name: 'print',
    about: 'Ctrl+P: the browser gets a PDF to print',
    lacks: lacksEditor,
    play: (scene) => expectPdf(scene, (person) => person.control('p')),
  },
  {
    name: 'download',
    about: 'the document is downloaded as a PDF',
    lacks: lacksEditor,
    play: (scene) =>
      expectPdf(
        scene,
        async (person) => void (await (await person.frame()).evaluate("app.map.downloadAs('a.pdf', 'pdf')")),
      ),
  },
  { name: 'copy-and-paste', about: 'a word is copied from one document into another', play: copyAndPaste },
];

/** Opens the protected document and waits for its dialog. */
async function openDialog(scene: Scene): Promise<{ person: Person; frame: Frame; field: ElementHandle }> {
  scene.tally.rounds += 1;
  const document = await scene.offer(protectedOdt(PASSWORD, 'Biên bản họp'), 'odt');
  const person = await openPerson(
    scene.browser.browser.defaultBrowserContext(),
    scene.portal.origin,
    document.configFor('Lan'),
  );
  return need(
    'the dialog for the password',
    async () => {
      for (const frame of person.page.frames()) {
        const field = await frame.$('#input-modal-input').catch(() => null);
        if (field) return { person, frame, field };
      }
      return undefined;
    },
    DIALOG_SECONDS,
  );
}

async function openProtected(scene: Scene): Promise<void> {
  const { person, field } = await openDialog(scene);
  try {
    await scene.picture(person, 'password');
    await field.click();
    await person.page.keyboard.type(PASSWORD);
    await person.page.keyboard.press('Enter');
    await person.loaded();
    await person.type();
    scene.tally.back.push(await person.saveAgain(Date.now(), SAVE_SECONDS));
    await scene.hear(person);
  } finally {
    await person.leave();
  }
}

async function cancelPassword(scene: Scene): Promise<void> {
  const { person, frame } = await openDialog(scene);
  try {
    await frame.click('#response-cancel, [id^="response-cancel"]');
    const seen = await waitFor(
      async () => (await person.seen()).find(({ event }) => event === 'onError'),
      CANCELLED_SECONDS,
    );
    await scene.picture(person, 'password-cancelled');
    await scene.hear(person);
    if (!seen)
      throw new Error(`the page reported nothing within ${CANCELLED_SECONDS} s; its state is ${await person.state()}`);
  } finally {
    await person.leave();
  }
}

async function insertPicture(scene: Scene): Promise<void> {
  scene.tally.rounds += 1;
  const folder = await mkdtemp(join(tmpdir(), 'svc-picture-'));
  try {
    const path = join(folder, 'picture.png');
    await writeFile(path, square(PICTURE_PIXELS));
    const document = await scene.offer();
    const person = await scene.open(document);
    const mark = await person.type();
    const field = (await (await person.frame()).$('#insertgraphic')) as ElementHandle<never> | null;
    await field?.uploadFile(path);
    const inserted = await waitFor(async () => {
      await person.save();
      return Object.keys(unzipSync(await document.versions.newest())).some((name) => name.startsWith('word/media/'));
    }, SAVE_SECONDS);
    await scene.expect(document, [mark]);
    await scene.hear(person);
    if (!inserted) throw new Error('no version has the picture');
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function expectPdf(scene: Scene, act: (person: Person) => Promise<void>): Promise<void> {
  scene.tally.rounds += 1;
  const person = await scene.open(await scene.offer());
  let found: string | undefined;
  person.page.on('response', (response) => {
    const type = response.headers()['content-type'] ?? '';
    if (response.url().includes('/download/') || type.includes('pdf')) found = `${response.status()} ${type}`;
  });
  await person.focus();
  await act(person);
  await need('a PDF', () => found, SAVED_SECONDS);
  await scene.hear(person);
  if (!found?.startsWith('200')) throw new Error(`the PDF was answered with ${found}`);
}

async function copyAndPaste(scene: Scene): Promise<void> {
  scene.tally.rounds += 1;
  const [from, to] = [await scene.offer(), await scene.offer()];
  const writer = await scene.open(from);
  const context = writer.page.browserContext();
  if (scene.options.browser === 'chromium') {
    for (const origin of [scene.portal.origin, scene.service.url]) {
      await context.overridePermissions(origin, ['clipboard-read', 'clipboard-write']);
    }
  }
  const mark = await writer.type();
  await writer.control('a');
  await seconds(SELECTED_SECONDS);
  await writer.control('c');
  await seconds(SELECTED_SECONDS);
  const reader = await openPerson(context, scene.portal.origin, to.configFor('Minh'));
  await reader.loaded();
  const own = await reader.type();
  await reader.control('v');
  await seconds(SELECTED_SECONDS);
  scene.tally.back.push(await reader.saveAgain(Date.now(), SAVE_SECONDS));
  await scene.hear(reader);
  await scene.expect(to, [own, mark], SAVED_SECONDS);
}
