import { type Day, lacksCommands } from '../day.ts';
import { endure, endureExit } from '../endure.ts';
import { need, seconds } from '../wait.ts';

/** Contract of the check: `save()` works so soon after a broken connection is back. */
const WITHIN = 5;
/** An editor that was refused waits, and so does one that starts: as long as `save()` does. */
const SAVE_SECONDS = 30;
const AWAY_SECONDS = 3;
const SAVE_BEGINS_SECONDS = 60;

/** Days on which a part of the service is killed. */
export const SERVICE_DAYS: readonly Day[] = [
  {
    name: 'front-replaced',
    about: 'the front is killed, another one is there at once',
    within: WITHIN,
    play: (scene) =>
      endure(scene, 'front-replaced', async () => {
        const { front } = scene.service;
        await front.kill();
        await front.start();
      }),
  },
  {
    name: 'front-away',
    about: 'the front is killed, and started 3 s later',
    within: WITHIN,
    play: (scene) =>
      endure(scene, 'front-away', async (person) => {
        const { front } = scene.service;
        await front.kill();
        await seconds(AWAY_SECONDS / 2);
        await scene.picture(person, 'front-away');
        const meanwhile = await person.typeIfInvited();
        await seconds(AWAY_SECONDS / 2);
        await front.start();
        return meanwhile;
      }),
  },
  {
    name: 'gate-killed',
    about: 'the gate is killed while somebody edits, and started 2 s later',
    within: SAVE_SECONDS,
    play: (scene) =>
      endure(scene, 'gate-killed', async (person) => {
        const { gate } = scene.service;
        await gate.kill();
        const meanwhile = await person.typeIfInvited();
        await seconds(2);
        await gate.start();
        return meanwhile;
      }),
  },
  {
    name: 'gate-killed-at-exit',
    about: 'the gate is killed, the tab is closed, the gate is started 5 s later',
    play: (scene) =>
      endureExit(scene, async (leave) => {
        const { gate } = scene.service;
        await gate.kill();
        await leave();
        await seconds(5);
        await gate.start();
      }),
  },
  {
    name: 'gate-killed-in-exit-save',
    about: 'the tab is closed, and the gate is killed as the first byte of the save arrives',
    play: (scene) =>
      endureExit(scene, async (leave) => {
        const { gate, saveBegins } = scene.service;
        const save = saveBegins();
        await leave();
        const begins = save.then(() => true);
        await need('the save', () => Promise.race([begins, seconds(0.1).then(() => false)]), SAVE_BEGINS_SECONDS);
        await gate.kill();
        await gate.start();
      }),
  },
  {
    name: 'editor-killed',
    about: 'the editor is killed after a save, and started again',
    lacks: lacksCommands,
    within: SAVE_SECONDS,
    play: (scene) =>
      endure(scene, 'editor-killed', async (person) => {
        const { editor } = scene.service;
        await person.save();
        await editor?.kill();
        await seconds(1);
        const meanwhile = await person.typeIfInvited();
        await scene.picture(person, 'editor-killed');
        await editor?.start();
        return meanwhile;
      }),
  },
];
