import { expect } from 'chai';
import type { RootHookObject } from 'mocha';
import { leaks, loggedLines } from './logs.ts';

/** After the last test of a run: no line that any service logged holds a key, a token, a password or document text. */
export const mochaHooks: RootHookObject = {
  afterAll() {
    expect(leaks(), `of ${loggedLines().length} logged lines, those that hold a secret`).to.deep.equal([]);
  },
};
