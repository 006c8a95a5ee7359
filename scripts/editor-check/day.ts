import type { Scene, Tally } from './scene.ts';

/** Something that happens to people who edit. */
export interface Day {
  /** For `--only`. */
  name: string;
  /** For the table. */
  about: string;
  /** Says what the day needs that is not there; undefined when it can be played. */
  lacks?(stage: Pick<Scene, 'options' | 'service'>): string | undefined;
  /** Seconds within which `save()` has to work once the service is back; no limit unless given. */
  within?: number;
  /** Plays it. @throws {Error} when something else is not as it has to be */
  play(scene: Scene): Promise<void>;
}

/** The result of a day. */
export interface Outcome {
  day: Day;
  tally: Tally;
  verdict: 'ok' | 'failed' | 'left out';
  /** Why it failed or was left out. */
  reasons: string[];
}

const STAND_IN_LACKS = 'the stand-in does not do this';

/** For days on which the editor has to be the real one. */
export function lacksEditor({ options }: Pick<Scene, 'options'>): string | undefined {
  return options.onlineUrl === undefined ? STAND_IN_LACKS : undefined;
}

/** For days on which the editor is killed. */
export function lacksCommands({ service }: Pick<Scene, 'service'>): string | undefined {
  return service.editor ? undefined : 'needs --editor-kill and --editor-start';
}

/** Plays one day and judges it. */
export async function playDay(day: Day, scene: Scene): Promise<Outcome> {
  const { tally } = scene;
  const reasons: string[] = [];
  const lack = day.lacks?.(scene);
  if (lack !== undefined) return { day, tally, verdict: 'left out', reasons: [lack] };
  try {
    await day.play(scene);
  } catch (error) {
    reasons.push((error as Error).message);
  } finally {
    await scene.clear();
  }
  const { within } = day;
  const late = within === undefined ? [] : tally.back.filter((back) => back === undefined || back > within);
  if (tally.lost.length > 0) reasons.unshift(`${tally.lost.length} edits lost`);
  if (late.length > 0) reasons.push(`save() did not work within ${within} s in ${late.length} of ${tally.back.length}`);
  reasons.push(...tally.faults);
  return { day, tally, verdict: reasons.length === 0 ? 'ok' : 'failed', reasons };
}
