import type { V1Container, V1DeploymentSpec, V1PodTemplateSpec, V1Secret } from '@kubernetes/client-node';
import { desired } from '../../../../cmd/controller/desired/index.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { makeSituation, type Options } from './situation.ts';

/** All objects of the instance of `makeSituation(options)`. */
export function makeObjects(options?: Options): KubernetesObject[] {
  return desired(makeSituation(options));
}

/** `kind/name`, the same for no two objects of a namespace. */
export function getId({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata.name}`;
}

/** Objects by `kind/name`, as JSON: what travels to the API server. */
function texts(objects: readonly KubernetesObject[]): Map<string, string> {
  return new Map(objects.map((object) => [getId(object), JSON.stringify(object)]));
}

/** `kind/name` of what is not the same in both. */
export function changed(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): string[] {
  const [one, other] = [texts(before), texts(after)];
  return [...new Set([...one.keys(), ...other.keys()])].filter((id) => one.get(id) !== other.get(id));
}

/** `spec`, of the kind that the object is known to be. */
function getSpec<T>(object: KubernetesObject): T | undefined {
  return (object as KubernetesObject & { spec?: T }).spec;
}

/** The pods of an instance by component. */
export function pods(objects: readonly KubernetesObject[]): Map<string, V1PodTemplateSpec> {
  return new Map(
    objects.flatMap((object) => {
      const template = object.kind === 'Deployment' ? getSpec<V1DeploymentSpec>(object)?.template : undefined;
      return template ? [[object.metadata.labels?.['app.kubernetes.io/component'] ?? '', template]] : [];
    }),
  );
}

/** The one container of a component, which has the component's name. */
export function container(objects: readonly KubernetesObject[], component: string): V1Container {
  const found = pods(objects)
    .get(component)
    ?.spec?.containers.find(({ name }) => name === component);
  if (!found) throw new Error(`no container ${component}`);
  return found;
}

/** Returns the values of a Secret. */
export function decoded(objects: readonly KubernetesObject[], name: string): Record<string, string> {
  const secret = objects.find((object) => getId(object) === `Secret/${name}`) as V1Secret | undefined;
  return Object.fromEntries(
    Object.entries(secret?.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}
