import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../src/common/node-flags.ts';
import { until } from '../support/until.ts';

describe('stand-in editor: as a process', () => {
  it('says where it is, is set by its environment, and ends on SIGTERM', async () => {
    const child = spawn(
      process.execPath,
      [...NODE_FLAGS, resolve(import.meta.dirname, '../../examples/editor/main.ts')],
      {
        env: {
          ...NODE_ENVIRONMENT,
          EDITOR_LISTEN: '127.0.0.1:0',
          EDITOR_ADMIN_USER: 'admin',
          EDITOR_ADMIN_PASSWORD: 'some word',
          EDITOR_SERVER_NAME: 'office.test',
          EDITOR_SSL_TERMINATION: 'true',
          EDITOR_FRAME_ANCESTORS: 'portal.test',
          EDITOR_URI: '26.04',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const ended = once(child, 'exit');
    try {
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (chunk) => {
        said += chunk;
      });
      const url = await until('its address', () => /^stand-in editor on (http\S+)$/m.exec(said)?.[1]);
      expect(await (await fetch(`${url}/hosting/discovery`)).text()).to.contain('urlsrc="https://office.test/browser/');
      const page = await fetch(`${url}/browser/standin1/cool.html`);
      expect(page.headers.get('content-security-policy')).to.contain('frame-ancestors portal.test ');
      expect(await page.text()).to.contain('data-uri="26.04"');
      const headers = { Authorization: `Basic ${Buffer.from('admin:some word').toString('base64')}` };
      expect((await fetch(`${url}/browser/dist/admin/admin.html`, { headers })).status).to.equal(200);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended).to.deep.equal([0, null]);
  });
});
