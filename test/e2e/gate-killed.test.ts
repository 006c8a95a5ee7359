import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { type Stack, startStack } from '../support/stack.ts';
import { arrived, download, linesOf } from '../support/stack-steps.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const KILLS = 4;

describe('a gate that is killed', function () {
  this.timeout(120_000);
  let stack: Stack;
  afterEach(() => stack.stop());

  it(`a version that save() told of is there after a kill, and so is its callback, ${KILLS} times`, async () => {
    stack = await startStack({ process: true, environment: { SVC_LOG_LEVEL: 'error' } });
    // Leaves its compiled sources behind, so that the starts are quick.
    await stack.gate.stop();
    await stack.restart();
    const session = await stack.create();
    const client = await stack.open(session);
    const expected: string[] = [];
    for (let version = 1; version <= KILLS; version++) {
      await client.addLine(`bản ${version}`);
      expect(await stack.save(session, client)).to.equal(version);
      await stack.gate.kill();
      await stack.restart();
      const state = await stack.state(session);
      expect(state.version).to.equal(version);
      const bytes = await download(state.download_url);
      expect(linesOf(bytes).at(-1)).to.equal(`bản ${version}`);
      expected.push(sha256(bytes));
    }
    await arrived(stack, 'saved', KILLS);
    // What a kill cut off is sent once more, under its id.
    const once = new Map(stack.receiver.arrived.map(({ headers, body }) => [headers['x-svc-delivery'], body]));
    expect([...once.values()].map(({ version }) => version)).to.deep.equal(expected.map((_, index) => index + 1));
    expect([...once.values()].map((body) => body.sha256)).to.deep.equal(expected);
  });
});
