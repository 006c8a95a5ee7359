import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { IdIssuer } from '../../../cmd/docbuilder/jobs/ids.ts';
import { requestId } from '../../../src/common/http/errors.ts';

const now = Date.UTC(2026, 10, 21, 8, 0, 0);

describe('ids', () => {
  const issuer = new IdIssuer(randomBytes(32));

  it('have the forms of the contract, and do not repeat within a second', () => {
    expect(requestId()).to.match(/^req_[0-9a-f]{16}$/);
    expect(issuer.issue('file', now)).to.match(/^file_[0-9a-f]{24}$/);
    const ids = new Set(Array.from({ length: 5000 }, () => issuer.issue('job', now)));
    expect(ids.size).to.equal(5000);
    for (const id of ids) expect(id).to.match(/^job_[0-9a-f]{24}$/);
  });

  it('say when they were issued: proven by the key, to a later process too, or by their word alone', () => {
    const key = randomBytes(32);
    const id = new IdIssuer(key).issue('job', now);
    expect(new IdIssuer(key).issuedAt('job', id)).to.equal(now);
    expect(issuer.getTime(id)).to.equal(now);
    expect(issuer.getTime(issuer.issue('file', 999))).to.equal(0);
    for (const other of ['', 'job_', 'lost+found', 'x_y']) expect(issuer.getTime(other), other).to.be.NaN;
    expect(() => new IdIssuer(randomBytes(31))).to.throw(TypeError);
  });

  it('of siblings lead to each other, and to nothing else', () => {
    const job = issuer.issue('job', now);
    const files = [0, 1, 15].map((index) => issuer.sibling(job, 'file', index));
    expect(new Set(files).size).to.equal(3);
    for (const file of files) {
      expect(file).to.match(/^file_[0-9a-f]{24}$/);
      expect(issuer.issuedAt('file', file)).to.equal(now);
      expect(issuer.sibling(file, 'job')).to.equal(job);
    }
    expect(issuer.issuedAt('file', job.replace('job', 'file'))).to.equal(undefined);
    expect(() => issuer.sibling(job, 'file', 16)).to.throw(RangeError);
  });

  it('of another kind, another key or nobody are not recognised', () => {
    const id = issuer.issue('job', now);
    expect(issuer.issuedAt('file', id.replace('job', 'file'))).to.equal(undefined);
    expect(new IdIssuer(randomBytes(32)).issuedAt('job', id)).to.equal(undefined);
    fc.assert(
      fc.property(fc.string(), (text) => issuer.issuedAt('job', text) === undefined),
      { numRuns: 200 },
    );
  });
});
