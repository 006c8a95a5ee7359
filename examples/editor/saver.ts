import type { Content } from './content/content.ts';
import type { Timings } from './options.ts';
import type { DocumentUri } from './uri.ts';
import type { PutResult, WopiClient } from './wopi.ts';

/** Failed uploads in a row before a document that nobody has open is given up. */
const MAX_FAILURES = 5;

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
  content: Content;
  /** LastModifiedTime of what was loaded. */
  timestamp: string;
  /** Returns the views that may save now, the best one first. */
  writers(): Writer[];
  /** Sends a message to all views, or to one when the trouble is its own. */
  send(message: string, writer?: Writer): void;
  /** Returns whether nobody has the document open any more. */
  isUnloading(): boolean;
  /** Makes all views read-only. */
  onTooLarge(): void;
  /** Has the views load the document again. */
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

/** All views get this answer to an upload that is refused because another is under way. */
const REFUSAL = { success: false, result: 'Could not upload document to storage', errorMsg: 'Already in progress.' };

/**
 * Saves as the real editor does (reference/editor.md A3 and "Seen on a running coolwsd"): a save is reported as done when
 * the content was taken; the upload comes after that, and its answer decides what happens next. Of a refused upload see
 * wsd/DocumentBroker.cpp, `uploadToStorageInternal` and the poll loop.
 */
export class Saver {
  readonly #deps: SaverDeps;
  #modified = false;
  #timestamp: string;
  /** The newest content, until the storage has it. */
  #pending: Upload | undefined;
  #running: { upload: Upload; abort: AbortController } | undefined;
  /** True if another upload was refused meanwhile: the editor has forgotten the one that is under way. */
  #isForgotten = false;
  #lastUpload = Number.NEGATIVE_INFINITY;
  #lastExtendedData: string | undefined;
  #failures = 0;
  #stored = true;
  #dropped = false;
  #onEnd: ((ending: Ending) => void) | undefined;
  #idle: NodeJS.Timeout | undefined;
  #periodic: NodeJS.Timeout | undefined;
  #next: NodeJS.Timeout | undefined;

  constructor(deps: SaverDeps) {
    this.#deps = deps;
    this.#timestamp = deps.timestamp;
  }

  isModified(): boolean {
    return this.#modified;
  }

  /** Returns whether all that was saved has been uploaded. */
  isStored(): boolean {
    return this.#stored;
  }

  /** Returns the last known LastModifiedTime, while no upload is under way that would change it. */
  timestamp(): string | undefined {
    return this.#pending || this.#running || this.#timestamp === '' ? undefined : this.#timestamp;
  }

  /** Takes the content; the upload follows by itself. @returns false when there was nothing to save */
  save(request: SaveRequest): boolean {
    if (!this.#modified && request.onlyIfModified) return false;
    clearTimeout(this.#idle);
    clearTimeout(this.#periodic);
    this.#periodic = undefined;
    if (request.extendedData !== undefined) this.#lastExtendedData = request.extendedData;
    const waiting = this.#pending === this.#running?.upload ? undefined : this.#pending;
    this.#pending = {
      ...request,
      // The last Action_Save's is sent once more when everybody has left.
      extendedData: request.exit ? this.#lastExtendedData : (request.extendedData ?? waiting?.extendedData),
      bytes: this.#deps.content.render(),
      modifiedByUser: this.#modified || (waiting?.modifiedByUser ?? false),
    };
    this.#stored = false;
    this.#setModified(false);
    this.check(request.writer);
    return true;
  }

  /** Uploads what the storage does not have, or refuses that to somebody while an upload is under way. */
  check(writer?: Writer): void {
    if (!this.#pending) return;
    // In a turn of its own: the result of the save is sent before the upload starts.
    if (!this.#running) this.#schedule(0);
    else if (this.#pause() <= 0) this.#refuse(this.#pending, writer);
  }

  /** Somebody typed: autosave comes after a while without typing, or after a longer while of it. */
  touch(): void {
    const { idleSave, periodicSave } = this.#deps.timings;
    const autosave = (): void => void this.save({ autosave: true, onlyIfModified: true });
    this.#setModified(true);
    clearTimeout(this.#idle);
    this.#idle = setTimeout(autosave, idleSave);
    this.#periodic ??= setTimeout(autosave, periodicSave);
  }

  /** The user wants this document in the place of the one in storage. */
  force(): void {
    if (!this.#pending) this.save({});
    if (this.#pending) this.#pending.force = true;
    this.#schedule(0);
  }

  /** The last view is leaving: saves if there is something to save; resolves when nothing is left to do. */
  finish(writer: Writer): Promise<Ending> {
    return new Promise((resolve) => {
      this.#onEnd = resolve;
      clearTimeout(this.#idle);
      clearTimeout(this.#periodic);
      if (this.save({ writer, exit: true, onlyIfModified: true })) return;
      if (this.#running) setTimeout(() => this.#running?.abort.abort(), this.#deps.timings.giveUp);
      else if (this.#pending) this.#schedule(0);
      else this.#end('stored');
    });
  }

  /** Forgets everything, as a process does that is killed. */
  drop(): void {
    this.#dropped = true;
    this.#clear();
    this.#pending = undefined;
    this.#running?.abort.abort();
  }

  #setModified(modified: boolean): void {
    if (this.#modified !== modified) this.#deps.send(`modified: ${modified}`);
    this.#modified = modified;
  }

  #clear(): void {
    for (const timer of [this.#idle, this.#periodic, this.#next]) clearTimeout(timer);
  }

  #schedule(ms: number): void {
    clearTimeout(this.#next);
    if (!this.#dropped) this.#next = setTimeout(() => void this.#upload(), ms);
  }

  /** Returns how long the next upload has to wait, after one that failed. */
  #pause(): number {
    const { timings, isUnloading } = this.#deps;
    if (this.#failures === 0) return 0;
    return this.#lastUpload + (isUnloading() ? timings.uploadGap / 10 : timings.uploadGap) - performance.now();
  }

  /** Drops the request's fields with the refusal; its content is uploaded later. */
  #refuse({ bytes }: Upload, writer?: Writer): void {
    const { send } = this.#deps;
    this.#pending = { bytes, modifiedByUser: false };
    this.#isForgotten = true;
    this.#failures += 1;
    this.#lastUpload = performance.now();
    send(`saveresult: ${JSON.stringify(REFUSAL)}`);
    send('error: cmd=storage kind=savefailed', writer);
  }

  async #upload(): Promise<void> {
    const { wopi, isUnloading, writers } = this.#deps;
    const upload = this.#pending;
    if (!upload || this.#running) return;
    const wait = this.#pause();
    if (wait > 0) return this.#schedule(wait);
    const writer = [upload.writer, ...writers()].find((one) => one && !one.expired);
    if (!writer) return isUnloading() ? this.#end('lost') : undefined;
    this.#lastUpload = performance.now();
    const abort = new AbortController();
    this.#running = { upload, abort };
    const { autosave = false, exit = false, force } = upload;
    const headers = { ...upload, autosave, exit, timestamp: force ? undefined : this.#timestamp };
    const result = await wopi.putFile(writer.uri, upload.bytes, headers, abort.signal);
    this.#running = undefined;
    if (!this.#isForgotten) return this.#onAnswer(result, upload, writer);
    this.#isForgotten = false;
    if (result.kind === 'ok') this.#timestamp = result.lastModifiedTime ?? this.#timestamp;
    this.#schedule(0);
  }

  async #onAnswer(result: PutResult, upload: Upload, writer: Writer): Promise<void> {
    const { send, isUnloading, writers, timings, onTooLarge } = this.#deps;
    switch (result.kind) {
      case 'ok':
        this.#timestamp = result.lastModifiedTime ?? this.#timestamp;
        this.#failures = 0;
        return this.#onStored(upload);
      case 'unauthorized':
        writer.expired = true;
        send('error: cmd=storage kind=saveunauthorized', writer);
        if (isUnloading() && writers().every(({ expired }) => expired)) return this.#end('lost');
        return this.#schedule(timings.uploadGap);
      case 'too_large':
        this.#pending = undefined;
        send('error: cmd=storage kind=savetoolarge');
        onTooLarge();
        return this.#end('too_large');
      case 'conflict':
        return this.#onConflict(upload);
      case 'failed':
        return this.#onFailure(upload, writer);
    }
  }

  async #onFailure(upload: Upload, writer: Writer): Promise<void> {
    const { send, wopi, timings, isUnloading } = this.#deps;
    this.#failures += 1;
    if (this.#dropped) return;
    send('error: cmd=storage kind=savefailed');
    const info = await wopi.checkFileInfo(writer.uri);
    if (info && info.Size !== upload.bytes.length) return this.#onConflict(upload);
    this.#timestamp = info?.LastModifiedTime ?? '';
    if (!isUnloading()) return this.#schedule(timings.uploadGap);
    if (this.#failures >= MAX_FAILURES) return this.#end('lost');
    upload.exit = false;
    const pause = this.#failures === 1 ? timings.uploadGap / 10 : timings.unloadRetry;
    this.#schedule(Math.max(0, this.#lastUpload + pause - performance.now()));
  }

  #onConflict(upload: Upload): void {
    const { isUnloading, send, reload } = this.#deps;
    if (isUnloading()) this.#end('lost');
    else if (upload.modifiedByUser || this.#modified) send('error: cmd=storage kind=documentconflict');
    else {
      this.#pending = undefined;
      reload();
    }
  }

  #onStored(upload: Upload): void {
    if (this.#pending === upload) this.#pending = undefined;
    this.#stored = this.#pending === undefined;
    if (this.#stored) {
      this.#deps.send('uploaded');
      this.#end('stored');
      // Text written meanwhile waits for the next request, or for the last view to leave.
    } else if (this.#deps.isUnloading()) this.#schedule(0);
  }

  #end(ending: Ending): void {
    if (ending !== 'stored') this.#pending = undefined;
    if (!this.#deps.isUnloading()) return;
    this.#clear();
    this.#onEnd?.(ending);
  }
}
