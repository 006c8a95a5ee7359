import { readFileSync } from 'node:fs';
import { type KubernetesObject, RESOURCES, type Resource } from '../k8s/api.ts';
import { hasStatus } from '../k8s/api-error.ts';
import type { Client } from '../k8s/client.ts';

const DEFINITIONS: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const { plural, apiVersion } = RESOURCES.svcInstance;
const [GROUP = '', VERSION = ''] = apiVersion.split('/');
const NAME = `${plural}.${GROUP}`;

export const DEFINITION_MISSING = `the CustomResourceDefinition ${NAME} is not installed: apply crds/${NAME}.yaml`;

interface OpenApi {
  $ref?: string;
  properties?: Record<string, OpenApi>;
  definitions?: Record<string, OpenApi>;
}

interface Definition extends KubernetesObject {
  spec: { versions: { name: string; served: boolean; schema?: { openAPIV3Schema?: OpenApi } }[] };
}

/**
 * Says what is wrong with the CustomResourceDefinition, and what to do. An older one would cut off fields that this controller reads
 * or writes. A controller that may not read it learns from its watch whether there is one.
 */
export async function definitionProblem(client: Client): Promise<string | undefined> {
  let definition: Definition | undefined;
  try {
    definition = await client.get<Definition>(DEFINITIONS, undefined, NAME);
  } catch (error) {
    if (hasStatus(error, 403)) return undefined;
    throw error;
  }
  if (!definition) return DEFINITION_MISSING;
  const version = definition.spec.versions.find(({ name, served }) => name === VERSION && served);
  if (!version) return `the CustomResourceDefinition ${NAME} does not serve ${VERSION}: apply crds/${NAME}.yaml`;
  const root = version.schema?.openAPIV3Schema?.properties ?? {};
  const lacking = ['spec', 'status'].flatMap((part) => {
    const ours = readSchema(part);
    return lacks(ours, root[part], part, ours.definitions ?? {});
  });
  if (lacking.length === 0) return undefined;
  return `the CustomResourceDefinition ${NAME} is older than this controller, it lacks ${lacking.join(', ')}: apply crds/${NAME}.yaml`;
}

/** Reads the schema that the definition is made from. */
function readSchema(part: string): OpenApi {
  return JSON.parse(readFileSync(new URL(`../../../schemas/svcinstance-${part}.json`, import.meta.url), 'utf8'));
}

/** Paths of members that ours has and the other has not. */
function lacks(
  ours: OpenApi,
  theirs: OpenApi | undefined,
  path: string,
  definitions: Readonly<Record<string, OpenApi>>,
): string[] {
  const { properties = {} } = definitions[ours.$ref?.replace('#/definitions/', '') ?? ''] ?? ours;
  return Object.entries(properties).flatMap(([name, property]) => {
    const found = theirs?.properties?.[name];
    return found ? lacks(property, found, `${path}.${name}`, definitions) : [`${path}.${name}`];
  });
}
