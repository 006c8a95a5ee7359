import type { Person } from './person.ts';
import type { Document, Scene } from './scene.ts';
import { need } from './wait.ts';

/** The time that `save()` is called before it is given up. */
const BACK_SECONDS = 60;
const SAVED_SECONDS = 10;

/** A fault while somebody edits. Resolves as soon as the service is there again, with what was typed meanwhile. */
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
async function endureOnce(scene: Scene, name: string, open: Open, trouble: Trouble): Promise<boolean> {
  const { person } = open;
  const { tally } = scene;
  const from = (await person.seen()).length;
  const before = await person.type();
  const meanwhile = await trouble(person);
  const back = await person.saveAgain(Date.now(), BACK_SECONDS);
  tally.back.push(back);
  const after = back === undefined ? undefined : await person.type();
  const saved = after === undefined ? undefined : await person.save();
  await scene.hear(person, from);
  const isReported = (await person.seen()).slice(from).some(({ reason }) => reason === 'changes_lost');
  await scene.picture(person, `${name}-after`);
  if (saved?.code !== undefined) tally.faults.push(`round ${tally.rounds}: the second save() ended with ${saved.code}`);
  return look(scene, open, { before, meanwhile, after }, { version: saved?.version, isReported });
}

/**
 * Looks for what was typed, by when it was typed.
 * @param page.version that `save()` resolved with; it must hold all of it
 * @param page.isReported the page has reported that changes may be lost
 */
async function look(
  scene: Scene,
  { document, person }: Open,
  typed: Record<string, string | undefined>,
  { version, isReported }: { version: number | undefined; isReported: boolean },
): Promise<boolean> {
  const { tally } = scene;
  const words = Object.values(typed).filter((word) => word !== undefined);
  const describeMissing = (missing: readonly string[]): string =>
    Object.keys(typed)
      .filter((when) => missing.includes(typed[when] ?? ''))
      .join(' and ');
  const missing = version === undefined ? words : await document.versions.missing(words, SAVED_SECONDS);
  if (version !== undefined && missing.length > 0) {
    tally.faults.push(`round ${tally.rounds}: save() resolved without what was typed ${describeMissing(missing)}`);
  }
  // An open document is saved when its tab is closed.
  if (missing.length > 0) await person.leave();
  const lost = await scene.expect(document, words);
  if (lost.length > 0)
    tally.notes.push(
      `round ${tally.rounds}: lost what was typed ${describeMissing(lost)}${isReported ? ', which the page reported' : ''}`,
    );
  return missing.length === 0;
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
