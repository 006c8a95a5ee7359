import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Save, Script } from '../../../src/common/generated/script.ts';
import type { Job } from '../../../src/common/generated/wire.ts';
import { startCanary } from '../../support/canary.ts';
import { startEnterprise } from '../../support/service.ts';

const NOW = new Date('2026-11-21T08:30:00Z');
/** Address of a picture in scripts, and a PNG of 40 by 30 pixels that is found there. */
const PICTURE_URL = 'http://pictures.invalid/picture.png';
const SERVED = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAAK0lEQVR4nO3NMQ0AAAgDsMmZfxXIQgYcTfo3056IWCwWi8VisVgsFov/xguJMCDM2TzTeAAAAABJRU5ErkJggg==',
  'base64',
);

/** A service that builds scripts on one day, with the picture that they name. */
export async function startBuilder() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-property-'));
  const pictures = await startCanary((_, response) => void response.end(SERVED));
  const host = `127.0.0.1:${pictures.port}`;
  // The licence was written today.
  let clock = Date.now;
  const service = await startEnterprise({ SVC_FETCH_ALLOW_HOSTS: host }, { clock: () => clock() });
  clock = () => NOW.getTime();
  return {
    /** Makes every file that a script of several formats wants; they are there until `stop`. */
    async build(script: Script, save: Save[]): Promise<{ format: string; path: string }[]> {
      const body = JSON.stringify({ ...script, save }).replaceAll(PICTURE_URL, `http://${host}/picture.png`);
      const response = await service.post('/v1/build', `{"script":${body},"async":true}`);
      if (response.status !== 202) throw new Error(await response.text());
      const { id } = (await response.json()) as Job;
      const { outputs, error } = await service.ended(id);
      if (error) throw new Error(JSON.stringify(error));
      return Promise.all(
        outputs.map(async ({ format, url }, index) => {
          const answer = await service.call(new URL(url).pathname);
          const path = join(folder, `${id}-${index}.${format}`);
          await writeFile(path, Buffer.from(await answer.arrayBuffer()));
          return { format, path };
        }),
      );
    },
    async stop() {
      await Promise.all([service.stop(), pictures.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
