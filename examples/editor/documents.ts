import type { WebSocket } from 'ws';
import type { ListedDocument } from './admin.ts';
import { Document, type View } from './document.ts';
import type { EditorOptions, Timings } from './options.ts';
import type { DocumentUri } from './uri.ts';
import type { FileInfo, WopiClient } from './wopi.ts';

export interface DocumentsDeps {
  options: EditorOptions;
  timings: Timings;
  wopi: WopiClient;
}

/** All documents that are open. Views with the same WOPISrc, whatever its query, share one. */
export class Documents {
  readonly #deps: DocumentsDeps;
  readonly #open = new Map<string, Promise<Document | undefined>>();
  readonly #loaded = new Map<string, Document>();
  #nextPid = 1000;
  #nextSession = 1;

  constructor(deps: DocumentsDeps) {
    this.#deps = deps;
  }

  /** Serves one editing socket from its first message to its end. */
  async connect(socket: WebSocket, uri: DocumentUri): Promise<void> {
    const gone = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => {});
    const ping = setInterval(() => socket.ping(), this.#deps.timings.ping).unref();
    void gone.then(() => clearInterval(ping));
    socket.send('statusindicator: find');
    const entered = await this.#enter(socket, uri);
    if (typeof entered === 'string') {
      socket.send(`error: ${entered}`);
      socket.close(1000);
      return;
    }
    const { document, view } = entered;
    socket.on('message', (data) => document.receive(view, String(data)));
    await gone;
    await document.leave(view);
  }

  /** Returns whether the WOPI host is allowed. */
  isAllowed(wopiSrc: string): boolean {
    const { host, hostname } = new URL(wopiSrc);
    return this.#deps.options.wopiAllow?.some((name) => name === host || name === hostname) ?? true;
  }

  describe(): ListedDocument[] {
    return [...this.#loaded.values()].map((document) => document.describe());
  }

  dropSockets(): void {
    for (const document of this.#loaded.values()) document.dropSockets();
  }

  /** Ends all without saving. */
  kill(): void {
    for (const document of [...this.#loaded.values()]) document.drop();
  }

  /** Closes and saves everything, for so many milliseconds at most. */
  async shutDown(withinMs: number): Promise<void> {
    for (const document of [...this.#loaded.values()]) document.shutDown();
    const deadline = performance.now() + withinMs;
    while (this.#loaded.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    this.kill();
  }

  /** Lets a socket into its document. @returns the error if it is refused */
  async #enter(socket: WebSocket, uri: DocumentUri): Promise<{ document: Document; view: View } | string> {
    const { wopi } = this.#deps;
    const { wopiSrc } = uri;
    if (!this.isAllowed(wopiSrc)) return 'cmd=internal kind=unauthorized';
    const before = this.#loaded.get(wopiSrc)?.timestamp();
    const info = await wopi.checkFileInfo(uri);
    if (!info) return 'cmd=internal kind=unauthorized';
    if (this.#loaded.get(wopiSrc)?.isUnloading()) return 'cmd=load kind=docunloading';
    const readonly = !info.UserCanWrite || uri.access.get('permission') === 'readonly';
    socket.send(`wopi: ${JSON.stringify(this.#forPage(info, readonly))}`);
    const loading = this.#open.get(wopiSrc) ?? this.#load(uri, info);
    this.#open.set(wopiSrc, loading);
    const document = await loading;
    if (!document) {
      this.#open.delete(wopiSrc);
      return 'cmd=load kind=faileddocloading';
    }
    if (document.isUnloading()) return 'cmd=load kind=docunloading';
    // Compared only when no upload came between, which would have changed it.
    const known = document.timestamp();
    const changed = known !== undefined && known === before && known !== (info.LastModifiedTime ?? '');
    return { document, view: document.join({ ...this.#createView(info), uri, readonly, socket }, changed) };
  }

  /** Returns CheckFileInfo for the page. As the real one: behind TLS a page is taken to be behind TLS too. */
  #forPage(info: FileInfo, readonly: boolean): FileInfo {
    const origin = info.PostMessageOrigin;
    const PostMessageOrigin = this.#deps.options.sslTermination ? origin?.replace(/^http:/, 'https:') : origin;
    return { ...info, ...(PostMessageOrigin !== undefined && { PostMessageOrigin }), UserCanWrite: !readonly };
  }

  #createView(info: FileInfo): Omit<View, 'id' | 'uri' | 'readonly' | 'socket'> {
    const sessionId = (this.#nextSession++).toString(16).padStart(3, '0');
    return {
      sessionId,
      userId: info.UserId ?? '',
      userName: info.UserFriendlyName ?? `UnknownUser_${sessionId}`,
      extra: info.UserExtraInfo,
      expired: false,
    };
  }

  async #load(uri: DocumentUri, info: FileInfo): Promise<Document | undefined> {
    const { wopiSrc } = uri;
    const bytes = await this.#deps.wopi.getFile(uri);
    if (!bytes) return undefined;
    const onEnd = (): void => {
      this.#loaded.delete(wopiSrc);
      this.#open.delete(wopiSrc);
    };
    try {
      const document = new Document({ ...this.#deps, pid: this.#nextPid++, wopiSrc, info, bytes, onEnd });
      this.#loaded.set(wopiSrc, document);
      return document;
    } catch {
      return undefined;
    }
  }
}
