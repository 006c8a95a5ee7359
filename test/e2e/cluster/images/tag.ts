import { docker } from '../engine.ts';

/** Gives an image another tag as well. @returns its other name, `localhost/svc/gate:next` */
export async function tagImage(image: string, tag: string): Promise<string> {
  const other = image.replace(/:[^:]*$/, `:${tag}`);
  await docker('tag', image, other);
  return other;
}
