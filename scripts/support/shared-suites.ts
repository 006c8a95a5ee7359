import { globSync } from 'node:fs';
import { importsOf, reaches } from './imports.ts';

/** Tests that drive the services as their users and attackers do. */
const SUITES = 'test/{contract,attack}/*.test.ts';
/** Starts the services of a test on the store that was asked for. */
const TEST_STORE = 'test/support/test-store.ts';
/** Who starts these itself says which store each of its services works on. */
const OWN_SERVERS = ['test/support/postgres.ts', 'test/support/s3-server.ts', 'test/support/replicas.ts'];

/** The test files that run on either store: those whose services keep anything, and that name no store themselves. */
export function sharedSuites(root: string): string[] {
  return globSync(SUITES, { cwd: root })
    .filter((file) => reaches(file, TEST_STORE))
    .filter((file) => !importsOf(`${root}/${file}`).some(({ to }) => OWN_SERVERS.includes(to)))
    .toSorted();
}
