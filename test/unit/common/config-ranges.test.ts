import { expect } from 'chai';
import { loadConfig as loadDocbuilder } from '../../../cmd/docbuilder/config.ts';
import { loadConfig as loadGate } from '../../../cmd/gate/config.ts';
import { ConfigError, type Environment } from '../../../src/common/config.ts';

function blamed(load: (environment: Environment) => unknown, environment: Environment): string[] {
  try {
    load(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes.map(({ path }) => path);
    throw error;
  }
}

describe('variables with a range', () => {
  for (const [load, variable, least, most] of [
    [loadDocbuilder, 'SVC_DOCBUILDER_WORKERS', 1, 32],
    [loadDocbuilder, 'SVC_DOCBUILDER_WORKER_MAX_JOBS', 1, 100_000],
    [loadDocbuilder, 'SVC_DOCBUILDER_WORKER_MAX_AGE_MINUTES', 1, 10_080],
    [loadDocbuilder, 'SVC_DOCBUILDER_MAX_FILE_MB', 1, 100_000],
    [loadDocbuilder, 'SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS', 1, 100_000],
    [loadGate, 'SVC_GATE_CONNECTION_CAP', 0, 1_000_000],
    [loadGate, 'SVC_EMBED_MAX_FILE_MB', 1, 2048],
    [loadGate, 'SVC_EMBED_SESSION_TTL_MINUTES', 1, 43_200],
    [loadGate, 'SVC_EMBED_RETAIN_HOURS', 1, 8760],
  ] as const) {
    it(`${variable}: whole numbers from ${least} to ${most}`, () => {
      for (const good of [least, most]) expect(blamed(load, { [variable]: String(good) })).to.deep.equal([]);
      for (const bad of [least - 1, most + 1, least + 0.5, `${least}x`, '']) {
        const wrong = bad === '' ? [] : [variable];
        expect(blamed(load, { [variable]: String(bad) }), String(bad)).to.deep.equal(wrong);
      }
    });
  }
});
