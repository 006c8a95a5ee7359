import { expect } from 'chai';
import { sessionStateView } from '../../../../cmd/gate/domain/session-view.ts';
import { documentRecord, sessionRecord, versionRecord } from '../../../support/gate-records.ts';

describe('session state: save', () => {
  const versions = [
    versionRecord(),
    versionRecord({ version: 1, nonce: 'mine' }),
    versionRecord({ version: 2, nonce: 'theirs' }),
    versionRecord({ version: 3, autosave: true }),
    versionRecord({ version: 4, final: true }),
  ];
  const saveOf = (nonce?: string, kept = versions) =>
    sessionStateView({
      session: sessionRecord(),
      document: documentRecord({ version: kept.length - 1 }),
      versions: kept,
      current: kept.at(-1) ?? versionRecord(),
      modified: false,
      users: [],
      downloadUrl: '',
      loadedAt: null,
      nonce,
      now: 1_000,
    }).save;

  it('is the one that was asked after, although somebody else has saved since', () => {
    expect(saveOf('mine')).to.deep.equal({ nonce: 'mine', version: 1 });
    expect(saveOf('theirs')).to.deep.equal({ nonce: 'theirs', version: 2 });
  });

  it('is the last that was asked for when none is asked after, or it is not stored', () => {
    expect(saveOf()).to.deep.equal({ nonce: 'theirs', version: 2 });
    expect(saveOf('unknown')).to.deep.equal({ nonce: 'theirs', version: 2 });
    expect(saveOf('mine', versions.slice(0, 1))).to.equal(null);
  });
});
