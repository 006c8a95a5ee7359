import type { WebSocket } from 'ws';
import type { ListedDocument } from './admin.ts';
import { type Content, openContent } from './content/content.ts';
import type { Timings } from './options.ts';
import { Saver, type Writer } from './saver.ts';
import type { FileInfo, WopiClient } from './wopi.ts';

/** One person's window on a document. */
export interface View extends Writer {
  id: number;
  /** Its name in the admin channel. */
  sessionId: string;
  userId: string;
  userName: string;
  extra: unknown;
  readonly: boolean;
  socket: WebSocket;
}

export interface DocumentDeps {
  pid: number;
  wopiSrc: string;
  info: FileInfo;
  bytes: Uint8Array;
  wopi: WopiClient;
  timings: Timings;
  /** Nobody has it open and nothing is left to do. */
  onEnd(): void;
}

interface SaveOptions {
  dontSaveIfUnmodified?: boolean;
  extendedData?: string;
}

const COLORS = ['#0369a3', '#946900', '#9e169e', '#04803c', '#c9211e', '#7e0021'];

/**
 * An open document, its views and their messages. Each view sends and gets text messages, most of them
 * `<name> <JSON>`; only our page and EditorClient know them:
 *
 * ```text
 * view -> editor                                    editor -> view
 * set {id, text}                                    statusindicator: find          connected
 * add {id, after, text}   id: `<viewId>.<n>`        wopi: {PostMessageOrigin, …}   CheckFileInfo passed
 * remove {id}                                       perm: edit | readonly
 * save {dontSaveIfUnmodified, extendedData}         lines: {viewId, editable, lines: [{id, text, fixed?}]}
 * savetostorage force=1   over what changed         viewinfo: [{id, userid, username, userextrainfo, readonly, color}]
 *                                                   docloaded
 *                                                   modified: true | false
 *                                                   set: | add: | remove: {…, by}  in one order, to all, the author too
 *                                                   saveresult: {success, result, errorMsg?}   also to all
 *                                                   uploaded                       the storage has it
 *                                                   error: cmd=<cmd> kind=<kind>   as the real one says it
 *                                                   close: <reason>
 * ```
 */
export class Document {
  readonly wopiSrc: string;
  readonly #deps: DocumentDeps;
  readonly #content: Content;
  readonly #saver: Saver;
  readonly #views = new Set<View>();
  /** The views in the admin channel: usually those in `#views`, and the last one until it is saved. */
  readonly #listed = new Set<View>();
  readonly #openedAt = Date.now();
  #lastActivity = this.#openedAt;
  #unloading: View | undefined;
  #lastWriter: View | undefined;
  #nextView = 0;

  /** @throws {Error} when the bytes are not what the name says */
  constructor(deps: DocumentDeps) {
    const { info, bytes, wopiSrc } = deps;
    this.#deps = deps;
    this.wopiSrc = wopiSrc;
    this.#content = openContent(info.BaseFileName, bytes);
    this.#saver = new Saver({
      ...deps,
      content: this.#content,
      timestamp: info.LastModifiedTime ?? '',
      writers: () => this.#writers(),
      send: (message, writer) => this.#send(message, writer),
      isUnloading: () => this.isUnloading(),
      onTooLarge: () => this.#makeReadOnly(),
      reload: () => this.#closeAll('documentconflict'),
    });
  }

  isUnloading(): boolean {
    return this.#unloading !== undefined;
  }

  timestamp(): string | undefined {
    return this.#saver.timestamp();
  }

  /** Lets a view in. @param changed whether its CheckFileInfo had another LastModifiedTime than the one we know */
  join(options: Omit<View, 'id'>, changed: boolean): View {
    const view: View = { ...options, id: this.#nextView++ };
    this.#views.add(view);
    this.#listed.add(view);
    const { readonly, socket } = view;
    socket.send(`perm: ${readonly ? 'readonly' : 'edit'}`);
    socket.send(this.#lines(view));
    this.#sendViews();
    socket.send('docloaded');
    socket.send(`modified: ${this.#saver.isModified()}`);
    if (changed && this.#saver.isModified()) this.#send('error: cmd=storage kind=documentconflict');
    else if (changed) this.#closeAll('documentconflict');
    return view;
  }

  receive(view: View, message: string): void {
    this.#lastActivity = Date.now();
    const [, name = '', rest = ''] = /^(\w+)(?: ([\s\S]*))?$/.exec(message) ?? [];
    if (name === 'save') this.#save(view, JSON.parse(rest || '{}'));
    else if (view.readonly) return;
    else if (name === 'savetostorage') this.#saver.force();
    else if (name === 'set' || name === 'add' || name === 'remove') this.#edit(view, name, JSON.parse(rest));
  }

  async leave(view: View): Promise<void> {
    if (!this.#views.delete(view)) return;
    if (this.#views.size > 0) {
      this.#listed.delete(view);
      this.#sendViews();
      if (!view.readonly && this.#writers().length === 0) this.#saver.save({ writer: view, onlyIfModified: true });
      return;
    }
    this.#unloading = view;
    if (!this.#saver.isModified()) this.#listed.delete(view);
    const ending = await this.#saver.finish(view);
    if (ending !== 'stored') {
      const { giveUp, tooLarge } = this.#deps.timings;
      await new Promise((resolve) => setTimeout(resolve, ending === 'lost' ? giveUp : tooLarge).unref());
    }
    this.#listed.delete(view);
    this.#deps.onEnd();
  }

  /** Tells the views to go and does not wait until they have. */
  shutDown(): void {
    this.#closeAll('shuttingdown');
    for (const view of [...this.#views]) void this.leave(view);
  }

  /** Ends without saving, as when its process is killed. */
  drop(): void {
    this.#saver.drop();
    this.dropSockets();
    this.#views.clear();
    this.#listed.clear();
    this.#deps.onEnd();
  }

  /** Cuts the connections; the views come back by themselves. */
  dropSockets(): void {
    for (const { socket } of this.#views) socket.terminate();
  }

  /** Describes it for the admin channel. */
  describe(): ListedDocument {
    const { pid, info } = this.#deps;
    const views = [...this.#listed].map(({ sessionId, userId, userName, readonly }) => ({
      ...{ sessionId, userId, userName, readonly },
    }));
    return {
      ...{ pid, views, wopiSrc: this.wopiSrc, fileName: info.BaseFileName, memory: this.#memory() },
      ...{ openedAt: this.#openedAt, lastActivity: this.#lastActivity },
      ...{ modified: this.#saver.isModified(), uploaded: this.#saver.isStored() },
    };
  }

  #send(message: string, writer?: Writer): void {
    for (const view of this.#views) if (!writer || view === writer) view.socket.send(message);
  }

  #sendViews(): void {
    const list = [...this.#views].map(({ id, userId, userName, extra, readonly }) => ({
      id,
      userid: userId,
      username: userName,
      userextrainfo: extra,
      readonly: readonly ? '1' : '0',
      color: COLORS[id % COLORS.length],
    }));
    this.#send(`viewinfo: ${JSON.stringify(list)}`);
  }

  #makeReadOnly(): void {
    for (const view of this.#views) view.readonly = true;
    this.#send('perm: readonly');
  }

  #writers(): View[] {
    const able = [...this.#views, ...(this.#unloading ? [this.#unloading] : [])].filter((view) => !view.readonly);
    const owner = this.#deps.info.OwnerId;
    const rank = (view: View): number => (view.userId === owner ? 0 : view === this.#lastWriter ? 1 : 2);
    return able.sort((one, other) => rank(one) - rank(other));
  }

  #closeAll(reason: string): void {
    for (const { socket } of this.#views) {
      socket.send(`close: ${reason}`);
      socket.close(1000);
    }
  }

  #edit(view: View, name: string, value: Record<string, unknown>): void {
    const { id, text = '', after = null } = value as { id: string; text?: string; after?: string | null };
    const content = this.#content;
    let [done, message]: [unknown, string] = [false, `${name}: ${JSON.stringify({ ...value, by: view.id })}`];
    if (name === 'set') done = content.set(id, text);
    else if (name === 'add') done = id.startsWith(`${view.id}.`) && content.add(id, after, text);
    else done = content.remove(id);
    if (done === 'emptied') message = `set: ${JSON.stringify({ id, text: '', by: null })}`;
    if (done) this.#send(message);
    if (!done || done === 'emptied') this.#send(this.#lines(view), view);
    if (!done) return;
    this.#lastWriter = view;
    this.#saver.touch();
  }

  #lines(view: View): string {
    const { editable } = this.#content;
    return `lines: ${JSON.stringify({ viewId: view.id, editable, lines: this.#content.lines() })}`;
  }

  #save(view: View, options: SaveOptions): void {
    const { dontSaveIfUnmodified: onlyIfModified = false, extendedData } = options;
    const success = !view.readonly && this.#saver.save({ writer: view, onlyIfModified, extendedData });
    // Nothing new, but perhaps something that was not uploaded.
    if (!success && !view.readonly) this.#saver.check(view);
    const result = success ? '' : view.readonly ? 'readonly' : 'unmodified';
    this.#send(`saveresult: ${JSON.stringify({ success, result })}`, view);
  }

  #memory(): number {
    return 20_000 + Math.ceil(this.#deps.bytes.length / 1024);
  }
}
