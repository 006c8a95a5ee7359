import { readFileSync } from 'node:fs';
import { expect } from 'chai';

interface Package {
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  integrity?: string;
  hasInstallScript?: boolean;
}

/** Images are built for amd64 and arm64 from the same package-lock.json. */
describe('npm modules', () => {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
  const packages = Object.entries(lock.packages as Record<string, Package>);
  const namesFor = (cpu: string) =>
    packages.flatMap(([name, { os, cpu: of }]) => (os?.includes('linux') && of?.includes(cpu) ? [name] : []));

  it('of the services are the same on every machine', () => {
    const native = packages.filter(([, { dev, os, cpu, hasInstallScript }]) => !dev && (os || cpu || hasInstallScript));
    expect(native.map(([name]) => name)).to.deep.equal([]);
  });

  it('that build them are there for arm64 as for x64, each with its checksum', () => {
    const forX64 = namesFor('x64');
    expect(forX64).not.to.be.empty;
    expect(namesFor('arm64')).to.include.members(forX64.map((name) => name.replace('x64', 'arm64')));
    const unchecked = packages.filter(([name, { integrity }]) => name !== '' && !integrity?.startsWith('sha512-'));
    expect(unchecked.map(([name]) => name)).to.deep.equal([]);
  });
});
