import type { Content } from './content.ts';

const BOM = '\ufeff';

/** Text in UTF-8; its line ends, its byte order mark and a missing last line end stay as they are. */
export function createPlainText(bytes: Uint8Array): Content {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    text = Buffer.from(bytes).toString('latin1');
  }
  const encoding = Buffer.compare(Buffer.from(text), bytes) === 0 ? 'utf8' : 'latin1';
  const mark = text.startsWith(BOM) ? BOM : '';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text
    .slice(mark.length)
    .split(lineEnd)
    .map((line, index) => ({ id: `p${index}`, text: line }));
  const position = (id: string): number => lines.findIndex((line) => line.id === id);
  const oneLine = (value: string): string => value.replaceAll(/\r?\n/g, ' ');
  return {
    editable: true,
    lines: () => lines.map((line) => ({ ...line })),
    set(id, value) {
      const line = lines[position(id)];
      if (line) line.text = oneLine(value);
      return line !== undefined;
    },
    add(id, after, value) {
      const index = after === null ? -1 : position(after);
      if ((after !== null && index < 0) || position(id) >= 0) return false;
      lines.splice(index + 1, 0, { id, text: oneLine(value) });
      return true;
    },
    remove: (id) => position(id) >= 0 && lines.splice(position(id), 1).length > 0 && 'removed',
    render: () => Buffer.from(mark + lines.map((line) => line.text).join(lineEnd), encoding),
  };
}
