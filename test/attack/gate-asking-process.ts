import { once } from 'node:events';
import { SharedPlaces } from '../../cmd/gate/domain/places.ts';
import type { Shared } from '../../cmd/gate/domain/ports.ts';
import { createPostgresRows } from '../../cmd/gate/store/postgres-rows.ts';

/**
 * A gate that does nothing but ask for places, until it is killed: `node … <database> <name> <limit>`. It says that it is
 * ready, begins with the first message, and reports after each round whom it let in.
 */
const [, , url = '', name = '', limit = ''] = process.argv;
const { shared } = await createPostgresRows(url);
const places = new SharedPlaces((shared as Shared).places, { limit: () => Number(limit), clock: Date.now });
process.send?.('ready');
await once(process, 'message');

for (let round = 0; ; round += 1) {
  const ids = [1, 2, 3].map((number) => `${name}-${round}-${number}`);
  const answers = await Promise.all(
    ids.map((sessionId) => places.use((counting) => counting.admit(sessionId).admitted)),
  );
  process.send?.(ids.filter((_, index) => answers[index]));
}
