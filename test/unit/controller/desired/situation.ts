import { readFileSync } from 'node:fs';
import { effectiveSecrets, type GivenSecrets } from '../../../../cmd/controller/desired/secrets.ts';
import type { RunningDocbuilder, Settings, Situation } from '../../../../cmd/controller/desired/types.ts';
import { type LicenseState, NO_LICENSE } from '../../../../src/common/crypto/license.ts';
import type { SvcInstanceSpec } from '../../../../src/common/generated/wire.ts';
import { docbuilderPlan } from '../../../../src/common/plan.ts';

interface Node {
  $ref?: string;
  default?: unknown;
  properties?: Record<string, Node>;
  definitions?: Record<string, Node>;
}

const SCHEMA: Node = JSON.parse(
  readFileSync(new URL('../../../../schemas/svcinstance-spec.json', import.meta.url), 'utf8'),
);

/** Any part of a spec, as people write it. */
export type PartialSpec = {
  [K in keyof SvcInstanceSpec]?: SvcInstanceSpec[K] extends object | undefined ? object : SvcInstanceSpec[K];
};

export interface Options {
  name?: string;
  spec?: PartialSpec;
  license?: LicenseState;
  given?: GivenSecrets;
  licenseFiles?: Situation['licenseFiles'];
  settings?: Partial<Settings>;
  docbuilder?: RunningDocbuilder;
}

/** A situation of an instance `office`, whose spec has the schema's defaults as if it came from the API server. */
export function makeSituation(options: Options = {}): Situation {
  const {
    name = 'office',
    spec = {},
    license = NO_LICENSE,
    given = {},
    licenseFiles = {},
    settings = {},
    docbuilder,
  } = options;
  return {
    instance: {
      metadata: { name, namespace: 'documents', uid: '4f9c1c5e-0000-4000-8000-000000000001', generation: 1 },
      spec: withDefaults(SCHEMA, { host: 'office.example', ...structuredClone(spec) }) as SvcInstanceSpec,
    },
    settings: {
      version: '1.0.0',
      images: {
        gate: 'registry.example/svc/gate:1.0.0',
        docbuilder: 'registry.example/svc/docbuilder:1.0.0',
        editor: 'registry.example/collabora/code:25.04.9.4.1',
        front: 'registry.example/svc/front:1.0.0',
      },
      pullSecrets: [],
      clusterDomain: 'cluster.local',
      clusterDns: '10.96.0.10',
      dnsAddress: '10.96.0.10',
      listen: { host: '0.0.0.0' },
      licenseKeys: '{"keys":[]}',
      policy: {},
      ...settings,
    },
    license,
    plan: docbuilderPlan(license),
    licenseFiles,
    secrets: effectiveSecrets(given, {}, (size) => new Uint8Array(size).fill(0x5a)),
    ...(docbuilder && { docbuilder }),
  };
}

/** An Enterprise licence with all features. */
export function enterprise(conns: number, state: 'valid' | 'grace' | 'expired' = 'valid'): LicenseState {
  const claims = {
    sub: 'Example',
    conns,
    features: ['api_full', 'callback'],
    issuedAt: 0,
    expiresAt: 4_102_444_800_000,
  };
  return { state, graceDaysLeft: state === 'grace' ? 12 : null, claims, problem: null };
}

/** Adds absent members as structural defaulting does, from outside to inside. */
function withDefaults(node: Node, value: unknown): unknown {
  const { properties } = node.$ref ? resolved(node.$ref) : node;
  if (!properties || typeof value !== 'object' || value === null) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, member] of Object.entries(properties)) {
    filled[name] ??= structuredClone(member.default);
    if (filled[name] === undefined) delete filled[name];
    else filled[name] = withDefaults(member, filled[name]);
  }
  return filled;
}

function resolved(reference: string): Node {
  const node = SCHEMA.definitions?.[reference.replace('#/definitions/', '')];
  if (!node) throw new Error(`no ${reference}`);
  return node;
}
