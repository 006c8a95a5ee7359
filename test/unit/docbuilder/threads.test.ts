import { expect } from 'chai';
import { createThreads, type Threads } from '../../../cmd/docbuilder/source/threads.ts';
import { AppError } from '../../../src/common/errors.ts';
import { failure } from '../../support/failure.ts';

const MODULE = new URL('./thread-tasks.ts', import.meta.url);
const never = new AbortController().signal;

/** A task that never ends by itself, once it has begun. */
async function startEndless(threads: Threads, signal: AbortSignal): Promise<{ error: Promise<unknown> }> {
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const error = failure(threads.run('endless', begun, signal));
  await Atomics.waitAsync(begun, 0, 0).value;
  return { error };
}

describe('threads for large work', () => {
  const threads = createThreads(MODULE, 1);
  after(() => threads.stop());

  const getId = (): Promise<number> => threads.run('id', undefined, never);

  it('hand over an error that has a code, with where its cause came from and not what it says', async () => {
    const thread = await getId();
    const error = await failure(threads.run('refuse', { path: '/a' }, never));
    expect(error).to.be.instanceOf(AppError).and.include({ code: 'bad_request', status: 400 });
    expect((error as AppError).detail).to.deep.equal({ path: '/a' });
    expect((error as AppError).cause)
      .to.match(/^TypeError\n\s+at /)
      .and.not.include('content');
    expect(await getId(), 'the thread lives on').to.equal(thread);
  });

  it('end a task at once when they are told to, and do the next one in a new thread', async () => {
    const thread = await getId();
    const abort = new AbortController();
    const { error } = await startEndless(threads, abort.signal);
    const waiting = getId();
    const reason = new Error('it was too long');
    abort.abort(reason);
    expect(await error).to.equal(reason);
    expect(await waiting).to.be.greaterThan(thread);
  });

  it('do not begin what is ended while it waits, and say so at once', async () => {
    const thread = await getId();
    const [busy, late] = [new AbortController(), new AbortController()];
    const { error } = await startEndless(threads, busy.signal);
    const waiting = failure(threads.run('id', undefined, late.signal));
    late.abort('late');
    expect(await waiting).to.equal('late');
    busy.abort('busy');
    expect(await error).to.equal('busy');
    const next = await getId();
    expect(next).to.be.greaterThan(thread);
    expect(await failure(threads.run('id', undefined, AbortSignal.abort('before')))).to.equal('before');
    expect(await getId(), 'the thread that was free is kept').to.equal(next);
  });

  it('that cannot be started are told to the task', async () => {
    const none = createThreads(new URL('http://nowhere/'), 1);
    const error = await failure(none.run('id', undefined, never));
    expect(error).to.deep.include({ code: 'pool_unavailable', detail: { reason: 'no_worker' } });
    await none.stop();
  });

  it('that could not be started for a task that has ended are started for the next one', async () => {
    const module = new URL('http://nowhere/');
    const own = createThreads(module, 1);
    await failure(own.run('id', undefined, AbortSignal.abort(new Error('ended'))));
    module.href = MODULE.href;
    expect(await own.run('id', undefined, never)).to.be.greaterThan(0);
    await own.stop();
  });

  it('that are stopped end what they do', async () => {
    const own = createThreads(MODULE, 1);
    const { error } = await startEndless(own, never);
    await own.stop();
    expect(await error).to.have.property('message', 'the threads are stopped');
  });
});
