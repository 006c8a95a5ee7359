import type { WebSocket } from 'ws';
import { type Content, openContent } from './content/content.ts';
import type { EditorOptions, Faults, Timings } from './options.ts';
import { createSaver, type Writer } from './saver.ts';
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
  /** May close the document for everybody. */
  terminates: boolean;
  socket: WebSocket;
}

export interface DocumentDeps {
  pid: number;
  wopiSrc: string;
  info: FileInfo;
  bytes: Uint8Array;
  wopi: WopiClient;
  timings: Timings;
  faults: Faults;
  options: EditorOptions;
  /** To the admin channel's subscribers. */
  notify(topic: string, line: string): void;
  /** Nobody has it open and nothing is left to do. */
  ended(): void;
}

interface SaveOptions {
  dontSaveIfUnmodified?: boolean;
  extendedData?: string;
}

const COLORS = ['#0369a3', '#946900', '#9e169e', '#04803c', '#c9211e', '#7e0021'];

/**
 * A document that is open, its views and what they say to it. Each view speaks text messages, most of them
 * `<name> <JSON>`; only our page and EditorClient know them:
 *
 * ```text
 * view -> editor                                    editor -> view
 * set {id, text}                                    statusindicator: find          connected
 * add {id, after, text}   id: `<viewId>.<n>`        wopi: {PostMessageOrigin, …}   CheckFileInfo passed
 * remove {id}                                       perm: edit | readonly
 * touch                   save it again as it is    lines: {viewId, editable, lines: [{id, text, fixed?}]}
 * save {dontSaveIfUnmodified, extendedData}         viewinfo: [{id, userid, username, userextrainfo, readonly, color}]
 * savetostorage force=1   over what changed         docloaded
 * resetaccesstoken <token>                          modified: true | false
 * removeview <id>                                   set: | add: | remove: {…, by}  in one order, to all, the author too
 * closedocument                                     saveresult: {success, result}
 *                                                   uploaded                       the storage has it
 *                                                   error: cmd=<cmd> kind=<kind>   as the real one says it
 *                                                   close: <reason>
 * ```
 * @throws {Error} when the bytes are not what the name says
 */
export function createDocument(deps: DocumentDeps) {
  const { pid, wopiSrc, info, timings, faults, notify } = deps;
  const content: Content = openContent(info.BaseFileName, deps.bytes);
  const views = new Set<View>();
  /** In the admin channel: usually those in `views`, and the last one until it is saved. */
  const listed = new Set<View>();
  const openedAt = Date.now();
  let lastActivity = openedAt;
  let unloading: View | undefined;
  let lastWriter: View | undefined;
  let nextView = 0;
  let saving = false;

  const tell = (message: string, writer?: Writer): void => {
    for (const view of views) if (!writer || view === writer) view.socket.send(message);
  };
  const tellViews = (): void => {
    const list = [...views].map(({ id, userId, userName, extra, readonly }) => ({
      id,
      userid: userId,
      username: userName,
      userextrainfo: extra,
      readonly: readonly ? '1' : '0',
      color: COLORS[id % COLORS.length],
    }));
    tell(`viewinfo: ${JSON.stringify(list)}`);
  };
  const writers = (): View[] => {
    const able = [...views, ...(unloading ? [unloading] : [])].filter((view) => !view.readonly);
    const rank = (view: View): number => (view.userId === info.OwnerId ? 0 : view === lastWriter ? 1 : 2);
    return able.sort((one, other) => rank(one) - rank(other));
  };
  const closeAll = (reason: string): void => {
    for (const { socket } of views) {
      socket.send(`close: ${reason}`);
      socket.close(1000);
    }
  };
  const saver = createSaver({
    ...deps,
    content,
    timestamp: info.LastModifiedTime ?? '',
    writers,
    tell: (message, writer) => {
      if (message.startsWith('modified: '))
        notify('modifications', `${pid} ${message.endsWith('true') ? 'Yes' : 'No'}`);
      if (message === 'uploaded') notify('uploaded', `${pid} Yes`);
      tell(message, writer);
    },
    unloading: () => unloading !== undefined,
    tooLarge: () => {
      for (const view of views) view.readonly = true;
      tell('perm: readonly');
    },
    reload: () => closeAll('documentconflict'),
  });

  function unlist(view: View): void {
    if (!listed.delete(view)) return;
    const { userId, userName, readonly } = view;
    if (faults.viewsStay) faults.ghosts.push({ wopiSrc, userId, userName, readonly });
    else notify('rmdoc', `${pid} ${view.sessionId}`);
  }

  async function leave(view: View): Promise<void> {
    if (!views.delete(view)) return;
    if (views.size > 0) {
      unlist(view);
      tellViews();
      if (!view.readonly && writers().length === 0) saver.save({ writer: view, onlyIfModified: true });
      return;
    }
    unloading = view;
    if (!saver.modified()) unlist(view);
    const ending = await saver.finish(view);
    if (ending !== 'stored') {
      await new Promise((resolve) =>
        setTimeout(resolve, ending === 'lost' ? timings.giveUp : timings.tooLarge).unref(),
      );
    }
    unlist(view);
    deps.ended();
  }

  function edit(view: View, name: string, value: Record<string, unknown>): void {
    const { id, text = '', after = null } = value as { id: string; text?: string; after?: string | null };
    let [done, told]: [unknown, string] = [false, `${name}: ${JSON.stringify({ ...value, by: view.id })}`];
    if (name === 'set') done = content.set(id, text);
    else if (name === 'add') done = id.startsWith(`${view.id}.`) && content.add(id, after, text);
    else done = content.remove(id);
    if (done === 'emptied') told = `set: ${JSON.stringify({ id, text: '', by: null })}`;
    if (done) tell(told);
    if (!done || done === 'emptied') tell(lines(view), view);
    if (done) touched(view);
  }

  function touched(view: View): void {
    lastWriter = view;
    saver.touch();
  }

  const lines = (view: View): string =>
    `lines: ${JSON.stringify({ viewId: view.id, editable: content.editable, lines: content.lines() })}`;

  function receive(view: View, message: string): void {
    lastActivity = Date.now();
    const [, name = '', rest = ''] = /^(\w+)(?: ([\s\S]*))?$/.exec(message) ?? [];
    if (name === 'resetaccesstoken') {
      view.uri.access.set('access_token', rest);
      view.expired = false;
      saver.retry();
    } else if (name === 'closedocument') {
      if (view.terminates) closeAll('ownertermination');
    } else if (name === 'removeview') {
      for (const other of views) if (String(other.id) === rest) other.socket.close(1000);
    } else if (name === 'save') save(view, JSON.parse(rest || '{}'));
    else if (!view.readonly) change(view, name, rest);
  }

  function change(view: View, name: string, rest: string): void {
    if (name === 'touch') touched(view);
    else if (name === 'savetostorage') saver.force();
    else if (name === 'set' || name === 'add' || name === 'remove') edit(view, name, JSON.parse(rest));
  }

  /** As the real one: while it saves, it drops requests for another. */
  function save(view: View, options: SaveOptions): void {
    if (saving) return;
    if (faults.saveMs === 0) saveNow(view, options);
    else {
      saving = true;
      setTimeout(() => {
        saving = false;
        saveNow(view, options);
      }, faults.saveMs);
    }
  }

  function saveNow(view: View, options: SaveOptions): void {
    const { dontSaveIfUnmodified: onlyIfModified = false, extendedData } = options;
    const saved = !view.readonly && saver.save({ writer: view, onlyIfModified, extendedData });
    const result = saved ? '' : view.readonly ? 'readonly' : 'unmodified';
    tell(`saveresult: ${JSON.stringify({ success: saved, result })}`, view);
  }

  return {
    wopiSrc,
    unloading: () => unloading !== undefined,
    timestamp: saver.timestamp,
    /** Lets a view in. `changed`: CheckFileInfo told it of another LastModifiedTime than the one we know. */
    join(view: Omit<View, 'id'>, changed: boolean): View {
      const entered: View = { ...view, id: nextView++ };
      views.add(entered);
      listed.add(entered);
      const { sessionId, userId, userName, readonly, socket } = entered;
      const [file, name, user] = [info.BaseFileName, userName, userId].map(encodeURIComponent);
      notify(
        'adddoc',
        `${pid} ${file} ${sessionId} ${name} ${user} ${memory()} ${new URL(wopiSrc).hostname} ${readonly ? 1 : 0} ${wopiSrc} ${encodeURIComponent(wopiSrc)}`,
      );
      socket.send(`perm: ${readonly ? 'readonly' : 'edit'}`);
      socket.send(lines(entered));
      tellViews();
      socket.send('docloaded');
      socket.send(`modified: ${saver.modified()}`);
      if (changed && saver.modified()) tell('error: cmd=storage kind=documentconflict');
      else if (changed) closeAll('documentconflict');
      return entered;
    },
    receive,
    leave,
    closeAll,
    /** Tells the views to go and does not wait until they have. */
    shutDown(): void {
      closeAll('shuttingdown');
      for (const view of [...views]) void leave(view);
    },
    /** Ends without saving, as when its process is killed. */
    drop(): void {
      saver.drop();
      for (const { socket } of views) socket.terminate();
      views.clear();
      for (const view of [...listed]) unlist(view);
      deps.ended();
    },
    /** Cuts the connections; the views come back by themselves. */
    dropSockets(): void {
      for (const { socket } of views) socket.terminate();
    },
    describe: () => ({
      pid,
      wopiSrc,
      fileName: info.BaseFileName,
      memory: memory(),
      openedAt,
      lastActivity,
      modified: saver.modified(),
      uploaded: saver.stored(),
      views: [...listed].map(({ sessionId, userId, userName, readonly }) => ({
        sessionId,
        userId,
        userName,
        readonly,
      })),
    }),
  };

  function memory(): number {
    return 20_000 + Math.ceil(deps.bytes.length / 1024);
  }
}

export type Document = ReturnType<typeof createDocument>;
