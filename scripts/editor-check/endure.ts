import type { Person } from './person.ts';
import type { Document, Scene } from './scene.ts';
import { need } from './wait.ts';

/** How long `save()` is called before it is given up. */
const BACK_SECONDS = 60;
const SAVED_SECONDS = 10;

/** What goes wrong while somebody edits. Resolves as soon as the service is there again, with what was typed meanwhile. */
export type Trouble = (person: Person) => Promise<string | undefined>;

/**
 * Somebody types, something goes wrong, the service comes back, and they save and type on: all that was typed has to be
 * in the document. Of a document that does not come back, the next round opens another.
 * @param rounds how often; `--repeat` unless given
 */
export async function endure(
  scene: Scene,
  name: string,
  trouble: Trouble,
  rounds = scene.options.repeat,
): Promise<void> {
  let open: Open | undefined;
  for (let round = 0; round < rounds; round++) {
    scene.tally.rounds += 1;
    open ??= await openOne(scene);
    if (await endureOnce(scene, name, open, trouble)) continue;
    await open.person.leave();
    open = undefined;
  }
}

interface Open {
  document: Document;
  person: Person;
}

async function openOne(scene: Scene): Promise<Open> {
  const document = await scene.offer();
  return { document, person: await scene.open(document) };
}

/** @returns false when the page does not obey any more, or something was lost */
async function endureOnce(scene: Scene, name: string, { document, person }: Open, trouble: Trouble): Promise<boolean> {
  const from = (await person.told()).length;
  const before = await person.type();
  const meanwhile = await trouble(person);
  const back = await person.saveAgain(Date.now(), BACK_SECONDS);
  scene.tally.back.push(back);
  const after = back === undefined ? undefined : await person.type();
  if (after !== undefined) await person.save();
  await scene.hear(person, from);
  await scene.picture(person, `${name}-after`);
  // One that does not obey saves what it has when its tab is closed.
  if (back === undefined) await person.leave();
  const typed = Object.entries({ before, meanwhile, after }).filter(([, word]) => word !== undefined) as [
    string,
    string,
  ][];
  const words = typed.map(([, word]) => word);
  const lost = await scene.expect(document, words, back === undefined ? undefined : SAVED_SECONDS);
  const when = typed.filter(([, word]) => lost.includes(word)).map(([name]) => name);
  if (when.length > 0) scene.tally.notes.push(`lost in round ${scene.tally.rounds}: typed ${when.join(' and ')}`);
  return back !== undefined && lost.length === 0;
}

/** Somebody types and leaves, and something goes wrong at that moment: what was typed has to be in the document. */
export async function endureExit(
  scene: Scene,
  trouble: (leave: () => Promise<void>, person: Person) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < scene.options.repeat; round++) {
    scene.tally.rounds += 1;
    const { document, person } = await openOne(scene);
    const mark = await person.type();
    await need('the change', () => person.isModified(), SAVED_SECONDS);
    await trouble(() => person.leave(), person);
    await scene.expect(document, [mark]);
  }
}
