import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { editorOptions } from './editor/parameters.ts';
import { editorContext } from './images/editor.ts';

describe("the stand-in editor's image", () => {
  it("understands what the editor's own image is told by variables and arguments", () => {
    const options = editorOptions(
      {
        username: 'admin',
        password: 'secret',
        server_name: 'office.example:8443',
        aliasgroup1: 'http://office-gate-internal\\.docs:8081',
        extra_params: '--o:ssl.enable=false --o:ssl.termination=false',
      },
      [
        '--o:ssl.termination=true',
        '--o:net.content_security_policy=frame-ancestors a.example:* b.example; other',
        '--o:per_document.limit_store_failures=0',
        '--o:storage.wopi=x=y',
      ],
    );
    expect(options).to.deep.equal({
      host: '0.0.0.0',
      port: 9980,
      admin: { user: 'admin', password: 'secret' },
      serverName: 'office.example:8443',
      wopiAllow: ['office-gate-internal.docs:8081'],
      limitStoreFailures: 0,
      sslTermination: true,
      frameAncestors: ['a.example:*', 'b.example'],
    });
  });

  it('holds a program that Node can read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-editor-'));
    try {
      await editorContext(folder);
      await promisify(execFile)(process.execPath, ['--check', join(folder, 'main.js')]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
