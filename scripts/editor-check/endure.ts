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
  const marks = [await person.type()];
  const meanwhile = await trouble(person);
  if (meanwhile !== undefined) marks.push(meanwhile);
  const back = await person.saveAgain(Date.now(), BACK_SECONDS);
  scene.tally.back.push(back);
  if (back !== undefined) {
    marks.push(await person.type());
    await person.save();
  }
  await scene.hear(person, from);
  await scene.picture(person, `${name}-after`);
  // One that does not obey saves what it has when its tab is closed.
  if (back === undefined) await person.leave();
  const lost = await scene.expect(document, marks, back === undefined ? undefined : SAVED_SECONDS);
  return back !== undefined && lost === 0;
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
