import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

/** A value of the chart and what the comment above it says. */
export interface DocumentedValue {
  /** Such as `crds.keep`. */
  path: string;
  text: string;
  section: string;
  /** As JSON; empty where members of it have comments of their own. */
  fallback: string;
}

const chart = new URL('../../charts/svc/', import.meta.url);

/** charts/svc/README.md: how to install, and every value of values.yaml. */
export function chartReadme(): string {
  const documented = documentedValues(readFileSync(new URL('values.yaml', chart), 'utf8'));
  const sections = [...new Set(documented.map(({ section }) => section))];
  return [
    HEAD,
    ...sections.flatMap((section) => [
      `### ${section}`,
      '',
      '| value | what it does | default |',
      '| --- | --- | --- |',
      ...documented.filter((value) => value.section === section).map(row),
      '',
    ]),
  ].join('\n');
}

/** Values with a comment directly above them; `## …` begins a section, an empty line ends a comment. */
export function documentedValues(text: string): DocumentedValue[] {
  const values = load(text);
  const found: DocumentedValue[] = [];
  const parents: { indent: number; name: string }[] = [];
  let section = '';
  let comment: string[] = [];
  for (const line of text.split('\n')) {
    const words = /^\s*# (.*)$/.exec(line)?.[1];
    const key = /^(\s*)([A-Za-z]+):/.exec(line);
    if (line.startsWith('## ')) section = line.slice(3);
    else if (words !== undefined) comment.push(words);
    else {
      if (key) {
        const [, { length: indent } = '', name = ''] = key;
        while ((parents.at(-1)?.indent ?? -1) >= indent) parents.pop();
        parents.push({ indent, name });
        const path = parents.map((parent) => parent.name);
        if (comment.length > 0) {
          found.push({
            path: path.join('.'),
            text: comment.join(' '),
            section,
            fallback: JSON.stringify(at(values, path)),
          });
        }
      }
      comment = [];
    }
  }
  return found.map((value) => ({
    ...value,
    fallback: found.some(({ path }) => path.startsWith(`${value.path}.`)) ? '' : value.fallback,
  }));
}

function at(values: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as Record<string, unknown>)[name], values);
}

function row({ path, text, fallback }: DocumentedValue): string {
  return `| \`${path}\` | ${text.replaceAll('|', '\\|')} | ${fallback && `\`${fallback.replaceAll('|', '\\|')}\``} |`;
}

const HEAD = `# Chart svc

<!-- Made from values.yaml by \`npm run generate\`. Do not edit. -->

The controller that turns one \`SvcInstance\` into document editing and document processing. The guide is [docs/kubernetes.md](../../docs/kubernetes.md).

In a clone, with the images in a registry that the nodes can reach:

\`\`\`
helm install svc charts/svc -n svc-system --create-namespace --set global.imageRegistry=registry.example/mirror
kubectl -n svc-system rollout status deployment/svc-controller --timeout=5m
helm test svc -n svc-system
\`\`\`

For Enterprise, add \`--set-file license.keys=keys/license-keys.json\` ([docs/license.md](../../docs/license.md)), now or at a later \`helm upgrade\`. The CRD is part of
the chart: \`helm upgrade\` upgrades it, \`helm uninstall\` leaves it and all instances (\`crds.keep\`).

## Values
`;
