import { expect } from 'chai';
import { refusalOf } from '../../../../cmd/controller/k8s/api-error.ts';

describe('what the API server refuses', () => {
  const told = (message: string) => refusalOf('PATCH /x', 422, { kind: 'Status', reason: 'Invalid', message }).message;

  it('is told in one line, as people read it in a condition', () => {
    const policy = 'admission webhook denied the request: \n\nDeployment a was blocked:\n\nlabels:\n  team: missing\n';
    expect(told(policy)).to.equal(
      'PATCH /x: 422 Invalid admission webhook denied the request: Deployment a was blocked: labels: team: missing',
    );
  });

  it("is told without the API server's comparison of the two", () => {
    const message = 'spec: Forbidden: spec is immutable\n@@ -6,7 +6,7 @@\n  "Requests": {\n-   "storage": "20Gi"\n';
    expect(told(message)).to.equal('PATCH /x: 422 Invalid spec: Forbidden: spec is immutable');
  });
});
