import { signEdDsa } from '../../src/common/crypto/jwt.ts';
import { parsePrivateKey, toPublic } from '../../src/common/crypto/key-set.ts';
import { readLicense } from '../../src/common/crypto/license.ts';
import { writeAtomic } from '../../src/common/fs/atomic.ts';
import { LICENSE_FEATURES, MIN_CONNS_PER_ORDER } from '../../src/common/plan.ts';
import { readArguments, readInput, UsageError } from './arguments.ts';
import { describeLicense } from './show.ts';

const DAY_SECONDS = 86_400;
const MAX_DAYS = 36_500;
const MAX_CONNS = 1_000_000;
const FEATURE = /^[a-z][a-z0-9_]{0,63}$/;

/** `mint`: signs a licence token, to stdout or a file; stderr gets its contents. */
export async function mint(args: readonly string[]): Promise<number> {
  const options = readArguments(args, ['key', 'conns', 'days', 'sub'], ['features', 'out']);
  const mistakes: string[] = [];
  const conns = integer('conns', options.conns, MAX_CONNS, mistakes);
  const days = integer('days', options.days, MAX_DAYS, mistakes);
  const features = options.features?.split(',').map((feature) => feature.trim()) ?? [];
  if (!features.every((feature) => FEATURE.test(feature))) {
    mistakes.push('--features must be a comma-separated list of names in lower case, such as api_full,callback');
  }
  const sub = options.sub.trim();
  if (sub.length === 0 || sub.length > 200) mistakes.push('--sub must have 1 to 200 characters');
  if (mistakes.length > 0) throw new UsageError(...mistakes);

  const key = parsePrivateKey(await readInput(options.key));
  if (!key.ok) throw new UsageError(`cannot sign with ${options.key}: ${key.problem}`);
  const now = Date.now();
  const iat = Math.floor(now / 1000);
  const token = await signEdDsa({ sub, conns, features, iat, exp: iat + days * DAY_SECONDS }, key.value);

  // Read back as the service will read it, before it is handed to anybody.
  const state = await readLicense(token, new Map([[key.value.kid, toPublic(key.value)]]), now);
  if (state.state !== 'valid') throw new UsageError(`the service would refuse this licence: ${state.problem}`);
  console.error(describeLicense(state));
  if (conns < MIN_CONNS_PER_ORDER) console.error(`note: orders are for at least ${MIN_CONNS_PER_ORDER} connections`);
  const unknown = features.filter((feature) => !LICENSE_FEATURES.includes(feature));
  if (unknown.length > 0) {
    console.error(
      `note: ${unknown.join(', ')} has no effect in this service; known features are ${LICENSE_FEATURES.join(', ')}`,
    );
  }
  if (options.out === undefined) {
    console.log(token);
  } else {
    await writeAtomic(options.out, `${token}\n`, { durable: true });
    console.error(`token        ${options.out}`);
  }
  return 0;
}

function integer(name: string, text: string, max: number, mistakes: string[]): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) mistakes.push(`--${name} must be a whole number from 1 to ${max}`);
  return value;
}
