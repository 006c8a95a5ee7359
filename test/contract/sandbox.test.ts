import { expect } from 'chai';
import type { DocbuilderStatus } from '../../src/common/generated/wire.ts';
import { txt } from '../support/open-documents.ts';
import { startService } from '../support/service.ts';

describe('the sandbox in force', () => {
  for (const kind of ['namespaces', 'landlock', 'off'] as const) {
    it(`${kind}: is shown by GET /v1/status, and documents are converted in it`, async function () {
      const service = await startService({ SVC_DOCBUILDER_SANDBOX: kind }).catch((error: Error) => error);
      // A machine that has no such sandbox refuses to start with it: that is the promise then.
      if (service instanceof Error) {
        expect(kind).to.not.equal('off');
        expect(service.message).to.contain(kind);
        return this.skip();
      }
      try {
        expect(((await (await fetch(`${service.url}/v1/status`)).json()) as DocbuilderStatus).sandbox).to.equal(kind);
        const response = await service.convert(txt(), 'a.txt', { to: 'pdf' });
        expect(response.status).to.equal(200);
        await response.arrayBuffer();
      } finally {
        await service.stop();
      }
    });
  }
});
