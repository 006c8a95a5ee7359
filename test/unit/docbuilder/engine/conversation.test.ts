import { expect } from 'chai';
import { converse } from '../../../../cmd/docbuilder/engine/conversation.ts';

/** Speaks as a worker does, from JavaScript. */
const speaking = (script: string) => converse([process.execPath, '-e', script], {});

describe('engine: what a worker says', () => {
  it('is kept until it is asked for, and its end answers every question', async () => {
    const worker = await speaking(`console.log('{"ready":true}\\n{"answer":"done"}\\n{"died":"memory"}')`);
    await worker.ended;
    expect(await worker.next('answer')).to.deep.equal({ answer: 'done' });
    expect(await worker.next('closed')).to.equal(undefined);
    expect(worker.lastWords()).to.deep.equal({ died: 'memory' });
  });

  it('cannot fill the memory: who says more than anybody asks for is ended', async () => {
    const worker = await speaking(`setInterval(() => process.stdout.write('{"a":1}\\n'.repeat(1000)), 1)`);
    await worker.ended;
  });
});
