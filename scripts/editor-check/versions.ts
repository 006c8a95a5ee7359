import { strFromU8, unzipSync } from 'fflate';
import type { EmbedConfig, EmbedSession, EmbedSessionState } from '../../src/common/generated/wire.ts';
import { waitFor } from './wait.ts';

/** Reads versions of one document through the gate's interface, around the line and the front. */
export interface Versions {
  state(): Promise<EmbedSessionState>;
  /** The file of the newest version. */
  newest(): Promise<Buffer>;
  /** Waits until the newest version holds all of these texts. @returns those that it does not hold after `limit` seconds */
  missing(texts: readonly string[], limit: number): Promise<string[]>;
}

/**
 * @param gateUrl the gate's public side
 * @param config of the document; its reader is a user of its own, who only views
 */
export async function readVersions(gateUrl: string, { document }: EmbedConfig): Promise<Versions> {
  const body = JSON.stringify({ document, editor: { mode: 'view', user: { id: 'reader', name: 'Reader' } } });
  const headers = { 'Content-Type': 'application/json' };
  const made = await fetch(`${gateUrl}/svc/embed/session`, { method: 'POST', headers, body });
  if (made.status !== 201) throw new Error(`the gate answers ${made.status} ${await made.text()}`);
  const { session_id: id, form } = (await made.json()) as EmbedSession;

  async function state(): Promise<EmbedSessionState> {
    const headers = { Authorization: `Bearer ${form.access_token}` };
    const answer = await fetch(`${gateUrl}/svc/embed/session/${id}`, { headers });
    if (answer.status !== 200) throw new Error(`the gate answers ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as EmbedSessionState;
  }

  async function download({ download_url: url }: EmbedSessionState): Promise<Buffer> {
    const { pathname, search } = new URL(url, gateUrl);
    const answer = await fetch(`${gateUrl}${pathname}${search}`);
    if (answer.status !== 200) throw new Error(`the gate answers ${answer.status} ${await answer.text()}`);
    return Buffer.from(await answer.arrayBuffer());
  }

  let known: { version: number; text: string } | undefined;

  /** The gate may be away, or somewhere else in its life. */
  async function newestText(): Promise<string> {
    const current = await state().catch(() => undefined);
    if (current && current.version !== known?.version) {
      const bytes = await download(current).catch(() => undefined);
      if (bytes) known = { version: current.version, text: readText(bytes) };
    }
    return known?.text ?? '';
  }

  return {
    state,
    newest: async () => download(await state()),
    async missing(texts, limit) {
      let left = [...texts];
      await waitFor(async () => {
        const text = await newestText();
        left = texts.filter((wanted) => !text.includes(wanted));
        return left.length === 0;
      }, limit);
      return left;
    },
  };
}

/** The text of a docx file, in lower case since the editor begins sentences with a capital letter. */
function readText(docx: Uint8Array): string {
  const name = 'word/document.xml';
  const parts = unzipSync(docx, { filter: (file) => file.name === name });
  return strFromU8(parts[name] ?? new Uint8Array())
    .replace(/<[^>]*>/g, '')
    .toLowerCase();
}
