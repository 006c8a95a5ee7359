import { expect } from 'chai';
import type { ErrorResponse } from '../../src/common/generated/wire.ts';
import { useFolder } from '../support/folder.ts';
import { aloneSettings, type RunningGate, startGateHere } from '../support/gate.ts';
import { PORTAL_ORIGIN } from '../support/gate-embed.ts';
import { loggedLines } from '../support/logs.ts';
import { rawRequest } from '../support/raw-request.ts';
import { until } from '../support/until.ts';

const REQUEST_ID = /^req_[0-9a-f]{16}$/;

describe('the public side of a gate without an editor', () => {
  let gate: RunningGate;
  let internal: string;
  after(() => gate.stop());
  // It is removed once the gate in it has stopped.
  const folder = useFolder();
  before(async () => {
    const settings = await aloneSettings(folder.path, { SVC_EMBED_ALLOWED_ORIGINS: PORTAL_ORIGIN });
    internal = `http://${settings['SVC_GATE_INTERNAL_LISTEN']}`;
    gate = await startGateHere(settings, {});
  });

  it('is alive, and says what is missing', async () => {
    for (const base of [gate.url, internal]) {
      const health = await fetch(`${base}/svc/healthz`);
      expect([health.status, await health.json()]).to.deep.equal([200, { ok: true }]);
    }
    const status = (await (await fetch(`${gate.url}/svc/status`)).json()) as Record<string, object>;
    expect(status['upstream']).to.deep.equal({ editor_server: 'down' });
    expect(status['embed']).to.include({ callback_signing: false });
    expect(status['license']).to.deep.equal({ state: 'none', grace_days_left: null });
    expect(status['connections']).to.include({ limit: 50, enforcing: false, sample_age_seconds: null });
  });

  it('logs requests, those for its health at level debug', async () => {
    for (const [path, level] of [
      ['/svc/healthz', 'debug'],
      ['/svc/limits', 'info'],
    ]) {
      await (await fetch(`${gate.url}${path}`)).arrayBuffer();
      const find = () => loggedLines().find((line) => line.includes(`"path":"${path}"`));
      expect(JSON.parse(await until('it is logged', find))).to.include({ msg: 'request', level });
    }
  });

  it('gives each answer an id, errors the same in their body', async () => {
    for (const [method, path, status, code] of [
      ['GET', '/svc/healthz', 200],
      ['GET', '/svc/status', 200],
      ['GET', '/svc/limits', 200],
      ['GET', '/svc/api.js', 200],
      ['GET', '/svc/', 200],
      ['OPTIONS', '/svc/anything', 204],
      ['GET', '/svc/auth', 404, 'not_found'],
      ['POST', '/svc/auth', 404, 'not_found'],
      ['GET', '/svc/wopi/files/doc_0', 404, 'not_found'],
      ['POST', '/svc/wopi/files/doc_0/contents', 404, 'not_found'],
      ['GET', '/svc/demo', 404, 'not_found'],
      ['GET', '/svc/demo/callbacks', 404, 'not_found'],
      ['GET', '/svc/Status', 404, 'not_found'],
      ['GET', '/v1/status', 404, 'not_found'],
      ['PUT', '/svc/limits', 405, 'bad_request'],
      ['DELETE', '/svc/api.js', 405, 'bad_request'],
      ['POST', '/svc/embed/session', 401, 'embed_auth_not_configured'],
    ] as [string, string, number, string?][]) {
      const init = method === 'POST' ? { body: '{}', headers: { 'Content-Type': 'application/json' } } : {};
      const response = await fetch(`${gate.url}${path}`, { method, ...init });
      const id = response.headers.get('x-svc-request-id');
      expect(id, path).to.match(REQUEST_ID);
      expect(response.status, `${method} ${path}`).to.equal(status);
      if (code === undefined) {
        await response.arrayBuffer();
        continue;
      }
      const { error } = (await response.json()) as ErrorResponse;
      expect(error, path).to.include({ code, request_id: id });
      if (status !== 405) continue;
      expect(error.detail).to.include({ method });
      expect(response.headers.get('allow')).to.include('GET');
    }
  });

  it('lets an allowed page read refusals of paths that are in no normal form', async () => {
    for (const target of ['/svc//limits', '/svc/%2e%2e/limits', '/svc/x%2fy']) {
      const { status, head } = await rawRequest(gate.url, `GET ${target} HTTP/1.1`, [`Origin: ${PORTAL_ORIGIN}`]);
      expect(status, target).to.equal(400);
      expect(head, target).to.match(new RegExp(`^access-control-allow-origin: ${PORTAL_ORIGIN}\r?$`, 'im'));
    }
  });
});
