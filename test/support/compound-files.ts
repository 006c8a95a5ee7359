/**
 * Compound files ([MS-CFB]) made in code: just enough of doc, xls, ppt and encrypted packages to tell them apart. No
 * office program opens them.
 */
export type Streams = Record<string, Buffer>;

const END = 0xfffffffe;
const FREE = 0xffffffff;
const FAT = 0xfffffffd;
const SECTOR = 512;
const MINI = 64;

/** A compound file of 512-byte sectors with streams in its root. Streams under 4096 bytes go into the mini stream. */
export function compoundFile(streams: Streams): Buffer {
  const sectors: Buffer[] = [];
  const fat: number[] = [];
  const add = (bytes: Buffer): number => {
    const first = sectors.length;
    for (let at = 0; at < bytes.length; at += SECTOR) {
      sectors.push(padded(bytes.subarray(at, at + SECTOR), SECTOR));
      fat.push(at + SECTOR < bytes.length ? sectors.length : END);
    }
    return bytes.length ? first : END;
  };
  const small: Buffer[] = [];
  const miniFat: number[] = [];
  const addSmall = (bytes: Buffer): number => {
    const first = miniFat.length;
    for (let at = 0; at < bytes.length; at += MINI) {
      small.push(padded(bytes.subarray(at, at + MINI), MINI));
      miniFat.push(at + MINI < bytes.length ? miniFat.length + 1 : END);
    }
    return bytes.length ? first : END;
  };

  const entries = Object.entries(streams).map(([name, bytes]) => ({
    name,
    size: bytes.length,
    start: bytes.length < 4096 ? addSmall(bytes) : add(bytes),
  }));
  const miniStream = Buffer.concat(small);
  const rootStart = add(miniStream);
  const miniFatStart = add(table(miniFat));
  const directory = [
    directoryEntry('Root Entry', 5, rootStart, miniStream.length, FREE, entries.length ? 1 : FREE),
    ...entries.map(({ name, start, size }, index) =>
      directoryEntry(name, 2, start, size, index + 1 < entries.length ? index + 2 : FREE, FREE),
    ),
  ];
  const directoryStart = add(Buffer.concat(directory));
  // The table describes its own sectors as well.
  let fatSectors = 1;
  while ((fat.length + fatSectors) * 4 > fatSectors * SECTOR) fatSectors++;
  const fatStart = fat.length;
  for (let index = 0; index < fatSectors; index++) fat.push(FAT);
  const header = Buffer.alloc(SECTOR);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(fatSectors, 44);
  header.writeUInt32LE(directoryStart, 48);
  header.writeUInt32LE(4096, 56);
  header.writeUInt32LE(miniFatStart, 60);
  header.writeUInt32LE(END, 68);
  for (let index = 0; index < 109; index++)
    header.writeUInt32LE(index < fatSectors ? fatStart + index : FREE, 76 + index * 4);
  return Buffer.concat([header, ...sectors, table(fat)]);
}

function directoryEntry(name: string, type: number, start: number, size: number, right: number, child: number): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, 0, 'utf16le');
  entry.writeUInt16LE(name.length * 2 + 2, 64);
  entry[66] = type;
  entry[67] = 1;
  entry.writeUInt32LE(FREE, 68);
  entry.writeUInt32LE(right, 72);
  entry.writeUInt32LE(child, 76);
  entry.writeUInt32LE(start, 116);
  entry.writeUInt32LE(size, 120);
  return entry;
}

function table(numbers: number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil((numbers.length * 4) / SECTOR) * SECTOR, 0xff);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32LE(number, index * 4);
  return bytes;
}

function padded(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);
}

export interface Protection {
  encrypted?: boolean;
}

export function doc({ encrypted = false }: Protection = {}): Buffer {
  const fib = Buffer.alloc(4096 + 512);
  fib.writeUInt16LE(0xa5ec, 0);
  fib.writeUInt16LE(encrypted ? 0x0300 : 0x0200, 10);
  return compoundFile({ WordDocument: fib, '1Table': Buffer.alloc(64) });
}

/** @param cipher what FilePass has first: a type of encryption and its version */
export function xls({ encrypted = false, cipher = [] }: Protection & { cipher?: number[] } = {}): Buffer {
  const record = (type: number, length: number): Buffer => {
    const bytes = Buffer.alloc(4 + length);
    bytes.writeUInt16LE(type, 0);
    bytes.writeUInt16LE(length, 2);
    return bytes;
  };
  const filePass = record(0x002f, 54);
  filePass.set(cipher, 4);
  const records = [record(0x0809, 16), record(0x0086, 0), ...(encrypted ? [filePass] : []), record(0x0042, 2)];
  return compoundFile({ Workbook: Buffer.concat([...records, Buffer.alloc(6000)]) });
}

export function ppt({ encrypted = false }: Protection = {}): Buffer {
  const user = Buffer.alloc(60);
  user.writeUInt16LE(0x0ff6, 2);
  user.writeUInt32LE(0x14, 8);
  user.writeUInt32LE(encrypted ? 0xf3d1c4df : 0xe391c05f, 12);
  return compoundFile({ 'Current User': user, 'PowerPoint Document': Buffer.alloc(5000) });
}

/** Makes an OOXML package with a password, as Office writes it. */
export function encryptedPackage(): Buffer {
  return compoundFile({ EncryptionInfo: Buffer.alloc(248), EncryptedPackage: Buffer.alloc(9000, 7) });
}
