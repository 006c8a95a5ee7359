/**
 * Makes what follows from `schemas/`: TypeScript types, the OpenAPI document, the configuration table.
 * `node scripts/generate.ts` writes; `--check` only compares and exits 1 when something on disk has drifted.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { QUARANTINE_SCRIPT } from '../src/common/quarantine-script.ts';
import { chartReadme } from './generate/chart-readme.ts';
import { configurationPage } from './generate/configuration.ts';
import { crdFile, crdTemplate } from './generate/crd.ts';
import { instancePage } from './generate/instance-reference.ts';
import { openapi } from './generate/openapi.ts';
import { gatePage, referencePage, scriptPage } from './generate/reference.ts';
import { scriptTypes, types } from './generate/types.ts';

const root = new URL('../', import.meta.url);
const check = process.argv.includes('--check');

const files: Record<string, string> = {
  'src/common/generated/wire.ts': await types(),
  'src/common/generated/script.ts': await scriptTypes(),
  'schemas/openapi/docbuilder.json': `${JSON.stringify(openapi(), null, 2)}\n`,
  'charts/svc/README.md': chartReadme(),
  'crds/svcinstances.svc.internal.yaml': crdFile(),
  'charts/svc/templates/crd.yaml': crdTemplate(),
  'docs/svcinstance.md': instancePage(),
  'ingress/editor/quarantine.sh': QUARANTINE_SCRIPT,
  'docs/configuration.md': configurationPage(),
  'docs/gate-reference.md': gatePage(),
  'docs/reference.md': referencePage(),
  'docs/script-reference.md': scriptPage(),
};

let drifted = 0;
for (const [path, content] of Object.entries(files)) {
  const current = await readFile(new URL(path, root), 'utf8').catch(() => '');
  if (current === content) continue;
  drifted += 1;
  if (check) console.error(`${path} is not what schemas/ says: run npm run generate`);
  else {
    await writeFile(new URL(path, root), content);
    console.log(`wrote ${path}`);
  }
}
process.exitCode = check && drifted > 0 ? 1 : 0;
