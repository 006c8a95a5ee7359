/** A message of the editor's page. */
export interface EditorMessage {
  MessageId: string;
  Values: Record<string, unknown>;
}

/** The origin of a message, and its content. */
export interface Posted {
  origin: string;
  source: unknown;
  data: unknown;
}

/**
 * A message of one frame's page, undefined for everything else. Both must be right: the origin, since a frame may be
 * navigated by others, and the window, since other frames may show pages of that origin, such as a second editor.
 */
export function readMessage(event: Posted, origin: string, source: unknown): EditorMessage | undefined {
  if (event.origin !== origin || !source || event.source !== source) return undefined;
  // The editor always sends text.
  if (typeof event.data !== 'string') return undefined;
  try {
    const { MessageId, Values } = JSON.parse(event.data);
    if (typeof MessageId !== 'string') return undefined;
    return { MessageId, Values: typeof Values === 'object' && Values !== null ? Values : {} };
  } catch {
    return undefined;
  }
}

/** A message to the editor's page. */
export function writeMessage(id: string, values: Record<string, unknown> = {}): string {
  return JSON.stringify({ MessageId: id, SendTime: Date.now(), Values: values });
}
