import { openContent } from '../../examples/editor/content/content.ts';
import type { EmbedSession } from '../../src/common/generated/wire.ts';
import { type EditorClient, EditorRefused } from '../editor/client.ts';
import type { Arrived } from './gate-receiver.ts';
import type { Stack } from './stack.ts';
import { until } from './until.ts';

/** A callback, once it has arrived. */
export function arrived(
  { receiver }: Pick<Stack, 'receiver'>,
  status: 'saved' | 'closed',
  version: number,
): Promise<Arrived> {
  return until(`${status} ${version}`, () =>
    receiver.arrived.find(({ body }) => body.status === status && body.version === version),
  );
}

/** The bytes of a download link. */
export async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

/** The text of a docx file, by paragraphs. */
export function readLines(bytes: Uint8Array): string[] {
  return openContent('a.docx', bytes)
    .lines()
    .map(({ text }) => text);
}

/** POST /svc/embed/session/{session_id}/mode, which must be answered. */
export async function changeMode(
  stack: Pick<Stack, 'ask'>,
  session: EmbedSession,
  mode: string,
): Promise<EmbedSession> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await stack.ask(session, '/mode', { method: 'POST', headers, body: JSON.stringify({ mode }) });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as EmbedSession;
}

/** Returns the refusal of an opening. @throws when it was not refused */
export function refusal(opening: Promise<EditorClient>): Promise<EditorRefused> {
  return opening.then(
    () => {
      throw new Error('was let in');
    },
    (error: unknown) => {
      if (error instanceof EditorRefused) return error;
      throw error;
    },
  );
}
