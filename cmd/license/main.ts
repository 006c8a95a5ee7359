/** Licence keys and tokens for whoever hands out licences: see docs/license.md. */
import { UsageError } from './arguments.ts';
import { keys } from './keys.ts';
import { mint } from './mint.ts';
import { show } from './show.ts';

const USAGE = `Usage: npm run license -- <command> [options]

  keys --out DIR [--kid ID]
      Makes an Ed25519 key pair. The private key goes to DIR/license-<kid>.private.jwk, the public
      one is added to the JWK Set DIR/license-keys.json.

  mint --key FILE --conns N --days N --sub NAME [--features A,B] [--out FILE]
      Signs a licence token with the private key in FILE and prints it, or writes it to --out.
        --conns     concurrent editing connections
        --features  api_full (DocBuilder in the Enterprise plan), callback (job callbacks)
        --days      days from now until it expires; 30 days of grace follow
        --sub       whom it is for

  show --token FILE --keys FILE
      Verifies a token against a JWK Set and prints what it grants.

Exit status: 0 done; 1 show found that the licence does not count; 2 a mistake, nothing was done.`;

const COMMANDS = new Map([
  ['keys', keys],
  ['mint', mint],
  ['show', show],
]);

async function run([name, ...args]: readonly string[]): Promise<number> {
  if (name === 'help' || name === '--help' || name === '-h' || args.includes('--help')) {
    console.log(USAGE);
    return 0;
  }
  const command = COMMANDS.get(name ?? '');
  if (!command) {
    console.error(name === undefined ? USAGE : `license: there is no command ${name}\n\n${USAGE}`);
    return 2;
  }
  try {
    return await command(args);
  } catch (error) {
    // A full disk or a folder without write permission is nothing that a stack helps with, either.
    const mistakes = error instanceof UsageError ? error.mistakes : [(error as Error).message];
    for (const mistake of mistakes) console.error(`license ${name}: ${mistake}`);
    if (error instanceof UsageError) console.error('Options: npm run license -- help');
    return 2;
  }
}

process.exitCode = await run(process.argv.slice(2));
