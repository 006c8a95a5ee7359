import { writeFileSync } from 'node:fs';
import { loadConfig as loadDocbuilder } from '../../../../cmd/docbuilder/config.ts';
import { loadConfig as loadGate } from '../../../../cmd/gate/config.ts';
import type { Environment } from '../../../../src/common/config.ts';
import { useFolder } from '../../../support/folder.ts';
import { expectGolden } from '../../../support/golden.ts';
import { INSTANCES } from './instances.ts';
import { container, decoded, makeObjects } from './objects.ts';
import type { Options } from './situation.ts';

describe('environment of the services', () => {
  const folder = useFolder();

  /** All that a container's process finds: variables as the kubelet expands them, and the files of its Secret. */
  function getEnvironment(component: 'gate' | 'docbuilder', options?: Options): Environment {
    const objects = makeObjects(options);
    const { env = [], volumeMounts = [] } = container(objects, component);
    const secrets = decoded(objects, 'office-secrets');
    for (const [key, value] of Object.entries(secrets)) writeFileSync(folder.at(key), value);
    const mounted = volumeMounts.find(({ name }) => name === 'secrets')?.mountPath ?? '';
    return Object.fromEntries(
      env.map(({ name, value, valueFrom }) => {
        const text = value ?? secrets[valueFrom?.secretKeyRef?.key ?? ''] ?? '';
        return [name, text.replaceAll('$$', '$').replace(`${mounted}/`, `${folder.path}/`)];
      }),
    );
  }

  for (const [name, options] of Object.entries(INSTANCES)) {
    it(`${name}: gate and DocBuilder start with it, and understand what expected/config-${name}.yaml says`, () => {
      // As many workers as this machine has cores for.
      const { workers: _, ...docbuilder } = loadDocbuilder(getEnvironment('docbuilder', options));
      expectGolden(new URL(`expected/config-${name}.yaml`, import.meta.url), [
        loadGate(getEnvironment('gate', options)),
        docbuilder,
      ]);
    });
  }
});
