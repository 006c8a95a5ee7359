import { globSync } from 'node:fs';
import { reaches, readImports } from './imports.ts';

/** Both start the services of a test on the store that was asked for. */
const [TEST_STORE, OFFICE] = ['test/support/test-store.ts', 'test/e2e/cluster/support/office.ts'];
/** A suite that imports one of these chooses the store of each of its services itself. */
const OWN_SERVERS = [
  'test/support/postgres.ts',
  'test/support/s3-server.ts',
  'test/support/replicas.ts',
  'test/e2e/cluster/support/shared-instance.ts',
];

/** The tests that drive the services as their users and attackers do, and run on either store. */
export const sharedSuites = (root: string): string[] =>
  onEitherStore(root, 'test/{contract,attack}/*.test.ts', TEST_STORE);

/** The tests on a cluster that run on either store. */
export const sharedClusterSuites = (root: string): string[] =>
  onEitherStore(root, 'test/e2e/cluster/*.test.ts', OFFICE);

/** Those of the test files whose services keep anything, and that name no store themselves. */
function onEitherStore(root: string, files: string, starter: string): string[] {
  return globSync(files, { cwd: root })
    .filter((file) => reaches(file, starter))
    .filter((file) => !readImports(`${root}/${file}`).some(({ to }) => OWN_SERVERS.includes(to)))
    .toSorted();
}
