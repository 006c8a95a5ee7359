import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type LicenseKeys, watchLicenseKeys } from '../../../../cmd/controller/reconcile/license.ts';
import { generateEd25519, toPublic } from '../../../../src/common/crypto/key-set.ts';
import { writeAtomic } from '../../../../src/common/fs/atomic.ts';
import { testLogger } from '../../../support/logs.ts';
import { until } from '../../../support/until.ts';

const KEYS = JSON.stringify({ keys: [toPublic(generateEd25519('2026'))] });
const NO_KEYS = '{"keys":[]}';

describe("the controller's key set", () => {
  let folder: string;
  let path: string;
  let keys: LicenseKeys | undefined;
  let changes: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'license-keys-'));
    path = join(folder, 'keys.json');
    changes = 0;
  });

  afterEach(async () => {
    keys?.stop();
    keys = undefined;
    await rm(folder, { recursive: true });
  });

  async function start(text: string): Promise<LicenseKeys> {
    await writeFile(path, text);
    const onChange = () => {
      changes += 1;
    };
    keys = await watchLicenseKeys(path, { log: testLogger(), onChange });
    return keys;
  }

  it('may have no keys, from the start', async () => {
    expect((await start(NO_KEYS)).current()).to.equal(NO_KEYS);
  });

  it('loses its last key as soon as that is taken out', async () => {
    const { current } = await start(KEYS);
    await writeAtomic(path, NO_KEYS);
    await until('the empty set', () => current() === NO_KEYS || undefined);
    expect(changes).to.equal(1);
  });

  it('may not be broken at the start: whoever still has a good one is not to be replaced', async () => {
    for (const text of ['', '{', '{"keys":[{"kty":"RSA"}]}']) {
      const error = await start(text).catch((reason: Error) => reason);
      expect(error).to.be.instanceOf(Error);
    }
  });
});
