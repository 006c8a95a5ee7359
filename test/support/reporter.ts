import Mocha from 'mocha';
import { report } from '../../scripts/support/tally.ts';

/**
 * Mocha's spec report, closed by one line that tools and people can read: `N passed, N failed`. A test that passed only
 * when it was run again is named: it, or what it tests, needs a look.
 */
export default class Reporter extends Mocha.reporters.Spec {
  private readonly unsteady: string[] = [];

  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(Mocha.Runner.constants.EVENT_TEST_RETRY, (test, error: Error) => {
      this.unsteady.push(`${test.fullTitle()}\n     ${error.stack ?? error.message}`);
    });
  }

  override epilogue(): void {
    super.epilogue();
    const { passes: passed = 0, pending: skipped = 0 } = this.stats ?? {};
    const failed = this.failures.map((test) => `${test.fullTitle()}: ${test.err?.message}`);
    for (const test of this.unsteady) process.stdout.write(`  run again after a failure: ${test}\n`);
    process.on('exit', () => report({ passed, failed, skipped, runAgain: this.unsteady.length }));
  }
}
