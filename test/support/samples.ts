import { gunzipSync } from 'node:zlib';
import samples from './samples.json' with { type: 'json' };

/**
 * Documents as LibreOffice 7.4 writes them (the odt that is encrypted as a whole: 25.2), of kinds that no test can make by
 * itself; packed, in base64. The encrypted ones open with `bí mật` (docx, xlsx) and `secret` (doc, xls, odt).
 */
export const SAMPLE_NAMES = Object.keys(samples) as SampleName[];
export type SampleName = keyof typeof samples;

export function sample(name: SampleName): Buffer {
  return gunzipSync(Buffer.from(samples[name], 'base64'));
}
