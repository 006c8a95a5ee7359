import Mocha from 'mocha';

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
    const { passes = 0, failures = 0, pending = 0 } = this.stats ?? {};
    for (const test of this.unsteady) process.stdout.write(`  run again after a failure: ${test}\n`);
    const counts = [`${passes} passed`, `${failures} failed`];
    if (pending > 0) counts.push(`${pending} skipped`);
    if (this.unsteady.length > 0) counts.push(`${this.unsteady.length} run again`);
    process.on('exit', () => process.stdout.write(`${counts.join(', ')}\n`));
  }
}
