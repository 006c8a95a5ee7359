import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { V1Deployment } from '@kubernetes/client-node';
import { load, loadAll } from 'js-yaml';
import type { KubernetesObject } from '../../cmd/controller/k8s/api.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const HELM = join(ROOT, '.cache/tools/bin/helm');

export const CHART = join(ROOT, 'charts/svc');

/** Why there is no helm here, or undefined. */
export function helmMissing(): string | undefined {
  return existsSync(HELM) ? undefined : 'no helm (scripts/chart-tools.sh)';
}

export interface Values {
  /** Name of the release. */
  release?: string;
  /** Files of values, as paths. */
  files?: readonly string[];
  /** As of `--set-json`: `replicas=2`. */
  set?: readonly string[];
}

/**
 * Runs helm with nothing of the user's own.
 * @throws an Error whose `stderr` says what helm did not like
 */
export async function helm(parameters: readonly string[], environment: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(HELM, parameters, {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment },
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

/** The objects that the chart is, hooks among them. Release `svc`, unless another is named, in namespace `svc-system`. */
export async function render(values: Values = {}): Promise<KubernetesObject[]> {
  const { release = 'svc' } = values;
  const text = await helm(['template', release, CHART, '--namespace', 'svc-system', ...parameters(values)]);
  return loadAll(text).filter((object) => object !== null && object !== undefined) as KubernetesObject[];
}

/** Renders the notes of `helm install`, without a cluster to install into: NOTES.txt as a value of a template. */
export async function notes(values: Values = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-notes-'));
  try {
    await cp(CHART, folder, { recursive: true });
    await rename(join(folder, 'templates/NOTES.txt'), join(folder, 'NOTES.txt'));
    await writeFile(join(folder, 'templates/notes.yaml'), 'text: {{ toJson (tpl (.Files.Get "NOTES.txt") .) }}');
    const show = ['--namespace', 'svc-system', '--show-only', 'templates/notes.yaml'];
    return (load(await helm(['template', 'svc', folder, ...show, ...parameters(values)])) as { text: string }).text;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns helm's message when it refuses these values, or undefined when it accepts them. */
export async function refusal(values: Values): Promise<string | undefined> {
  return render(values).then(
    () => undefined,
    (error: { stderr: string }) => error.stderr,
  );
}

/** The one object of a kind, or of a kind and a name. */
export function only<T extends KubernetesObject>(objects: readonly KubernetesObject[], kind: string, name?: string): T {
  const found = objects.filter((object) => object.kind === kind && (!name || object.metadata.name === name));
  if (found.length !== 1) throw new Error(`${found.length} objects ${kind} ${name ?? ''}`);
  return found[0] as T;
}

/** The variables that the chart gives the controller, but those that the cluster fills in. */
export function getEnvironment(objects: readonly KubernetesObject[]): Record<string, string> {
  const pod = only<V1Deployment & KubernetesObject>(objects, 'Deployment').spec?.template.spec;
  return Object.fromEntries((pod?.containers[0]?.env ?? []).map(({ name, value = '' }) => [name, value]));
}

function parameters({ files = [], set = [] }: Values): string[] {
  return [...files.flatMap((file) => ['--values', file]), ...set.flatMap((value) => ['--set-json', value])];
}
