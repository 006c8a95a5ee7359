import { randomBytes, randomInt } from 'node:crypto';
import { writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { openDataDir } from '../../cmd/gate/store/data-dir.ts';
import { bringTo } from './gate-bring.ts';
import { deliveryRecord, documentRecord, versionRecord } from './gate-records.ts';

/** A process that saves without end into the data folder of its argument, and writes down what was acknowledged. */
const data = await openDataDir(process.argv[2] ?? '');

for (;;) {
  const bytes = randomBytes(randomInt(200_000));
  const uploaded = await bringTo(data, Readable.from([bytes.subarray(0, 1000), bytes.subarray(1000)]));
  const version = await data.rows.transact(async (t) => {
    const document = (await t.document('doc_a')) ?? documentRecord();
    const next = document.version + 1;
    await t.putDocument({ ...document, version: next });
    await t.putVersion(versionRecord({ version: next, ...uploaded }));
    await t.addDelivery(deliveryRecord({ version: next }));
    return next;
  });
  writeSync(1, `${version} ${uploaded.sha256}\n`);
}
