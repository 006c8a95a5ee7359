import { joined, type Run } from './load.ts';

/**
 * Two runs of the same jobs, in blocks that alternate (ABBA …): what slows the machine for a while slows both.
 * @param run does the part of the jobs from `start` to `end` for one of them
 */
export async function alternate<Name extends string>(
  names: readonly [Name, Name],
  { jobs, blocks }: { jobs: number; blocks: number },
  run: (name: Name, start: number, end: number, block: number) => Promise<Run>,
): Promise<Record<Name, Run>> {
  const [first, second] = names;
  const runs = new Map<Name, Run[]>(names.map((name) => [name, []]));
  const size = Math.ceil(jobs / blocks);
  for (let block = 0; block < blocks; block++) {
    for (const name of block % 2 === 0 ? [first, second] : [second, first]) {
      runs.get(name)?.push(await run(name, block * size, (block + 1) * size, block));
    }
  }
  return Object.fromEntries([...runs].map(([name, parts]) => [name, joined(parts)])) as Record<Name, Run>;
}

/** Does both, in every other round the second first. */
export async function inTurn(
  round: number,
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<[number, number]> {
  if (round % 2 === 0) return [await first(), await second()];
  const after = await second();
  return [await first(), after];
}
