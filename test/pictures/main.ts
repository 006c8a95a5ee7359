/**
 * Makes the pictures of the README: the demo page, a template beside the letter that is made of it, and what kubectl shows.
 * `npm run pictures` makes all of them, `npm run pictures -- kubectl` one. After `make test`, which installs what it needs.
 */
import { writePicture } from '../../scripts/examples/picture.ts';
import { letter } from './letter.ts';
import { demo, kubectl } from './screens.ts';

const PICTURES: Readonly<Record<string, () => Promise<string>>> = { demo, kubectl, letter };

const asked = process.argv.slice(2);
for (const [name, draw] of Object.entries(PICTURES)) {
  if (asked.length === 0 || asked.includes(name)) await writePicture(name, await draw());
}
// The API server that kubectl asks is ended with the process.
process.exit(0);
