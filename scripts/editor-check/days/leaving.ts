import { launchBrowser } from '../browser.ts';
import type { Day } from '../day.ts';
import { endure, endureExit } from '../endure.ts';
import { need, seconds } from '../wait.ts';

const WITHIN = 5;
const CHANGE_SECONDS = 10;
/** Beside the time after which the editor closes a document: it looks every few seconds. */
const IDLE_EXTRA_SECONDS = 15;

/** Days on which somebody goes away, for a while or for good. */
export const LEAVING_DAYS: readonly Day[] = [
  {
    name: 'tab-closed-while-saving',
    about: 'save() is called, and the tab is closed in the same moment',
    play: (scene) =>
      endureExit(scene, async (leave, person) => {
        await person.begin('save()');
        await leave();
      }),
  },
  {
    name: 'browser-killed',
    about: 'the browser is killed after a word was typed',
    async play(scene) {
      const { options, tally } = scene;
      for (let round = 0; round < options.repeat; round++) {
        tally.rounds += 1;
        const browser = await launchBrowser(options.browser, options.browserPath);
        try {
          const document = await scene.offer();
          const person = await scene.open(document, 'Lan', browser);
          const mark = await person.type();
          await need('the change', () => person.isModified(), CHANGE_SECONDS);
          await browser.kill();
          await scene.expect(document, [mark]);
        } finally {
          if (browser.browser.connected) await browser.kill();
        }
      }
    },
  },
  {
    name: 'sleep',
    about: 'the machine sleeps for 10 minutes, and its connections are gone when it wakes',
    within: WITHIN,
    play: (scene) =>
      endure(
        scene,
        'sleep',
        async () => {
          const { browser, service } = scene;
          browser.sleep();
          service.line.cut();
          await scene.pause(600, 15);
          browser.wake();
        },
        1,
      ),
  },
  {
    name: 'idle',
    about: 'nobody touches the document until the editor closes it; then somebody clicks into it and types',
    lacks: ({ options }) => (options.idleSeconds === undefined ? 'needs --idle-seconds' : undefined),
    within: 10,
    play: (scene) =>
      endure(
        scene,
        'idle',
        async (person) => {
          await seconds((scene.options.idleSeconds ?? 0) + IDLE_EXTRA_SECONDS);
          await scene.picture(person, 'idle');
          await person.page.mouse.click(640, 400);
        },
        1,
      ),
  },
];
