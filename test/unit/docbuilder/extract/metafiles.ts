/** Metafiles made of texts: Windows ones (MS-WMF) and enhanced ones (MS-EMF). */
export interface Drawing {
  text: string | Uint8Array;
  x?: number;
  y?: number;
  /** The width of each character; without it, the metafile has none. */
  each?: number;
  /** The character set of the font that the text is in. */
  charset?: number;
}

/** @param header whether there is a header in front that says its size */
export function wmf(drawings: readonly Drawing[], header = false): Buffer {
  const records = drawings.flatMap(({ text, x = 0, y = 0, each, charset }) => {
    const bytes = Buffer.from(text);
    const string = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
    const drawn =
      each === undefined
        ? wmfRecord(0x0521, words(bytes.length), string, words(y, x))
        : wmfRecord(0x0a32, words(y, x, bytes.length, 0), string, words(...Array<number>(bytes.length).fill(each)));
    // A pen takes the first place, so that the font has the second one.
    const font = [words(12, 0, 0, 0, 400), Buffer.from([0, 0, 0, charset ?? 0]), Buffer.alloc(36)];
    return charset === undefined
      ? [drawn]
      : [
          wmfRecord(0x02fa, words(0, 0, 0, 0, 0)),
          wmfRecord(0x02fb, ...font),
          ...[wmfRecord(0x012d, words(1)), wmfRecord(0x012d, words(0))],
          ...[drawn, wmfRecord(0x01f0, words(0)), wmfRecord(0x01f0, words(1))],
        ];
  });
  const body = [...records, wmfRecord(0)];
  const size = (18 + Buffer.concat(body).length) / 2;
  const placeable = Buffer.concat([Buffer.from('d7cdc69a', 'hex'), words(0, 0, 0, 1000, 1000, 96, 0, 0, 0)]);
  const start = words(1, 9, 0x0300, size % 65_536, Math.floor(size / 65_536), 2, 40, 0, 0);
  return Buffer.concat([...(header ? [placeable] : []), start, ...body]);
}

export function emf(drawings: readonly Drawing[]): Buffer {
  const records = drawings.flatMap(({ charset, ...drawing }) => {
    if (charset === undefined) return [emfText(drawing)];
    const font = Buffer.alloc(320);
    font.writeUInt32LE(1, 0);
    font[27] = charset;
    return [emfRecord(82, font), emfRecord(37, longs(1)), emfText(drawing)];
  });
  const end = emfRecord(14, longs(0, 16, 20));
  const size = 88 + Buffer.concat([...records, end]).length;
  const header = emfRecord(
    1,
    longs(0, 0, 999, 999, 0, 0, 9999, 9999),
    Buffer.from(' EMF'),
    longs(0x10000, size, records.length + 2, 2, 0, 0, 0, 1000, 1000, 300, 300),
  );
  return Buffer.concat([header, ...records, end]);
}

function emfText({ text, x = 0, y = 0, each }: Drawing): Buffer {
  const bytes = Buffer.from(text.toString(), 'utf16le');
  const length = bytes.length / 2;
  const string = Buffer.concat([bytes, Buffer.alloc(bytes.length % 4)]);
  const distances = each === undefined ? 0 : 76 + string.length;
  return emfRecord(
    84,
    longs(0, 0, 999, 999, 1, 0, 0, x, y, length, 76, 0, 0, 0, 0, 0, distances),
    string,
    longs(...Array<number>(each === undefined ? 0 : length).fill(each ?? 0)),
  );
}

function wmfRecord(kind: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([longs(3 + body.length / 2), words(kind), body]);
}

function emfRecord(kind: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([longs(kind, 8 + body.length), body]);
}

function words(...values: number[]): Buffer {
  return Buffer.from(Uint16Array.from(values).buffer);
}

function longs(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}
