import { randomUUID } from 'node:crypto';
import type { Logger } from '../../../src/common/log.ts';
import { repeat } from '../../../src/common/repeat.ts';
import type { Duty } from './leadership.ts';
import type { EditorSample, EditorServer, EditorState } from './ports.ts';
import type { SharedText } from './shared.ts';

const POLL_MS = 1_000;

/** What was last seen of the editor. */
interface Seen {
  state: EditorState;
  /** Another one for each connection to it, which may lead to another version. */
  channel: string;
  sample: EditorSample | undefined;
}

export interface EditorWatchDependencies {
  editor: Pick<EditorServer, 'sampling' | 'forgetPages'>;
  /** What the leader sees, for the others; undefined where there is one gate. */
  shared: SharedText | undefined;
  /** Takes in each new sample; does not reject. */
  onSample: (sample: EditorSample) => Promise<void>;
  log: Pick<Logger, 'warn'>;
}

/** The editor's state and list, as the leader sees them, on every gate. */
export interface EditorWatch extends Duty {
  state(): EditorState;
  /** Returns the last good sample; undefined before the first. */
  sample(): EditorSample | undefined;
  /** Begins to follow the leader; resolves once what it saw last is known. */
  follow(): Promise<void>;
  /** Ends that. */
  end(): void;
}

/** As a duty it samples the editor and shares what it sees; all other gates look once a second whether there is more. */
export function createEditorWatch({ editor, shared, onSample, log }: EditorWatchDependencies): EditorWatch {
  let seen: Seen = { state: 'down', channel: '', sample: undefined };
  let version = 0;
  let stopSampling: (() => void) | undefined;
  let stopFollowing = (): void => {};
  let last: Promise<void> = Promise.resolve();

  /** Takes in what was seen, one after the other. */
  function take(next: Seen): Promise<void> {
    const before = seen;
    seen = next;
    const isLost = before.state === 'ok' && (next.state !== 'ok' || next.channel !== before.channel);
    if (isLost) editor.forgetPages();
    const { sample } = next;
    if (sample !== undefined && sample !== before.sample) last = last.then(() => onSample(sample));
    return last;
  }

  async function write(to: SharedText): Promise<void> {
    while (stopSampling) {
      ({ version } = await to.read(version));
      if (await to.write(toText(seen), version)) {
        version += 1;
        return;
      }
    }
  }

  /** Takes in what the leader saw, and shares it once it counts here. */
  function lead(next: Seen): void {
    const counted = take(next);
    if (!shared) return;
    last = counted
      .then(() => write(shared))
      .catch((error) => log.warn({ err: error }, 'what was seen of the editor could not be shared'));
  }

  async function look(from: SharedText): Promise<void> {
    if (stopSampling) return;
    // The leader's own trouble with the database is told by what it does not share.
    const read = await from.read(version).catch(() => undefined);
    if (read?.text === undefined || stopSampling) return;
    version = read.version;
    const next = fromText(read.text);
    // Only the state may have changed.
    const isOld = next.sample?.at === seen.sample?.at;
    await take(isOld ? { ...next, sample: seen.sample } : next);
  }

  return {
    state: () => seen.state,
    sample: () => seen.sample,
    start() {
      let channel = randomUUID();
      stopSampling = editor.sampling({
        previous: seen.sample,
        onState: (state) => {
          if (state === 'ok') channel = randomUUID();
          lead({ ...seen, state, channel });
        },
        onSample: (sample) => lead({ ...seen, sample }),
      });
    },
    stop() {
      stopSampling?.();
      stopSampling = undefined;
    },
    async follow() {
      if (!shared) return;
      await look(shared);
      stopFollowing = repeat(POLL_MS, () => look(shared));
    },
    end: () => stopFollowing(),
  };
}

function toText({ sample, ...rest }: Seen): string {
  return JSON.stringify({ ...rest, sample: sample && { ...sample, modified: [...sample.modified] } });
}

function fromText(text: string): Seen {
  const { sample, ...rest } = JSON.parse(text) as Seen;
  return { ...rest, sample: sample && { ...sample, modified: new Set(sample.modified) } };
}
