import type { CDPSession } from 'puppeteer-core';
import type { Day } from '../day.ts';
import { endure, type Trouble } from '../endure.ts';
import type { Person } from '../person.ts';
import type { Scene } from '../scene.ts';

/** Contract of the check: `save()` works so soon after the service is back. */
const WITHIN = 5;
/** 100 kB/s, and 300 ms from here to there and back. */
const SLOW = { bytesPerSecond: 100_000, delayMs: 150 };
const SLOW_SECONDS = 1.5;

/** Days on which the network fails between the browser and the service. */
export const NETWORK_DAYS: readonly Day[] = [
  reconnect('socket-cut', 'every connection is reset', ({ service }) => async () => {
    service.line.cut();
  }),
  reconnect('edge-reloaded', 'every connection is ended in order', ({ service }) => async () => {
    service.line.hangUp();
  }),
  reconnect('no-network', 'no network for 60 s, without an offline event', (scene) => async (person) => {
    const { line } = scene.service;
    line.lose('silently');
    await scene.pause(20, 10);
    await scene.picture(person, 'no-network');
    const meanwhile = await person.typeIfInvited();
    await scene.pause(40, 2);
    line.recover();
    return meanwhile;
  }),
  reconnect('offline', 'the browser is offline for 30 s', (scene) => async (person) => {
    const { line } = scene.service;
    const devTools = await openDevTools(scene, person);
    await devTools?.send('Network.enable');
    await setOffline(devTools, true);
    line.lose('openly');
    await scene.pause(5, 3);
    await scene.picture(person, 'offline');
    const meanwhile = await person.typeIfInvited();
    await scene.pause(25, 3);
    line.recover();
    await setOffline(devTools, false);
    return meanwhile;
  }),
  {
    name: 'mode-changed',
    about: 'every connection is reset, and the mode changed at once, to reading and back',
    play: (scene) => endure(scene, 'mode-changed', changeModes(scene)),
  },
  {
    name: 'slow-line',
    about: 'a document is opened and edited over 100 kB/s and 300 ms',
    async play(scene) {
      const { line } = scene.service;
      line.setSlowness(SLOW);
      try {
        await editSlowly(scene);
      } finally {
        line.setSlowness(undefined);
      }
    },
  },
];

function reconnect(name: string, about: string, trouble: (scene: Scene) => Trouble): Day {
  return { name, about, within: WITHIN, play: (scene) => endure(scene, name, trouble(scene)) };
}

function changeModes({ service, tally }: Scene): Trouble {
  return async ({ page }) => {
    service.line.cut();
    for (const on of [true, false]) {
      const ended = await page.evaluate(`editor.setReadOnly(${on}).catch(({ code }) => code)`);
      if (ended !== (on ? 'view' : 'edit')) tally.faults.push(`setReadOnly(${on}) ended with ${ended}`);
    }
    return undefined;
  };
}

async function editSlowly(scene: Scene): Promise<void> {
  scene.tally.rounds += 1;
  const document = await scene.offer();
  const began = Date.now();
  const person = await scene.open(document);
  scene.tally.notes.push(`loaded after ${((Date.now() - began) / 1000).toFixed(1)} s`);
  const marks = [await person.type()];
  await scene.pause(SLOW_SECONDS, SLOW_SECONDS);
  scene.tally.back.push(await person.saveAgain(Date.now(), 60));
  await scene.hear(person);
  await scene.expect(document, marks);
}

/** The protocol that makes Chromium think its machine is offline; Firefox finds out by itself. */
async function openDevTools({ options }: Scene, { page }: Person): Promise<CDPSession | undefined> {
  return options.browser === 'chromium' ? page.createCDPSession() : undefined;
}

async function setOffline(devTools: CDPSession | undefined, offline: boolean): Promise<void> {
  const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  await devTools?.send('Network.emulateNetworkConditions', { offline, ...unlimited });
}
