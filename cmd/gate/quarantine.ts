/** The edits that never became a version, for administrators: see docs/operations.md. */
import { basicAuthorization } from '../../src/common/http/basic-auth.ts';
import { type Config, loadConfig, selfUrl } from './config.ts';
import type { Unsaved } from './domain/unsaved.ts';

const USAGE = `Usage: node dist/cmd/gate/quarantine.js <command>, in the gate's container

  list          Prints the edits that never became a version: id, time, bytes, key and title of the document.
  restore ID    Makes a version of one and sends its callback. Nobody may have the document open.
  discard ID    Deletes one.

Exit status: 0 success; 1 the gate refuses; 2 wrong usage, or the gate cannot be reached.`;

type Call = (method: string, path: string) => Promise<Response>;

const COMMANDS: Record<string, (call: Call, id: string) => Promise<string>> = {
  async list(call) {
    const { unsaved } = (await (await call('GET', '/')).json()) as { unsaved: Unsaved[] };
    // A title may have anything in it, such as what moves a terminal's cursor.
    const plain = (text: unknown) => String(text ?? '').replace(/\p{Cc}/gu, '\ufffd');
    return unsaved.map(({ id, at, size, key, title }) => [id, at, size, key, title].map(plain).join('\t')).join('\n');
  },
  async restore(call, id) {
    const { doc_id, version } = (await (await call('POST', `/${id}/restore`)).json()) as Record<string, unknown>;
    return `version ${version} of ${doc_id}`;
  },
  async discard(call, id) {
    await call('DELETE', `/${id}`);
    return 'discarded';
  },
};

/** The gate refuses. */
class Refused extends Error {}

function caller({ internalListen, editor }: Config): Call {
  const url = selfUrl(internalListen);
  const authorization = basicAuthorization(editor.adminUser, editor.adminPassword);
  return async (method, path) => {
    const response = await fetch(`${url}/svc/quarantine${path}`, { method, headers: { authorization } });
    if (!response.ok) throw new Refused(`the gate answered ${response.status}: ${await response.text()}`);
    return response;
  };
}

async function run([name = '', id = '', ...rest]: readonly string[]): Promise<number> {
  const command = COMMANDS[name];
  if (!command || rest.length > 0 || (id === '') !== (name === 'list')) {
    console.error(USAGE);
    return 2;
  }
  try {
    const text = await command(caller(loadConfig(process.env)), encodeURIComponent(id));
    if (text !== '') console.log(text);
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return error instanceof Refused ? 1 : 2;
  }
}

process.exitCode = await run(process.argv.slice(2));
