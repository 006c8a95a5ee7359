import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Environment } from '../../src/common/config.ts';
import type { EmbedSession } from '../../src/common/generated/wire.ts';
import { useFolder } from '../support/folder.ts';
import { usePostgres } from '../support/postgres.ts';
import { s3Environment, useS3Server } from '../support/s3-server.ts';
import { type Stack, startStack } from '../support/stack.ts';

const COMMAND = resolve(import.meta.dirname, '../../cmd/gate/move.ts');

describe('an instance that moves to PostgreSQL and S3, and back', function () {
  this.timeout(120_000);
  after(() => stack?.stop());
  // They end after it.
  const s3 = useS3Server();
  const postgres = usePostgres();
  const folder = useFolder();
  let stack: Stack;
  let shared: Environment;

  before(async () => {
    stack = await startStack({ process: true, environment: { SVC_GATE_DATA_DIR: folder.at('first') } });
    shared = { SVC_DATABASE_URL: await postgres.create(), ...s3Environment(s3) };
  });

  /** Runs the command with the gate's settings and others. @returns its exit status, and what it says */
  async function move(direction: string, settings: Environment): Promise<[status: number, says: string]> {
    const env = { ...stack.environment, ...settings, PATH: process.env['PATH'] };
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, direction], { env });
      return [0, stdout.trim()];
    } catch (error) {
      const { code, stderr } = error as { code: number; stderr: string };
      return [code, stderr.trim()];
    }
  }

  /** Starts the gate again with other settings. */
  async function restart(settings: Environment): Promise<void> {
    const none = Object.fromEntries(Object.keys(shared).map((name) => [name, undefined]));
    Object.assign(stack.environment, none, settings);
    await stack.restart();
  }

  async function save({ doc_id, form }: EmbedSession, body: string): Promise<void> {
    const url = `${stack.environment['SVC_GATE_WOPI_URL']}/svc/wopi/files/${doc_id}/contents`;
    const headers = { 'X-WOPI-Override': 'PUT', authorization: `Bearer ${form.access_token}` };
    expect((await fetch(url, { method: 'POST', headers, body })).status).to.equal(200);
  }

  const read = async (url: string): Promise<string> => (await fetch(url)).text();

  it('takes documents, versions, sessions and links with it, whole, and leaves what was there', async () => {
    const session = await stack.create();
    await save(session, 'first');
    const link = (await stack.state(session)).download_url;
    const first = { ...shared, SVC_GATE_DATA_DIR: folder.at('first') };
    expect((await move('to-shared', first)).join()).to.match(/^1,.*in use by/);
    await stack.gate.stop();

    const blob = await findFile(folder.at('first/blobs'), 'first');
    await writeFile(blob, 'FIRST');
    expect((await move('to-shared', first)).join()).to.match(/^1,the bytes of \w+ are not those of/);
    await writeFile(blob, 'first');
    expect(await move('to-shared', first)).to.deep.equal([
      0,
      'copied: 1 documents, 2 versions, 1 sessions, 1 callbacks, 0 unsaved',
    ]);
    expect(await move('to-shared', first)).to.deep.equal([1, 'there are documents already']);

    await restart({ ...shared, SVC_GATE_DATA_DIR: folder.at('nothing') });
    expect(await read(link)).to.equal('first');
    await save(session, 'second');
    expect((await move('to-embedded', { SVC_GATE_DATA_DIR: folder.at('second') })).join()).to.match(
      /^1,a gate works on/,
    );
    await stack.gate.stop();
    expect(await move('to-embedded', { SVC_GATE_DATA_DIR: folder.at('second') })).to.deep.equal([
      0,
      'copied: 1 documents, 3 versions, 1 sessions, 2 callbacks, 0 unsaved',
    ]);

    await restart({ SVC_GATE_DATA_DIR: folder.at('second') });
    expect(await read(link)).to.equal('first');
    expect(await read((await stack.state(session)).download_url)).to.equal('second');
    await save(session, 'third');
    expect(await stack.state(session)).to.include({ version: 3 });
  });

  it('says how it is used, and what is missing', async () => {
    expect((await move('elsewhere', {}))[0]).to.equal(2);
    expect((await move('to-shared', { ...shared, SVC_GATE_DATA_DIR: folder.at('none') })).join()).to.match(
      /^1,.*none has no gate.db$/,
    );
    expect((await move('to-embedded', { SVC_GATE_DATA_DIR: folder.at('none') })).join()).to.match(
      /^1,SVC_DATABASE_URL and SVC_S3_BUCKET name the other store/,
    );
  });
});

/** The path of the file below a folder that has a content. */
async function findFile(folder: string, content: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path, 'utf8')) === content) return path;
  }
  throw new Error(`no file has ${content}`);
}
