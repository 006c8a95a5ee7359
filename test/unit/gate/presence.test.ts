import { expect } from 'chai';
import type { SessionRecord } from '../../../cmd/gate/domain/model.ts';
import type { EditorView, RowsReader } from '../../../cmd/gate/domain/ports.ts';
import { createPresence, type Presence } from '../../../cmd/gate/domain/presence.ts';
import { DOC, OTHER_DOC, createView as view } from '../../support/gate-openings.ts';
import { silentLogger } from '../../support/logs.ts';

const an = { id: 'an', name: 'An' };
const be = { id: 'be', name: 'Bé' };
const sessions = [
  { sessionId: 'ses_1', docId: DOC, user: an },
  { sessionId: 'ses_2', docId: DOC, user: be },
  { sessionId: 'ses_3', docId: DOC, user: an },
];

type Listed = Parameters<Presence['lists']>[0];

function start(known: readonly Pick<SessionRecord, 'sessionId' | 'docId' | 'user'>[] = sessions) {
  const byId = new Map(known.map((session) => [session.sessionId, session]));
  const state = { broken: false, lookups: [] as string[] };
  const reader = {
    async sessionsById(ids: readonly string[]) {
      state.lookups.push(...ids);
      if (state.broken) throw new Error('the disk is gone');
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
  } as unknown as RowsReader;
  const presence = createPresence({ rows: { read: async (work) => work(reader) }, log: silentLogger() });
  const see = (at: number, views: EditorView[], modified: string[] = []) =>
    presence.observe({ at, views, documents: 1, modified });
  return { state, presence, see };
}

describe('presence', () => {
  it('tells the people of a document, each once, and whether it has changes, while they have views of their own document', async () => {
    const { presence, see } = start();
    const [first, second] = ['ses_1', 'ses_2'].map((sessionId) => ({ sessionId, docId: DOC })) as [Listed, Listed];
    const readAll = () => [
      ...[presence.sampledAt(), presence.users(DOC), presence.hasViews(DOC), presence.hasViews(OTHER_DOC)],
      ...[presence.modified(DOC), presence.modified(OTHER_DOC), presence.lists(first), presence.lists(second)],
    ];
    expect(readAll()).to.deep.equal([null, [], false, false, false, false, false, false]);
    await see(7, [view('ses_1'), view('ses_2'), view('ses_3'), view('x', null)], [DOC]);
    expect(readAll()).to.deep.equal([7, [an, be], true, false, true, false, true, true]);
    await see(8, [view('ses_1'), view('ses_2', OTHER_DOC)]);
    expect(readAll()).to.deep.equal([8, [an], true, false, false, false, true, false]);
    // Ghosts: no session of ours, or one of another document.
    const matched = await see(9, [view('ses_9'), view('ses_1', OTHER_DOC), view('anybody', null)]);
    expect(matched.views).to.deep.equal([view('anybody', null)]);
    expect(readAll()).to.deep.equal([9, [], false, false, false, false, false, false]);
  });

  it('looks a session up once, and forgets it when its view has gone', async () => {
    const { state, see } = start();
    await see(1, [view('ses_1'), view('ses_1')]);
    await see(2, [view('ses_1'), view('ses_2')]);
    await see(3, []);
    await see(4, [view('ses_1')]);
    expect(state.lookups).to.deep.equal(['ses_1', 'ses_2', 'ses_1']);
  });

  it('says that a session has left when all samples of a quarter of an hour were without it', async () => {
    const { presence, see } = start();
    const minute = 60_000;
    let at = 0;
    const samples = async (count: number, ...views: EditorView[]) => {
      for (let left = count; left > 0; left -= 1) {
        at += minute;
        await see(at, views);
      }
      return [presence.hasLeft('ses_1'), presence.hasLeft('ses_2')];
    };
    expect(await samples(15, view('ses_1'))).to.deep.equal([false, false]);
    expect(await samples(1, view('ses_1')), 'watched for long enough').to.deep.equal([false, true]);
    expect(await samples(14)).to.deep.equal([false, true]);
    expect(await samples(1)).to.deep.equal([true, true]);
    at += 1;
    expect(await samples(15), 'between two samples somebody may have come').to.deep.equal([false, false]);
    expect(await samples(1)).to.deep.equal([true, true]);
    at -= 60 * minute;
    expect(await samples(1), 'the clock was set back').to.deep.equal([false, false]);
  });

  it('takes views as they are while sessions cannot be read', async () => {
    const { state, presence, see } = start();
    state.broken = true;
    expect((await see(1, [view('ses_1'), view('ses_9')])).views).to.have.length(2);
    expect([presence.hasViews(DOC), presence.users(DOC)]).to.deep.equal([true, []]);
  });
});
