import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { expect } from 'chai';
import type { Environment } from '../../src/common/config.ts';
import { signHs256 } from '../../src/common/crypto/jwt.ts';
import type { EmbedSession, ErrorResponse } from '../../src/common/generated/wire.ts';
import { useFolder } from '../support/folder.ts';
import { aloneSettings, spawnGate, startGateProcess } from '../support/gate.ts';
import { startHttpFaults } from '../support/http-faults.ts';
import { listeningPort } from '../support/listen.ts';
import { makeAuthority, makeIdentity } from '../support/pki.ts';
import { s3Environment, useS3Server } from '../support/s3-server.ts';
import { startStack } from '../support/stack.ts';
import { ORIGINAL, PORTAL_ORIGIN } from '../support/surroundings.ts';
import { useStarted } from '../support/use-started.ts';

const OBJECT = /^\/svc\/one\/documents\/([0-9a-f]{32}|probe-[0-9a-f-]{36})(\?x-id=\w+)?$/;

describe('a gate whose bytes are in an S3 store', function () {
  this.timeout(60_000);
  const server = useS3Server();
  const faults = useStarted(
    () => startHttpFaults(server.port),
    ({ close }) => close(),
  );
  let environment: Environment;

  const folder = useFolder();
  before(() => {
    const SVC_S3_ENDPOINT = `http://127.0.0.1:${faults.port}`;
    environment = { ...s3Environment(server), SVC_S3_ENDPOINT, SVC_S3_PREFIX: 'one/' };
  });

  let gates = 0;
  const gateEnvironment = (changes: Environment = {}): Promise<Environment> => {
    const name = `gate-${++gates}`;
    return aloneSettings(folder.at(name), { ...environment, SVC_S3_PREFIX: `${name}/`, ...changes });
  };

  describe('with an editor', () => {
    const stack = useStarted(
      () => startStack({ environment }),
      ({ stop }) => stop(),
    );

    const objects = async () =>
      (await server.files()).filter((file) => file.startsWith('one/documents/') && !file.endsWith('probe')).sort();
    const contents = ({ doc_id, form }: { doc_id: string; form: { access_token: string } }) =>
      `${stack.environment['SVC_GATE_WOPI_URL']}/svc/wopi/files/${doc_id}/contents?access_token=${form.access_token}`;

    it('opens, saves and hands out documents, and none of their bytes is in its data folder', async () => {
      const session = await stack.create();
      expect(Buffer.from(await (await fetch(contents(session))).arrayBuffer()).equals(ORIGINAL)).to.equal(true);
      const body = 'a new version of it';
      const saved = await fetch(contents(session), { method: 'POST', headers: { 'X-WOPI-Override': 'PUT' }, body });
      expect(saved.status).to.equal(200);
      const { download_url } = await stack.state(session);
      expect(await (await fetch(download_url)).text()).to.equal(body);
      const part = await fetch(download_url, { headers: { Range: 'bytes=2-4' } });
      expect([part.status, await part.text()]).to.deep.equal([206, body.slice(2, 5)]);
      expect(await objects()).to.have.length(2);
      expect(await readdir(join(stack.environment['SVC_GATE_DATA_DIR'] ?? '', 'incoming'))).to.deep.equal([]);
      expect(await readdir(stack.environment['SVC_GATE_DATA_DIR'] ?? '')).not.to.include('blobs');
    });

    it('asks the store for nothing but objects of random names, whatever a user says', async () => {
      const before = faults.seen.length;
      const evil = 'one/../../other?prefix=&list-type=2#%2e%2e%2f\u0000é';
      const portal = `http://127.0.0.1:${stack.portal.port}`;
      for (const [index, url] of [`${portal}/${evil}`, `${portal}/?key=${evil}`].entries()) {
        const document = { url, fileType: 'docx', key: `..${index}`, title: evil };
        const editor = { user: { id: evil, name: evil }, callbackUrl: stack.receiver.url };
        const claims = { document, editor, exp: Math.floor(Date.now() / 1000) + 600 };
        const token = await signHs256(claims, stack.environment['SVC_EMBED_JWT_SECRET'] ?? '');
        const created = await stack.call('/svc/embed/session', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Origin: PORTAL_ORIGIN },
          body: JSON.stringify({ token }),
        });
        expect(created.status, await created.clone().text()).to.be.within(200, 201);
        const session = (await created.json()) as EmbedSession;
        const put = { 'X-WOPI-Override': 'PUT', Host: 'elsewhere.example' };
        const headers = { ...put, Range: 'bytes=0-1', 'X-Amz-Date': evil.slice(0, 9) };
        for (const target of [contents(session), contents(session).replace(session.doc_id, encodeURIComponent(evil))])
          for (const init of [{}, { method: 'POST', body: evil }]) await fetch(target, { ...init, headers });
      }
      const seen = faults.seen.slice(before);
      expect(seen.length).to.be.at.least(4);
      for (const { host, target } of seen) {
        expect(host).to.equal(`127.0.0.1:${faults.port}`);
        expect(target).to.match(OBJECT);
      }
    });
  });

  it('lets no user fetch from the store: its address is not on the list of allowed hosts', async () => {
    const settings = await gateEnvironment({ SVC_EMBED_ALLOW_UNSIGNED: '1' });
    const gate = await startGateProcess(settings);
    try {
      const before = faults.seen.length;
      const url = `${environment['SVC_S3_ENDPOINT']}/svc/one/documents/probe`;
      const answer = await fetch(`${gate.url}/svc/embed/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ document: { url, fileType: 'txt', key: 'k' }, editor: {} }),
      });
      const { error } = (await answer.json()) as ErrorResponse;
      expect(error).to.deep.include({ code: 'url_not_allowed' });
      expect(faults.seen.length).to.equal(before);
    } finally {
      await gate.stop();
    }
  });

  it('says at its start in one line what is wrong, with no secret in it, and ends with code 2', async () => {
    const secret = 'a-wrong-secret-of-the-store';
    const { ended, log } = spawnGate(await gateEnvironment({ SVC_S3_SECRET_ACCESS_KEY: secret }));
    expect(await ended).to.equal(2);
    const lines = log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [line, ...more] = lines.filter(({ level }) => ['warn', 'error', 'fatal'].includes(level));
    expect(more, log()).to.deep.equal([]);
    expect(line).to.include({ level: 'fatal', msg: 'the configuration is wrong' });
    expect(line.mistakes[0]).to.include({ path: 'SVC_S3_SECRET_ACCESS_KEY' });
    expect(log()).not.to.include(secret).and.not.to.include(server.settings.credentials.secretAccessKey);
  });

  it('takes credentials from where the AWS client finds them, and says when there are none', async () => {
    const { accessKeyId, secretAccessKey } = server.settings.credentials;
    const chain = { SVC_S3_ACCESS_KEY_ID: '', SVC_S3_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' };
    const found = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    const gate = await startGateProcess(await gateEnvironment({ ...chain, ...found }));
    await gate.stop();
    expect(gate.log()).not.to.include('object store');
    const { ended, log } = spawnGate(await gateEnvironment(chain));
    expect(await ended).to.equal(2);
    expect(log()).to.include('"path":"SVC_S3_ACCESS_KEY_ID","message":"is missing');
  });

  it('verifies who a store with TLS is', async () => {
    const authority = await makeAuthority(folder.path);
    const identity = async (host: string) => {
      const { certificate, key } = await makeIdentity(folder.path, 'store', authority, {
        name: 'store',
        hosts: [host],
      });
      return { cert: await readFile(certificate), key: await readFile(key) };
    };
    const tls = createServer(await identity('IP:127.0.0.1'), (socket) => {
      const inner = connect(server.port, '127.0.0.1');
      for (const end of [socket, inner]) end.on('error', () => {});
      socket.pipe(inner).pipe(socket);
    });
    tls.listen(0, '127.0.0.1');
    const SVC_S3_ENDPOINT = `https://127.0.0.1:${await listeningPort(tls)}`;
    const { ended, log } = spawnGate(await gateEnvironment({ SVC_S3_ENDPOINT }));
    expect(await ended).to.equal(2);
    expect(log()).to.match(/"path":"SVC_S3_ENDPOINT","message":"has a certificate that no known authority has signed/);
    const NODE_EXTRA_CA_CERTS = authority.certificate;
    const gate = await startGateProcess(await gateEnvironment({ SVC_S3_ENDPOINT, NODE_EXTRA_CA_CERTS }));
    await gate.stop();
    expect(gate.log()).not.to.include('object store');
    tls.setSecureContext(await identity('DNS:s3.example'));
    const other = spawnGate(await gateEnvironment({ SVC_S3_ENDPOINT, NODE_EXTRA_CA_CERTS }));
    expect(await other.ended).to.equal(2);
    expect(other.log()).to.match(
      /"path":"SVC_S3_ENDPOINT","message":"has a certificate for other hosts .*127.0.0.1 is not/,
    );
    tls.close();
  });
});
