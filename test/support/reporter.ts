import Mocha from 'mocha';

/** Mocha's spec report, closed by one line that tools and people can read: `N passed, N failed`. */
export default class Reporter extends Mocha.reporters.Spec {
  override epilogue(): void {
    super.epilogue();
    const { passes = 0, failures = 0, pending = 0 } = this.stats ?? {};
    process.on('exit', () => {
      process.stdout.write(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`);
    });
  }
}
