import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hasEngine } from '../engine.ts';
import { buildah } from './buildah.ts';

/** Gives an image another tag as well. @returns its other name, `localhost/svc/gate:next` */
export async function tagImage(cache: string, image: string, tag: string): Promise<string> {
  const other = image.replace(/:[^:]*$/, `:${tag}`);
  if (hasEngine()) await promisify(execFile)('docker', ['tag', image, other]);
  else await buildah(cache, ['tag', image, other]);
  return other;
}
