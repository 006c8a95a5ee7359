type Step = () => Promise<void>;

const steps: Step[] = [];

/** Has `step` done after the last test of this run, in the reverse order of calls: for what test files share. */
export function atEnd(step: Step): void {
  steps.unshift(step);
}

/** For the root hook: does all that was asked for. */
export async function end(): Promise<void> {
  for (const step of steps.splice(0)) await step();
}
