type Step = () => Promise<void>;

/** After the last test of this run. */
export const runEnding = createEnding();
/** After the last test on a cluster: a node costs the tests that follow much of the machine. */
export const clusterEnding = createEnding();
/** The same after the last test of `test/browser`. */
export const browserEnding = createEnding();

/** Steps to take once no test file needs the shared things any more. */
function createEnding() {
  const steps: Step[] = [];
  return {
    /** Has `step` done at the end, in the reverse order of calls. */
    at: (step: Step) => void steps.unshift(step),
    /** Does all that was asked for, once. */
    async end() {
      for (const step of steps.splice(0)) await step();
    },
  };
}
