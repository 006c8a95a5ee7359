/**
 * Says what is in an image, as CycloneDX 1.6: Debian packages, npm modules and Node, as they lie in the image itself.
 * `node scripts/sbom.ts <root folder of the image> <name> <version>` writes it to stdout; `scripts/sbom.sh` calls it.
 */
import { debianPackages, nodeItself, nodeModules, type Package } from './sbom/packages.ts';

const [root, name, version] = process.argv.slice(2);
if (root === undefined || name === undefined || version === undefined) {
  throw new TypeError('usage: node scripts/sbom.ts <folder> <name> <version>');
}
const packages = [...(await nodeItself(root)), ...(await debianPackages(root)), ...(await nodeModules(root))];
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: { type: 'container', 'bom-ref': name, name, version } },
  components: packages.map(component).sort((a, b) => (a.purl < b.purl ? -1 : 1)),
};
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);

function component({ license, ...known }: Package) {
  const licenses =
    license === undefined
      ? {}
      : { licenses: [/^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }] };
  return { type: 'library', 'bom-ref': known.purl, ...known, ...licenses };
}
