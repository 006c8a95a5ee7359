// Downloads argv[2] to argv[3] with the allow list argv[4] and prints how it ended: for tests of the process around it.
import { parseAllowList } from '../../src/common/net/allow-list.ts';
import { createOutbound } from '../../src/common/net/outbound.ts';

const [url = '', path = '', allow = ''] = process.argv.slice(2);
const outbound = createOutbound({ allow: parseAllowList(allow).list, userAgent: 'SVC-Test/1.0' });
const outcome = await outbound.download(url, { path, maxBytes: 1e6, timeoutMs: 5000 }).then(
  () => 'downloaded',
  (error: Error & { code?: string }) => ({ name: error.name, code: error.code }),
);
process.stdout.write(JSON.stringify(outcome));
