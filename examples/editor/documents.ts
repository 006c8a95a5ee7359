import type { WebSocket } from 'ws';
import { createDocument, type Document } from './document.ts';
import type { EditorOptions, Faults, Timings } from './options.ts';
import type { DocumentUri } from './uri.ts';
import type { FileInfo, WopiClient } from './wopi.ts';

export interface DocumentsDeps {
  options: EditorOptions;
  timings: Timings;
  faults: Faults;
  wopi: WopiClient;
  notify(topic: string, line: string): void;
}

/** All documents that are open. Views with the same WOPISrc, whatever its query, share one. */
export function createDocuments(deps: DocumentsDeps) {
  const { options, timings, faults, wopi } = deps;
  const open = new Map<string, Promise<Document | undefined>>();
  const loaded = new Map<string, Document>();
  let nextPid = 1000;
  let nextSession = 1;

  async function load(uri: DocumentUri, info: FileInfo): Promise<Document | undefined> {
    const { wopiSrc } = uri;
    const bytes = faults.load === 'fail' ? undefined : await wopi.getFile(uri);
    try {
      if (!bytes) return undefined;
      const ended = (): void => {
        loaded.delete(wopiSrc);
        open.delete(wopiSrc);
      };
      const document = createDocument({ ...deps, pid: nextPid++, wopiSrc, info, bytes, ended });
      loaded.set(wopiSrc, document);
      return document;
    } catch {
      return undefined;
    }
  }

  /** Serves one editing socket from its first message to its end. */
  async function connect(socket: WebSocket, uri: DocumentUri): Promise<void> {
    const refuse = (error: string): void => {
      socket.send(`error: ${error}`);
      socket.close(1000);
    };
    const gone = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => {});
    const ping = setInterval(() => socket.ping(), timings.ping).unref();
    void gone.then(() => clearInterval(ping));
    socket.send('statusindicator: find');
    if (!allowed(uri.wopiSrc)) return refuse('cmd=internal kind=unauthorized');
    const before = loaded.get(uri.wopiSrc)?.timestamp();
    const info = await wopi.checkFileInfo(uri);
    if (!info) return refuse('cmd=internal kind=unauthorized');
    if (loaded.get(uri.wopiSrc)?.unloading()) return refuse('cmd=load kind=docunloading');
    const { UserCanWrite = false, EnableOwnerTermination } = info;
    // As the real one: behind TLS a page is taken to be behind TLS too.
    const PostMessageOrigin = options.sslTermination
      ? info.PostMessageOrigin?.replace(/^http:/, 'https:')
      : info.PostMessageOrigin;
    const readonly = !UserCanWrite || uri.access.get('permission') === 'readonly';
    socket.send(`wopi: ${JSON.stringify({ ...info, PostMessageOrigin, UserCanWrite: UserCanWrite && !readonly })}`);
    const given = uri.access.get('password');
    if (faults.password !== '' && given !== faults.password) {
      return refuse(`cmd=load kind=${given === null ? 'passwordrequired:to-view' : 'wrongpassword'}`);
    }
    const loading = open.get(uri.wopiSrc) ?? load(uri, info);
    open.set(uri.wopiSrc, loading);
    const document = await loading;
    if (!document) {
      open.delete(uri.wopiSrc);
      return refuse('cmd=load kind=faileddocloading');
    }
    if (document.unloading()) return refuse('cmd=load kind=docunloading');
    // Compared only when no upload came between, which would have changed it.
    const known = document.timestamp();
    const changed = known !== undefined && known === before && known !== (info.LastModifiedTime ?? '');
    const sessionId = (nextSession++).toString(16).padStart(3, '0');
    const userId = info.UserId ?? '';
    const view = document.join(
      {
        uri,
        expired: false,
        sessionId,
        userId,
        userName: info.UserFriendlyName ?? `UnknownUser_${sessionId}`,
        extra: info.UserExtraInfo,
        readonly,
        terminates: EnableOwnerTermination === true && userId !== '' && userId === info.OwnerId,
        socket,
      },
      changed,
    );
    socket.on('message', (data) => document.receive(view, String(data)));
    await gone;
    await document.leave(view);
  }

  function allowed(wopiSrc: string): boolean {
    const { host, hostname } = new URL(wopiSrc);
    return options.wopiAllow?.some((name) => name === host || name === hostname) ?? true;
  }

  const each = (work: (document: Document) => void): void => [...loaded.values()].forEach(work);

  return {
    connect,
    allowed,
    describe: () => [...loaded.values()].map((document) => document.describe()),
    dropSockets: () => each((document) => document.dropSockets()),
    kill(pid?: number): void {
      each((document) => {
        if (pid === undefined || document.describe().pid === pid) document.drop();
      });
    },
    /** Closes and saves everything, for so many milliseconds at most. */
    async shutDown(withinMs: number): Promise<void> {
      each((document) => document.shutDown());
      const deadline = performance.now() + withinMs;
      while (loaded.size > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
      each((document) => document.drop());
    },
  };
}

export type Documents = ReturnType<typeof createDocuments>;
