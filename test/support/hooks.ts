import { expect } from 'chai';
import type { RootHookObject } from 'mocha';
import { end } from './at-end.ts';
import { leaks, loggedLines } from './logs.ts';

/**
 * After the last test of a run: what test files share is stopped, and no line that any service logged holds a key, a
 * token, a password or document text.
 */
export const mochaHooks: RootHookObject = {
  async afterAll() {
    await end();
    expect(leaks(), `of ${loggedLines().length} logged lines, those that hold a secret`).to.deep.equal([]);
  },
};
