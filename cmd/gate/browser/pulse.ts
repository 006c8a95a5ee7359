import type { EditorMessage } from './messages.ts';

/** Finds out whether the editor's page still obeys. It costs no request: the page answers by itself. */
export interface Pulse {
  /** Begins to ask again and again. */
  start(): void;
  /** Asks now. */
  look(): void;
  onMessage(message: EditorMessage): void;
  /** Milliseconds since the page last said anything but an answer to these questions. */
  quietMs(): number;
  /** Whether the page sleeps, because nobody has used it for long: then it passes on nothing but what wakes it. */
  isIdle(): boolean;
  /** Milliseconds since somebody used keys or mouse in the page. */
  unusedMs(): number;
  stop(): void;
}

export interface PulseOptions {
  post(id: string): void;
  /** The page answers, and obeys no more. */
  onDeaf(): void;
}

const INTERVAL_MS = 2_000;

/**
 * Asks one thing that is answered only by a page whose document is open, then one that is answered in any state
 * (seen with Collabora Online 25.04.9). So a page that is only busy is never taken for one that has lost its document.
 */
export function createPulse({ post, onDeaf }: PulseOptions): Pulse {
  let timer: ReturnType<typeof setInterval> | undefined;
  let obeys = false;
  let idle = false;
  let news = Date.now();
  let used = Number.NEGATIVE_INFINITY;

  function look(): void {
    if (timer === undefined) return;
    post('Get_Views');
    post('Get_User_State');
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    start() {
      stop();
      [obeys, idle] = [false, false];
      timer = setInterval(look, INTERVAL_MS);
    },
    look,
    onMessage({ MessageId: id, Values: values }) {
      if (id === 'Get_Views_Resp') obeys = true;
      else if (id !== 'Get_User_State_Resp') news = Date.now();
      if (id === 'User_Idle') idle = true;
      if (id !== 'Get_User_State_Resp') return;
      idle = values['State'] === 'idle';
      used = Date.now() - 1_000 * Number(values['Elapsed'] ?? Number.POSITIVE_INFINITY);
      if (!obeys && timer !== undefined) onDeaf();
      obeys = false;
    },
    quietMs: () => Date.now() - news,
    isIdle: () => idle,
    unusedMs: () => Date.now() - used,
    stop,
  };
}
