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

/**
 * Does both in each round, in every other one the second first.
 * @param rounds.warmUp rounds before those that count
 * @returns what each gave, by the rounds that count
 */
export async function inRounds(
  { warmUp, rounds }: { warmUp: number; rounds: number },
  first: (round: number) => Promise<number>,
  second: (round: number) => Promise<number>,
): Promise<[number[], number[]]> {
  const firsts: number[] = [];
  const seconds: number[] = [];
  for (let round = 0; round < warmUp + rounds; round++) {
    if (round % 2 === 1) seconds.push(await second(round));
    firsts.push(await first(round));
    if (round % 2 === 0) seconds.push(await second(round));
  }
  return [firsts.slice(warmUp), seconds.slice(warmUp)];
}
