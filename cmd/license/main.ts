/** Licence keys and tokens for whoever hands out licences: see docs/license.md. */
import { UsageError } from './arguments.ts';
import { keys } from './keys.ts';
import { mint } from './mint.ts';
import { show } from './show.ts';

const USAGE = `Usage: npm run license -- <command> [options]

  keys --out DIR [--kid ID]
      Generates an Ed25519 key pair. The private key is written to DIR/license-<kid>.private.jwk, the
      public key is added to the JWK Set DIR/license-keys.json.

  mint --key FILE --conns N --days N --sub NAME [--features A,B] [--out FILE]
      Signs a licence token with the private key in FILE and prints it, or writes it to --out.
        --conns     concurrent editing connections
        --features  api_full (DocBuilder in the Enterprise plan), callback (job callbacks),
                    whitelabel (only told by GET /svc/limits)
        --days      days from now until it expires; a grace period of 30 days follows
        --sub       name of the licensee

  show --token FILE --keys FILE
      Verifies a token against a JWK Set and prints what it grants.

Exit status: 0 success; 1 show: the licence is not valid; 2 wrong usage or an error, nothing was changed.`;

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
    console.error(name === undefined ? USAGE : `license: unknown command ${name}\n\n${USAGE}`);
    return 2;
  }
  try {
    return await command(args);
  } catch (error) {
    // A full disk or a folder without write permission is nothing that a stack helps with, either.
    const mistakes = error instanceof UsageError ? error.mistakes : [(error as Error).message];
    for (const mistake of mistakes) console.error(`license ${name}: ${mistake}`);
    if (error instanceof UsageError) console.error('For usage: npm run license -- help');
    return 2;
  }
}

process.exitCode = await run(process.argv.slice(2));
