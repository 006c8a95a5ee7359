import { randomUUID } from 'node:crypto';
import type { Logger } from '../../../src/common/log.ts';
import { repeat } from '../../../src/common/repeat.ts';
import type { Duty } from './leadership.ts';
import type { EditorSample, EditorServer, EditorState, SharedText } from './ports.ts';

const POLL_MS = 1_000;

interface Seen {
  state: EditorState;
  /** A random id of the connection, which may lead to another version of the editor. */
  channel: string;
  sample: EditorSample | undefined;
}

export interface EditorWatchDependencies {
  editor: Pick<EditorServer, 'sampling' | 'forgetPages'>;
  /** The leader's sample, for the others; undefined where there is one gate. */
  shared: SharedText | undefined;
  /** Takes in each new sample; does not reject. */
  onSample: (sample: EditorSample) => Promise<void>;
  log: Pick<Logger, 'warn'>;
  pollMs?: number;
}

/**
 * The editor’s state and list on every gate: the leader samples the editor and shares that, the others read it each
 * second.
 */
export class EditorWatch implements Duty {
  readonly #deps: EditorWatchDependencies;
  #seen: Seen = { state: 'down', channel: '', sample: undefined };
  #version = 0;
  #stopSampling: (() => void) | undefined;
  #stopFollowing = (): void => {};
  #last: Promise<void> = Promise.resolve();

  constructor(deps: EditorWatchDependencies) {
    this.#deps = deps;
  }

  readonly state = (): EditorState => this.#seen.state;

  start(): void {
    let channel = randomUUID();
    this.#stopSampling = this.#deps.editor.sampling({
      previous: this.#seen.sample,
      onState: (state) => {
        if (state === 'ok') channel = randomUUID();
        this.#lead({ ...this.#seen, state, channel });
      },
      onSample: (sample) => this.#lead({ ...this.#seen, sample }),
    });
  }

  stop(): void {
    this.#stopSampling?.();
    this.#stopSampling = undefined;
  }

  /** Follows the leader; resolves once its last sample is known. */
  async follow(): Promise<void> {
    const { shared, pollMs = POLL_MS } = this.#deps;
    if (!shared) return;
    await this.#look(shared);
    this.#stopFollowing = repeat(pollMs, () => this.#look(shared));
  }

  end(): void {
    this.#stopFollowing();
  }

  /** Takes in samples one after the other. */
  #take(next: Seen): Promise<void> {
    const { editor, onSample } = this.#deps;
    const before = this.#seen;
    this.#seen = next;
    const isLost = before.state === 'ok' && (next.state !== 'ok' || next.channel !== before.channel);
    if (isLost) editor.forgetPages();
    const { sample } = next;
    if (sample !== undefined && sample !== before.sample) this.#last = this.#last.then(() => onSample(sample));
    return this.#last;
  }

  /** Takes in a sample of the leader, and shares it once it is counted here. */
  #lead(next: Seen): void {
    const { shared, log } = this.#deps;
    const counted = this.#take(next);
    if (!shared) return;
    this.#last = counted
      .then(() => this.#write(shared))
      .catch((error) => log.warn({ err: error }, 'what was seen of the editor could not be shared'));
  }

  async #write(to: SharedText): Promise<void> {
    while (this.#stopSampling) {
      this.#version = (await to.read(this.#version)).version;
      if (await to.write(JSON.stringify(this.#seen), this.#version)) {
        this.#version += 1;
        return;
      }
    }
  }

  async #look(from: SharedText): Promise<void> {
    if (this.#stopSampling) return;
    // The leader's own trouble with the database is told by what it does not share.
    const read = await from.read(this.#version).catch(() => undefined);
    if (read?.text === undefined || this.#stopSampling) return;
    this.#version = read.version;
    const next = JSON.parse(read.text) as Seen;
    // Only the state may have changed.
    const isOld = next.sample?.at === this.#seen.sample?.at;
    await this.#take(isOld ? { ...next, sample: this.#seen.sample } : next);
  }
}
