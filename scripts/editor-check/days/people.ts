import type { EmbedSession } from '../../../src/common/generated/wire.ts';
import type { Day } from '../day.ts';
import { useKeyboard } from '../keyboard.ts';
import type { Saved } from '../person.ts';
import type { Document, Scene } from '../scene.ts';
import { need } from '../wait.ts';

const PEOPLE = ['Lan', 'Minh', 'Hương', 'Tuấn', 'Mai'];
/** Saves that are asked for together end together. */
const SPREAD_SECONDS = 2;
/** Contract of the editor: half a minute after the last key. */
const AUTOSAVE_SECONDS = 120;
const SAVED_SECONDS = 15;

/** Days with several people, and one without a save. */
export const PEOPLE_DAYS: readonly Day[] = [
  {
    name: 'autosave',
    about: 'somebody types and does nothing more',
    async play(scene) {
      const { tally, portal } = scene;
      tally.rounds += 1;
      const document = await scene.offer();
      const person = await scene.open(document);
      const began = Date.now();
      await scene.expect(document, [await person.type()], AUTOSAVE_SECONDS);
      tally.notes.push(`stored after ${((Date.now() - began) / 1000).toFixed(0)} s`);
      await need(
        'a callback of an autosave',
        () => portal.callbacks.some((callback) => callback.autosave),
        SAVED_SECONDS,
      );
      await scene.hear(person);
    },
  },
  {
    name: 'five-people',
    about: 'five people type into one document and all save at the same time',
    async play(scene) {
      const { tally } = scene;
      tally.rounds += 1;
      const document = await scene.offer();
      const people = await Promise.all(PEOPLE.map((name) => scene.open(document, name)));
      const marks: string[] = [];
      for (const person of people) marks.push(await person.type());
      const saves = await Promise.all(people.map((person) => person.save()));
      await scene.expect(document, marks, SAVED_SECONDS);
      for (const person of people) await scene.hear(person);
      judgeSaves(scene, saves);
    },
  },
  {
    name: 'two-tabs',
    about: 'one session in two tabs, and a word typed in each',
    async play(scene) {
      scene.tally.rounds += 1;
      const document = await scene.offer();
      const session = await createSession(scene, document);
      const context = await scene.browser.browser.createBrowserContext();
      try {
        const marks: string[] = [];
        for (const name of ['first', 'second']) {
          const page = await context.newPage();
          await page.goto(`${scene.portal.origin}/${name}`);
          await page.evaluate(submit(`${scene.service.url}${session.editor_url}`, session.form));
          const keyboard = useKeyboard(page);
          marks.push(await keyboard.type());
          await keyboard.control('s');
        }
        await scene.expect(document, marks, SAVED_SECONDS);
      } finally {
        await context.close();
      }
    },
  },
];

function judgeSaves({ tally }: Scene, saves: readonly Saved[]): void {
  const refused = saves.filter(({ version }) => version === undefined);
  if (refused.length > 0) throw new Error(`save() failed: ${refused.map(({ code }) => code).join(', ')}`);
  const times = saves.map((saved) => saved.seconds);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  tally.notes.push(`save() ${first.toFixed(1)} to ${last.toFixed(1)} s`);
  if (last - first > SPREAD_SECONDS) throw new Error(`save() of one took ${(last - first).toFixed(1)} s longer`);
}

async function createSession({ service }: Scene, document: Document): Promise<EmbedSession> {
  const answer = await fetch(`${service.gateUrl}/svc/embed/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(document.configFor('Lan')),
  });
  if (answer.status !== 201) throw new Error(`the gate answers ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as EmbedSession;
}

/** Code that opens a session's page in a frame, as portals without the library do. */
export function submit(action: string, fields: object): string {
  return `{
    const frame = document.body.appendChild(Object.assign(document.createElement('iframe'), { name: 'plain' }));
    frame.style = 'width: 100%; height: 100vh; border: 0; position: absolute; top: 0; left: 0';
    const form = Object.assign(document.createElement('form'), { method: 'POST', target: 'plain', action: ${JSON.stringify(action)} });
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
    }
    document.body.append(form);
    form.submit();
  }`;
}
