import { instanceSchemas, type Node, structural } from './instance.ts';
import { describeShape } from './shapes.ts';

/** Types of `status.conditions` and what True means. */
const CONDITIONS: Record<string, string> = {
  Ready: 'The service works: the five conditions below are True (EdgeReady not with gating None).',
  GateAvailable: 'The gate answers.',
  DocBuilderAvailable: 'DocBuilder answers.',
  EditorAvailable: 'The editor server answers.',
  FrontAvailable: 'At least one pod of the front answers.',
  EdgeReady:
    'Ingress or Gateway lead to the front, and the certificate is valid for the host. Unknown with gating None, where the edge is your own.',
  StorageReady:
    'Gate and DocBuilder have started with database and bucket. Absent where they have volumes. False with reason StorageRefused: the message says what to correct; pods of before go on, but only until they restart.',
  LicenseValid: 'The licence that the spec names is in effect, or the spec names none (reason NoLicense: Community).',
  Paused: 'The annotation `svc.internal/paused` is `"true"`: nothing is changed, but the status is kept up to date.',
  Reconciling: 'Objects are being created or changed, or pods are not ready yet. Absent otherwise.',
  Stalled: 'Somebody has to act; the message says what to do. Absent otherwise.',
};

const HEAD = `# SvcInstance

<!-- Made from schemas/ by \`npm run generate\`. Do not edit. -->

This page is for administrators who look up a field of an instance. Start with [kubernetes.md](kubernetes.md).

\`svc.internal/v1\`, kind \`SvcInstance\`, short name \`svci\`, namespaced. One instance is one host name with gate, DocBuilder, editor and
front. \`kubectl explain svcinstance.spec\` shows the same. Complete examples: [community](examples/community.yaml),
[enterprise](examples/enterprise.yaml), [Gateway API](examples/gateway-api.yaml), [an edge of your own](examples/own-edge.yaml),
[PostgreSQL and S3](examples/shared-store.yaml).

Needs Kubernetes 1.31 or later. The API server fills in the defaults and rejects a spec that breaks a rule, naming the field;
\`kubectl apply\` refuses unknown fields as well. Where a rule says *transition*, it compares with what was there before.

\`metadata.name\` has at most 40 characters: a letter, then lower case letters, digits and dashes. Names of all objects begin with it.

| annotation | what it does |
| --- | --- |
| \`svc.internal/paused: "true"\` | The controller changes nothing of this instance, but keeps its status up to date. |
| \`svc.internal/reconcile-at: <any value>\` | A new value has everything looked at again; \`status.lastHandledReconcileAt\` then repeats it. |
`;

const CONDITIONS_HEAD = `## Conditions

Shaped as \`metav1.Condition\`; \`reason\` is for programs, \`message\` for people. \`kubectl wait svcinstance/office --for=condition=Ready\` waits for one.
[kubernetes-troubleshooting.md](kubernetes-troubleshooting.md) lists the reasons.

| type | True means |
| --- | --- |`;

const definitions = instanceSchemas.spec['definitions'] as Record<string, Node>;

/** docs/svcinstance.md: every field of spec and status, with type, bounds, default and rules. */
export function instancePage(): string {
  const spec = structural(instanceSchemas.spec);
  const pod = structural({ ...definitions['podOverrides'], definitions });
  return [
    HEAD,
    ...chapter('spec', spec),
    '## pod',
    '',
    `\`pod\` of gate, docbuilder, editor and front. ${pod['description']}`,
    '',
    ...table(rows(pod, 'pod.')),
    ...rules(pod, 'pod'),
    ...chapter('status', structural(instanceSchemas.status)),
    CONDITIONS_HEAD,
    ...Object.entries(CONDITIONS).map(([type, meaning]) => `| \`${type}\` | ${meaning} |`),
    '',
  ].join('\n');
}

/** A field with members of its own gets a section; the rest stands in one table at the top. */
function chapter(name: string, schema: Node): string[] {
  const all = Object.entries(getProperties(schema));
  const small = all.filter(([, member]) => !member['properties']);
  const large = all.filter(([, member]) => member['properties']);
  const top = { ...schema, properties: Object.fromEntries(small) };
  return [
    `## ${name}`,
    '',
    String(schema['description']),
    '',
    ...table(rows(top, '')),
    ...rules(top, name),
    ...large.flatMap(([member, node]) => [
      `### ${name}.${member}`,
      '',
      `${requires(schema, member) ? 'Required. ' : ''}${node['description']}`,
      '',
      ...table(rows(node, `${member}.`)),
      ...rules(node, `${name}.${member}`),
    ]),
  ];
}

function table(lines: string[]): string[] {
  return lines.length === 0
    ? []
    : ['| field | value | default | what it is |', '| --- | --- | --- | --- |', ...lines, ''];
}

function rows(node: Node, prefix: string): string[] {
  return Object.entries(getProperties(node)).flatMap(([name, member]) => {
    const path = prefix + name;
    const items = member['items'] as Node | undefined;
    const text = `${requires(node, name) ? 'Required. ' : ''}${member['description']}`;
    const row = `| \`${path}\` | ${cell(name === 'pod' ? '[pod](#pod)' : kind(member))} | ${fallback(member)} | ${cell(text)} |`;
    if (name === 'pod') return [row];
    return [row, ...rows(member, `${path}.`), ...(items ? rows(items, `${path}[].`) : [])];
  });
}

function kind(node: Node): string {
  if (node['x-kubernetes-int-or-string'])
    return node['default'] === undefined ? 'quantity' : `\`${node['default']}\` or integer`;
  const values = node['additionalProperties'] as Node | undefined;
  if (values) return `map of ${kind(values)}; at most ${node['maxProperties']} entries`;
  const items = node['items'] as Node | undefined;
  if (items) return `list of ${kind(items)}; at most ${node['maxItems']} items`;
  return describeShape(node, String);
}

/** Defaults of the members are shown in their own rows. */
function fallback({ default: value, properties }: Node): string {
  return value === undefined || properties ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function rules(node: Node, path: string): string[] {
  const byMessage = Map.groupBy(messages(node, path), ({ message }) => message);
  const lines = [...byMessage].map(
    ([message, fields]) => `- ${[...new Set(fields.map(({ field }) => `\`${field}\``))].join(', ')}: ${message}`,
  );
  return lines.length === 0 ? [] : ['Rules:', '', ...lines, ''];
}

/** Every rule of a node and of what is in it. */
function messages(node: Node, path: string): { field: string; message: string }[] {
  const own = ((node['x-kubernetes-validations'] ?? []) as Rule[]).map(({ rule, message, fieldPath = '' }) => ({
    field: path + fieldPath,
    message: `${message}${rule.includes('oldSelf') ? ' (transition)' : ''}`,
  }));
  const { items, additionalProperties } = node as { items?: Node; additionalProperties?: Node };
  const within = Object.entries(getProperties(node)).filter(([name]) => name !== 'pod');
  return [
    ...own,
    ...within.flatMap(([name, member]) => messages(member, `${path}.${name}`)),
    ...(items ? messages(items, `${path}[]`) : []),
    ...(additionalProperties ? messages(additionalProperties, `${path}[]`) : []),
  ];
}

interface Rule {
  rule: string;
  message: string;
  fieldPath?: string;
}

function getProperties(node: Node): Record<string, Node> {
  return (node['properties'] ?? {}) as Record<string, Node>;
}

function requires(node: Node, name: string): boolean {
  return ((node['required'] ?? []) as string[]).includes(name);
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
