import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useFolder } from '../support/folder.ts';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/sbom.ts');

describe('the bill of materials of an image', () => {
  const folder = useFolder('test');

  const file = async (path: string, content: string) => {
    await mkdir(dirname(folder.at(path)), { recursive: true });
    await writeFile(folder.at(path), content);
  };
  const bom = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, folder.path, 'svc/gate', '1.2.3']);
    return JSON.parse(stdout);
  };

  it('names the packages that are installed, and none that were removed', async () => {
    await file('etc/os-release', 'ID=debian\nVERSION_ID="13"\n');
    const paragraph = (name: string, status: string) =>
      `Package: ${name}\nStatus: ${status}\nArchitecture: amd64\nVersion: 2:1.0+b1\nDescription: a\n text: b\n`;
    await file(
      'var/lib/dpkg/status',
      [paragraph('libx', 'install ok installed'), paragraph('gone', 'deinstall ok config-files')].join('\n'),
    );
    await file('var/lib/dpkg/status.d/libc6', paragraph('libc6', 'install ok installed'));
    expect((await bom()).components.map(({ purl }: { purl: string }) => purl)).to.deep.equal([
      'pkg:deb/debian/libc6@2%3A1.0%2Bb1?arch=amd64&distro=debian-13',
      'pkg:deb/debian/libx@2%3A1.0%2Bb1?arch=amd64&distro=debian-13',
    ]);
  });

  it("names npm's modules with scopes and inside of others, each version once, and Node", async () => {
    const module = (name: string, version: string) => JSON.stringify({ name, version, license: 'MIT' });
    await file('opt/svc/node_modules/a/package.json', module('a', '1.0.0'));
    await file('opt/svc/node_modules/a/esm/package.json', '{"type":"module"}');
    await file('opt/svc/node_modules/a/node_modules/@s/b/package.json', module('@s/b', '2.0.0'));
    await file('opt/svc/node_modules/c/node_modules/a/package.json', module('a', '1.0.0'));
    await file('usr/local/bin/node', `\0https://example.test/v24.1.2/node-v24.1.2-headers.tar.gz\0`);
    const { metadata, components } = await bom();
    expect(metadata.component).to.include({ type: 'container', name: 'svc/gate', version: '1.2.3' });
    expect(components.map(({ purl }: { purl: string }) => purl)).to.deep.equal([
      'pkg:generic/node@24.1.2',
      'pkg:npm/%40s/b@2.0.0',
      'pkg:npm/a@1.0.0',
    ]);
    expect(components[2].licenses).to.deep.equal([{ license: { id: 'MIT' } }]);
  });
});
