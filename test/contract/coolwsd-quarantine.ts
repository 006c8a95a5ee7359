import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The quarantine as coolwsd 25.04 fills and shrinks it (wsd/QuarantineUtil.cpp): a copy of every save, named
 * `<encoded address>/<Unix time>_<process>_<name>`; above its limit the oldest file goes of the document that has most.
 * It counts its files in memory, those too that others have removed.
 */
export function coolwsdQuarantine(folder: string, limitBytes: number) {
  const files = new Map<string, { path: string; size: number }[]>();
  let second = 1_790_000_000;

  async function shrink(incoming: number): Promise<void> {
    let total = incoming;
    for (const list of files.values()) for (const { size } of list) total += size;
    while (total > limitBytes) {
      const [most] = [...files.values()].filter((list) => list.length > 0).sort((a, b) => b.length - a.length);
      const oldest = most?.shift();
      if (!oldest) return;
      await rm(oldest.path, { force: true });
      total -= oldest.size;
    }
  }

  return {
    /** Takes a copy of a save, before it is uploaded. */
    async add(wopiSrc: string, pid: number, content: Buffer): Promise<void> {
      const key = encodeURIComponent(wopiSrc);
      await mkdir(join(folder, key), { recursive: true });
      await shrink(content.length);
      second += 1;
      const path = join(folder, key, `${second}_${pid}_B%C3%A1o%20c%C3%A1o.docx`);
      await writeFile(path, content);
      files.set(key, [...(files.get(key) ?? []), { path, size: content.length }]);
    },
  };
}
