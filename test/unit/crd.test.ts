import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { schemas } from '../../src/common/schema.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const crdText = text('crds/svcinstances.svc.internal.yaml');

interface Node {
  type?: string;
  description?: string;
  properties?: Record<string, Node>;
  items?: Node;
  additionalProperties?: Node;
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-validations'?: { rule: string; message?: string }[];
  [keyword: string]: unknown;
}

const { spec: crd } = load(crdText) as { spec: { versions: { schema: { openAPIV3Schema: Node } }[] } };
const root = crd.versions[0]?.schema.openAPIV3Schema as Node;
const { spec, status } = root.properties as { spec: Node; status: Node };
const nodes = [...walk('spec', spec), ...walk('status', status)];

describe('CustomResourceDefinition of SvcInstance', () => {
  it('describes every field, so that kubectl explain has text for each', () => {
    expect(fields(nodes.filter(([, node]) => !node.description?.endsWith('.')))).to.deep.equal([]);
  });

  it('bounds every text, list, map and number, so that rules have a known cost', () => {
    const unbounded = nodes.filter(
      ([field, { type, ...node }]) =>
        (type === 'string' && node.maxLength === undefined && !node.enum) ||
        (type === 'array' && node.maxItems === undefined) ||
        (node.additionalProperties && node.maxProperties === undefined) ||
        (type === 'integer' && node.minimum === undefined) ||
        (type === 'integer' && node.maximum === undefined && field.startsWith('spec')),
    );
    expect(fields(unbounded)).to.deep.equal([]);
  });

  it('takes unknown members only where a piece of a PodSpec is', () => {
    const open = nodes.filter(([, node]) => node['x-kubernetes-preserve-unknown-fields']);
    expect(fields(open).filter((field) => !/\.pod\.affinity\.\w+$/.test(field))).to.deep.equal([]);
    expect(open).to.have.lengthOf(12);
  });

  it('says of every rule what to do', () => {
    const rules = nodes.flatMap(([, node]) => node['x-kubernetes-validations'] ?? []);
    expect(rules.filter(({ message }) => (message?.length ?? 0) < 20)).to.deep.equal([]);
    expect(rules).to.have.length.above(50);
  });

  it('gives every section a default, so that what is within it gets its own', () => {
    const hasDefaults = ([, node]: Entry) =>
      node.properties && Object.values(node.properties).some((member) => 'default' in member);
    const chosen = [
      ...['spec', 'spec.license', 'spec.outbound.caBundle'],
      ...['spec.storage.s3', 'spec.docbuilder.autoscaling'],
    ];
    const sections = nodes
      .filter(hasDefaults)
      .filter(([field, node]) => !('default' in node) && !chosen.includes(field));
    expect(fields(sections)).to.deep.equal([]);
  });

  it('has the bounds and defaults of the variables that the services read', () => {
    const pairs: [field: string, schema: string, variable: string][] = [
      ['spec.embed.enabled', 'gate-config.json', 'SVC_EMBED_ENABLED'],
      ['spec.embed.allowUnsigned', 'gate-config.json', 'SVC_EMBED_ALLOW_UNSIGNED'],
      ['spec.embed.maxFileMb', 'gate-config.json', 'SVC_EMBED_MAX_FILE_MB'],
      ['spec.embed.sessionTtlMinutes', 'gate-config.json', 'SVC_EMBED_SESSION_TTL_MINUTES'],
      ['spec.embed.retainHours', 'gate-config.json', 'SVC_EMBED_RETAIN_HOURS'],
      ['spec.storage.s3.region', 'gate-config.json', 'SVC_S3_REGION'],
      ['spec.storage.s3.prefix', 'gate-config.json', 'SVC_S3_PREFIX'],
      ['spec.gate.connectionCap', 'gate-config.json', 'SVC_GATE_CONNECTION_CAP'],
      ['spec.docbuilder.workerMaxJobs', 'docbuilder-config.json', 'SVC_DOCBUILDER_WORKER_MAX_JOBS'],
      ['spec.docbuilder.workerMaxAgeMinutes', 'docbuilder-config.json', 'SVC_DOCBUILDER_WORKER_MAX_AGE_MINUTES'],
      ['spec.docbuilder.workerMemoryMb', 'docbuilder-config.json', 'SVC_DOCBUILDER_WORKER_MEMORY_MB'],
      ['spec.auditTarget', 'gate-config.json', 'SVC_AUDIT_TARGET'],
      ['spec.devMode', 'docbuilder-config.json', 'SVC_DEV_MODE'],
    ];
    const figures = ({ minimum, maximum, default: fallback }: Node) => ({ minimum, maximum, fallback });
    for (const [field, schema, variable] of pairs) {
      expect(figures(at(field)), field).to.deep.equal(figures(schemas.get(schema)?.properties?.[variable] as Node));
    }
  });

  it('has the words of the variables, only in CamelCase', () => {
    const words = (schema: string, variable: string) => schemas.get(schema)?.properties?.[variable]?.['enum'];
    const lower = (field: string) => at(field).enum?.map((value) => value.toLowerCase());
    expect(lower('spec.logLevel')).to.deep.equal(words('gate-config.json', 'SVC_LOG_LEVEL'));
    expect(lower('spec.docbuilder.sandbox')).to.deep.equal(words('docbuilder-config.json', 'SVC_DOCBUILDER_SANDBOX'));
  });

  it('lets limits of the plan be lowered, not raised', () => {
    const { enterprise } = JSON.parse(text('schemas/plan.json')).docbuilder;
    expect(at('spec.docbuilder.maxFileMb').maximum).to.equal(enterprise.max_file_mb);
    expect(at('spec.docbuilder.jobTimeoutSeconds').maximum).to.equal(enterprise.job_timeout_seconds);
  });
});

type Entry = [field: string, node: Node];

function walk(field: string, node: Node): Entry[] {
  return [
    [field, node],
    ...Object.entries(node.properties ?? {}).flatMap(([name, member]) => walk(`${field}.${name}`, member)),
    ...(node.items ? walk(`${field}[]`, node.items) : []),
    ...(typeof node.additionalProperties === 'object' ? walk(`${field}[]`, node.additionalProperties) : []),
  ];
}

function fields(entries: Entry[]): string[] {
  return entries.map(([field]) => field);
}

function at(field: string): Node {
  const found = nodes.find(([name]) => name === field)?.[1];
  if (!found) throw new Error(`no field ${field}`);
  return found;
}

function text(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8');
}
