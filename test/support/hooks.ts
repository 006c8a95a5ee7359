import { expect } from 'chai';
import type { Context, RootHookObject } from 'mocha';
import { end } from './at-end.ts';
import { leaks, loggedLines } from './logs.ts';

/**
 * Before the first test of a run of others and of tests on a cluster, the cluster begins to be made, beside the others.
 * After the last test of a run: what test files share is stopped, and no line that any service logged holds a key, a
 * token, a password or document text.
 */
export const mochaHooks: RootHookObject = {
  async beforeAll(this: Context) {
    const files = (this.test?.parent?.suites ?? []).map(({ file = '' }) => file);
    const isOnCluster = (file: string) => file.includes('/test/e2e/cluster/');
    if (files.some(isOnCluster) && !files.every(isOnCluster)) {
      (await import('../e2e/cluster/ground.ts')).prepareGround();
    }
  },
  async afterAll() {
    await end();
    expect(leaks(), `of ${loggedLines().length} logged lines, those that hold a secret`).to.deep.equal([]);
  },
};
