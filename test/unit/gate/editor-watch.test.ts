import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { EditorWatch } from '../../../cmd/gate/domain/editor-watch.ts';
import type { EditorSample, SamplingHandlers, SharedText } from '../../../cmd/gate/domain/ports.ts';
import { silentLogger } from '../../support/logs.ts';
import { createSharedText } from '../../support/shared-text.ts';
import { until } from '../../support/until.ts';

const sampleAt = (at: number, ...modified: string[]): EditorSample => ({
  at,
  views: [{ docId: 'doc_a', wopiSrc: 'http://gate/doc_a', userId: 'ses_a', viewId: '1', readonly: false }],
  documents: 1,
  modified,
});

describe('what the leader sees of the editor', () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  function gate(shared: SharedText | undefined) {
    const samples: EditorSample[] = [];
    let handlers: SamplingHandlers | undefined;
    let forgotten = 0;
    const watch = new EditorWatch({
      editor: {
        sampling(given) {
          handlers = given;
          return () => {
            handlers = undefined;
          };
        },
        forgetPages: () => {
          forgotten += 1;
        },
      },
      shared,
      onSample: async (sample) => void samples.push(sample),
      log: silentLogger(),
      pollMs: 10,
    });
    void watch.follow();
    ends.push(() => watch.end());
    return {
      watch,
      samples,
      forgotten: () => forgotten,
      /** Lets the leader's editor say something. */
      says: () => handlers as SamplingHandlers,
    };
  }

  /** Starts two gates, of which the first leads an editor that is well. */
  function startTwo() {
    const shared = createSharedText();
    const leader = gate(shared);
    const other = gate(shared);
    leader.watch.start();
    leader.says().onState('ok');
    return { shared, leader, other };
  }

  it('is known to all others, each sample once, with its documents and their changes', async () => {
    const { shared, leader, other } = startTwo();
    leader.says().onSample(sampleAt(1, 'doc_a'));
    await until('the other knows', () => other.samples.at(-1));
    expect(other.samples.at(-1)).to.deep.equal(sampleAt(1, 'doc_a'));
    const late = gate(shared);
    await late.watch.follow();
    expect([late.watch.state(), late.samples.at(-1)?.at], 'known at its start').to.deep.equal(['ok', 1]);
    leader.says().onState('auth_failed');
    await until('the state is known', () => other.watch.state() === 'auth_failed');
    leader.says().onSample(sampleAt(2));
    await until('the next', () => other.samples.length === 2);
    expect(other.samples.map(({ at }) => at)).to.deep.equal([1, 2]);
    expect(other.samples.at(-1)?.modified).to.deep.equal([]);
    other.watch.end();
    leader.says().onSample(sampleAt(3));
    await sleep(50);
    expect(other.samples, 'it has ended').to.have.length(2);
  });

  it('goes on with another leader, which begins with the last sample', async () => {
    const { leader: first, other: second } = startTwo();
    first.says().onSample(sampleAt(1));
    await until('the second knows', () => second.samples.at(-1));
    await first.watch.stop?.();
    second.watch.start();
    expect(second.says().previous).to.deep.equal(sampleAt(1));
    expect(second.watch.state()).to.equal('ok');
    second.says().onState('ok');
    second.says().onSample(sampleAt(2));
    await until('the first knows', () => first.samples.at(-1)?.at === 2);
  });

  it('makes every gate forget the pages of an editor that was lost, or may be another one', async () => {
    const { leader, other } = startTwo();
    await until('the other knows', () => other.watch.state() === 'ok');
    expect([leader.forgotten(), other.forgotten()]).to.deep.equal([0, 0]);
    // It is back before the others look.
    leader.says().onState('down');
    leader.says().onState('ok');
    await until('the other has forgotten, too', () => other.forgotten() > 0);
    expect([leader.forgotten(), other.watch.state()]).to.deep.equal([1, 'ok']);
  });
});
