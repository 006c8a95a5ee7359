import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { useFolder } from '../support/folder.ts';
import { licensed } from '../support/license.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { arrived, changeMode, download, refusal } from '../support/stack-steps.ts';

const STRANGE = 'x'.repeat(43);

describe('the audit trail of the gate', function () {
  this.timeout(60_000);
  const folder = useFolder();

  /** A day's use, with refused requests. */
  async function use(stack: Stack) {
    const session = await stack.create();
    const client = await stack.open(session);
    await client.addLine('điều bí mật');
    await stack.save(session, client);
    const { body } = await arrived(stack, 'saved', 1);
    await download(body.url ?? '');
    await changeMode(stack, session, 'view');
    await client.leave();
    await stack.ask(session, '', { method: 'DELETE' });
    expect((await refusal(stack.open(session, { page: false, uri: '26.04' }))).status).to.equal(403);
    await stack.ask(session, '', { headers: { Authorization: `Bearer ${STRANGE}` } });
    await stack.pass(70_000);
    await arrived(stack, 'closed', 1);
    return session;
  }

  it('says who opened, saved, downloaded and was refused what, and which licence counts, without content and tokens', async () => {
    const file = folder.at('audit.jsonl');
    const license = await licensed(folder.path, { conns: 60 });
    const stack = await startStack({ environment: { SVC_AUDIT_TARGET: `file:${file}`, ...license } });
    const session = await use(stack).finally(() => stack.stop());

    const text = await readFile(file, 'utf8');
    const lines = text.trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown> & { message: string });
    for (const line of events) {
      expect(line).to.include({ audit: true, service: 'gate', level: 'info' });
      expect(new Date(String(line['timestamp'])).toISOString()).to.equal(line['timestamp']);
    }
    const { session_id, doc_id: document } = session;
    const facts = (event: string) => {
      const found = events.filter(({ message }) => message === event);
      expect(found, event).to.have.length(1);
      return found[0];
    };
    expect(facts('license.changed')).to.include({ state: 'valid', problem: null });
    expect(facts('document.opened')).to.include({ document, key: session.key });
    expect(facts('session.created')).to.include({ session: session_id, document, user: 'u1', mode: 'edit' });
    expect(facts('document.saved')).to.include({ session: session_id, document, version: 1 });
    expect(facts('file.downloaded')).to.include({ document, version: 1, status: 200 });
    expect(facts('session.mode')).to.include({ session: session_id, document, mode: 'view' });
    expect(facts('session.closed')).to.include({ session: session_id, document });
    expect(facts('connection.refused')).to.include({ reason: 'unknown_session', document });
    expect(facts('session.refused')).to.include({ code: 'invalid_session_token' });
    expect(facts('document.closed')).to.include({ document, version: 1 });
    expect([events[0]?.message, events.at(-1)?.message]).to.deep.equal(['license.changed', 'service.stopped']);
    facts('service.started');
    for (const secret of ['bí mật', session.form.access_token, stack.callbackSecret, STRANGE, 'sig=']) {
      expect(text).not.to.contain(secret);
    }
  });
});
