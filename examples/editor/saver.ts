import type { Content } from './content/content.ts';
import type { EditorOptions, Timings } from './options.ts';
import type { DocumentUri } from './uri.ts';
import type { PutResult, WopiClient } from './wopi.ts';

/** Somebody in whose name a document may be saved. */
export interface Writer {
  uri: DocumentUri;
  /** Its token was refused. */
  expired: boolean;
}

/** The document's side of its saver. */
export interface SaverDeps {
  wopi: WopiClient;
  timings: Timings;
  options: Pick<EditorOptions, 'limitStoreFailures'>;
  faults: { putFile: string };
  content: Content;
  /** LastModifiedTime of what was loaded. */
  timestamp: string;
  /** Who may save now, the best one first. */
  writers(): Writer[];
  /** To all views; to one when the trouble is its own. */
  tell(message: string, writer?: Writer): void;
  /** Nobody has the document open any more. */
  unloading(): boolean;
  /** All views become read-only. */
  tooLarge(): void;
  /** Views must load the document again. */
  reload(): void;
}

export interface SaveRequest {
  writer?: Writer;
  autosave?: boolean;
  exit?: boolean;
  extendedData?: string | undefined;
  onlyIfModified?: boolean;
}

/** Outcome of the last uploads of a document, once nobody is left. */
export type Ending = 'stored' | 'lost' | 'too_large';

interface Upload extends SaveRequest {
  bytes: Uint8Array;
  modifiedByUser: boolean;
  force?: boolean;
}

/**
 * Saving as the real editor does it (reference/editor.md A3 and "Seen on a running coolwsd"): a save is done, and told
 * as done, when the content was taken; the upload comes after that, and its answer decides what happens next.
 */
export function createSaver(deps: SaverDeps) {
  const { wopi, timings, content, tell } = deps;
  const limit = deps.options.limitStoreFailures ?? 5;
  let modified = false;
  let timestamp = deps.timestamp;
  let pending: Upload | undefined;
  let running: AbortController | undefined;
  let lastUpload = Number.NEGATIVE_INFINITY;
  let lastExtendedData: string | undefined;
  let failures = 0;
  let stored = true;
  let dropped = false;
  let ended: ((ending: Ending) => void) | undefined;
  let idle: NodeJS.Timeout | undefined;
  let periodic: NodeJS.Timeout | undefined;
  let next: NodeJS.Timeout | undefined;

  const setModified = (value: boolean): void => {
    if (modified !== value) tell(`modified: ${value}`);
    modified = value;
  };
  const autosave = (): void => void save({ autosave: true, onlyIfModified: true });
  const clear = (): void => {
    for (const timer of [idle, periodic, next]) clearTimeout(timer);
  };

  /** Takes the content; the upload follows by itself. @returns false when there was nothing to save */
  function save(request: SaveRequest): boolean {
    if (!modified && request.onlyIfModified) return false;
    clearTimeout(idle);
    clearTimeout(periodic);
    periodic = undefined;
    if (request.extendedData !== undefined) lastExtendedData = request.extendedData;
    pending = {
      ...request,
      // The last Action_Save's is sent once more when everybody has left.
      extendedData: request.exit ? lastExtendedData : request.extendedData,
      bytes: content.render(),
      modifiedByUser: modified || (pending?.modifiedByUser ?? false),
    };
    stored = false;
    setModified(false);
    // In a turn of its own: the result of the save is sent before the upload starts.
    schedule(0);
    return true;
  }

  function schedule(ms: number): void {
    clearTimeout(next);
    if (!dropped) next = setTimeout(() => void upload(), ms);
  }

  async function upload(): Promise<void> {
    if (!pending || running) return;
    const gap = deps.unloading() ? timings.uploadGap / 10 : timings.uploadGap;
    const wait = lastUpload + gap - performance.now();
    if (wait > 0) return schedule(wait);
    const current = pending;
    const writer = [current.writer, ...deps.writers()].find((one) => one && !one.expired);
    if (!writer) return deps.unloading() ? end('lost') : undefined;
    lastUpload = performance.now();
    if (deps.faults.putFile === 'forgotten') {
      pending = undefined;
      return end('lost');
    }
    running = new AbortController();
    const result = await wopi.putFile(
      writer.uri,
      current.bytes,
      {
        ...current,
        autosave: current.autosave ?? false,
        exit: current.exit ?? false,
        timestamp: current.force ? undefined : timestamp,
      },
      running.signal,
    );
    running = undefined;
    await consequence(result, current, writer);
    if (pending && pending !== current) schedule(0);
  }

  async function consequence(result: PutResult, current: Upload, writer: Writer): Promise<void> {
    switch (result.kind) {
      case 'ok':
        timestamp = result.lastModifiedTime ?? timestamp;
        failures = 0;
        return done(current);
      case 'unauthorized':
        writer.expired = true;
        tell('error: cmd=storage kind=saveunauthorized', writer);
        if (deps.unloading() && deps.writers().every(({ expired }) => expired)) return end('lost');
        return schedule(timings.uploadGap);
      case 'too_large':
        pending = undefined;
        tell('error: cmd=storage kind=savetoolarge');
        deps.tooLarge();
        return end('too_large');
      case 'conflict':
        return conflict(current);
      case 'failed':
        return failed(current, writer);
    }
  }

  async function failed(current: Upload, writer: Writer): Promise<void> {
    failures += 1;
    if (dropped) return;
    tell('error: cmd=storage kind=savefailed');
    const info = await wopi.checkFileInfo(writer.uri);
    if (info && info.Size !== current.bytes.length) return conflict(current);
    timestamp = info?.LastModifiedTime ?? '';
    if (!deps.unloading()) return schedule(timings.uploadGap);
    if (limit > 0 && failures >= limit) return end('lost');
    current.exit = false;
    const pause = failures === 1 ? timings.uploadGap / 10 : timings.unloadRetry;
    schedule(Math.max(0, lastUpload + pause - performance.now()));
  }

  function conflict(current: Upload): void {
    if (deps.unloading()) end('lost');
    else if (current.modifiedByUser || modified) tell('error: cmd=storage kind=documentconflict');
    else {
      pending = undefined;
      deps.reload();
    }
  }

  function done(current: Upload): void {
    if (pending === current) pending = undefined;
    stored = pending === undefined;
    if (!stored) return;
    tell('uploaded');
    end('stored');
  }

  function end(ending: Ending): void {
    if (ending !== 'stored') pending = undefined;
    if (!deps.unloading()) return;
    clear();
    ended?.(ending);
  }

  return {
    save,
    modified: () => modified,
    /** True if all that was saved has been uploaded. */
    stored: () => stored,
    /** Somebody typed: autosave comes after a while without typing, or after a longer while of it. */
    touch(): void {
      setModified(true);
      clearTimeout(idle);
      idle = setTimeout(autosave, timings.idleSave);
      periodic ??= setTimeout(autosave, timings.periodicSave);
    },
    /** The user wants this document in the place of the one in storage. */
    force(): void {
      if (!pending) save({});
      if (pending) pending.force = true;
      schedule(0);
    },
    /** A token was renewed: what waits for one may go on. */
    retry: (): void => schedule(0),
    /** The last known LastModifiedTime, while no upload is under way that would change it. */
    timestamp: (): string | undefined => (pending || running || timestamp === '' ? undefined : timestamp),
    /** The last view is leaving: saves if there is something to save; resolves when nothing is left to do. */
    finish(writer: Writer): Promise<Ending> {
      return new Promise((resolve) => {
        ended = resolve;
        clearTimeout(idle);
        clearTimeout(periodic);
        if (save({ writer, exit: true, onlyIfModified: true })) return;
        if (running) setTimeout(() => running?.abort(), timings.giveUp);
        else if (pending) schedule(0);
        else end('stored');
      });
    },
    /** Forgets everything, as a process does that is killed. */
    drop(): void {
      dropped = true;
      clear();
      pending = undefined;
      running?.abort();
    },
  };
}
