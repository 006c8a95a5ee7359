import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ERRORS } from '../../../src/common/error-catalogue.ts';
import { type FrontSettings, frontConfig, frontVariables } from '../../../src/common/front.ts';

const FRONT = resolve(import.meta.dirname, '../../../ingress/front');
const template = readFileSync(join(FRONT, 'nginx.conf.template'), 'utf8');
const settings: FrontSettings = {
  prefix: '/tmp/front',
  directory: '/etc/nginx/front',
  address: '0.0.0.0',
  port: 8080,
  openPort: 8082,
  askPort: 8083,
  gate: 'svc-gate:8080',
  gateInternal: 'svc-gate-internal:8081',
  docbuilder: '10.0.0.7:8080',
  editor: 'svc-editor.office.svc:9980 resolve',
};

describe('front configuration', () => {
  it('takes every variable of the template and leaves none', () => {
    const asked = new Set([...template.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => name));
    expect([...asked].sort()).to.deep.equal(Object.keys(frontVariables(settings)).sort());
    expect(frontConfig(template, settings)).not.to.match(/\$\{/);
    expect(frontConfig(template, settings)).to.include('server svc-editor.office.svc:9980 resolve;');
  });

  it('is what envsubst makes of it, since nothing else there looks like one of its variables', () => {
    const names = Object.keys(frontVariables(settings)).join('|');
    const short = template.match(new RegExp(`\\$(?:${names})\\b`, 'g'));
    expect(short).to.equal(null);
  });

  for (const value of [
    'gate:80; return 200',
    'gate:80\n}',
    'gate:80"',
    "gate:80'",
    'gate:80 backup',
    '$host',
    '',
    'a#b',
    '{',
  ]) {
    it(`refuses ${JSON.stringify(value)} as an address`, () => {
      expect(() => frontConfig(template, { ...settings, gate: value })).to.throw(TypeError, 'SVC_FRONT_GATE');
    });
  }

  for (const edge of ['10.0.0.0/8; return 200', '10.0.0.0/8 ', '', '$host']) {
    it(`refuses ${JSON.stringify(edge)} as an edge`, () => {
      const trustedEdges = ['192.0.2.1', edge, '192.0.2.2'];
      expect(() => frontConfig(template, { ...settings, trustedEdges })).to.throw(TypeError, 'SVC_FRONT_TRUSTED_EDGES');
    });
  }

  it('is the same from the entry point of the image, with edges and without', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-front-start-'));
    try {
      await writeFile(join(folder, 'nginx'), '#!/bin/sh\n', { mode: 0o755 });
      for (const trustedEdges of [[], ['10.0.0.0/8'], ['10.0.0.0/8', 'fc00::/7', '192.0.2.1']]) {
        const given = { ...settings, prefix: folder, directory: FRONT, trustedEdges };
        const env = { ...frontVariables(given), PATH: `${folder}:${process.env['PATH']}` };
        await promisify(execFile)('sh', [join(FRONT, 'start.sh')], { env });
        expect(await readFile(join(folder, 'nginx.conf'), 'utf8')).to.equal(frontConfig(template, given));
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says in its own errors what the services say', () => {
    for (const code of ['not_found', 'bad_request', 'rate_limited', 'internal'] as const) {
      expect(template).to.include(`{"error":{"code":"${code}","message":"${ERRORS[code][1]}","detail":{`);
    }
  });
});
