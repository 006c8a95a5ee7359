import { config, expect } from 'chai';
import type { Context, RootHookObject } from 'mocha';
import { browserEnding, clusterEnding, runEnding } from './at-end.ts';
import { leaks, loggedLines } from './logs.ts';

// By default a message says `[ Array(1) ]` of what differs.
config.truncateThreshold = 2_000;

/**
 * Before the first test of a run of others and of tests on a cluster, the cluster begins to be made, beside the others;
 * after a failed test on it, its state is printed; after the last one, it ends, as browsers do after theirs.
 * After the last test of a run: what test files share is stopped, and no line that any service logged holds a key, a token, a password or document
 * text.
 */
export const mochaHooks: RootHookObject = {
  async beforeAll(this: Context) {
    const suites = this.test?.parent?.suites ?? [];
    const onCluster = suites.filter(({ file }) => file?.includes('/test/e2e/cluster/'));
    if (onCluster.length > 0 && onCluster.length < suites.length) {
      (await import('../e2e/cluster/ground.ts')).prepareGround();
    }
    onCluster.at(-1)?.afterAll('the cluster ends', () => clusterEnding.end());
    const inBrowsers = suites.findLast(({ file }) => file?.includes('/test/browser/'));
    inBrowsers?.afterAll('the browsers end', () => browserEnding.end());
  },
  async afterEach(this: Context) {
    const { state, file } = this.currentTest ?? {};
    // One that is to be run again has no state.
    if (state === 'passed' || state === 'pending' || !file?.includes('/test/e2e/cluster/')) return;
    process.stderr.write(`${await (await import('../e2e/cluster/ground.ts')).describeGround()}\n`);
  },
  async afterAll() {
    for (const ending of [clusterEnding, browserEnding, runEnding]) await ending.end();
    expect(leaks(), `of ${loggedLines().length} logged lines, those that hold a secret`).to.deep.equal([]);
  },
};
