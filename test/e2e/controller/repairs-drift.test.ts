import { expect } from 'chai';
import type { KubernetesObject } from '../../../cmd/controller/k8s/api.ts';
import { startOffice, type TestCluster, useTestCluster } from '../../support/controller.ts';
import {
  ADDS_MEMBERS,
  change,
  isMarked,
  mark,
  otherValues,
  type Path,
  readLive,
  remove,
  repairedFields,
  setAt,
  valueAt,
} from '../../support/drift.ts';
import { until } from '../../support/until.ts';

const REPAIRED_MS = 5_000;

describe('the controller repairs', function () {
  this.timeout(240_000);
  const cluster = useTestCluster(startOffice);
  const objects = async () => [...(await cluster.objects()).values()];

  it('each object that is deleted', async () => {
    const before = await cluster.objects();
    const started = Date.now();
    await Promise.all([...before.values()].map((object) => remove(cluster.client, object)));
    await until('all are there again', async () => {
      const now = await cluster.objects();
      const anew = [...before].filter(([name, { metadata }]) => {
        const uid = now.get(name)?.metadata.uid;
        return uid !== undefined && uid !== metadata.uid;
      });
      return anew.length === before.size || undefined;
    });
    expect(Date.now() - started).to.be.lessThan(REPAIRED_MS);
  });

  it('each field that it sets, or tells what to put right, and leaves alone what is of others', async () => {
    await cluster.settled('office');
    const all = await objects();
    await Promise.all(all.map((object) => mark(cluster.client, object)));
    const outcomes: Outcomes = { times: [], repaired: 0, refused: 0, reported: [] };
    // One after the other: the status shows one stage at a time.
    for (const object of all) await alterAll(cluster, object, outcomes);
    const { times, repaired, refused, reported } = outcomes;
    for (const object of await objects()) expect(isMarked(object), object.metadata.name).to.equal(true);
    times.sort((a, b) => a - b);
    const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
    expect(p95, `p95 of ${times.length} repairs, ms`).to.be.lessThan(2_000);
    // Selectors, names of volumes and the like.
    expect(refused / (refused + repaired), `${refused} refused, ${repaired} repaired`).to.be.lessThan(0.2);
    const recreated = ['docbuilder', 'editor', 'gate'].map((name) => `Deployment/office-${name} ${ADDS_MEMBERS}`);
    expect(reported.sort()).to.deep.equal(recreated);
  });
});

/** The outcome for fields that were altered. */
interface Outcomes {
  /** Milliseconds until fields that were altered together were repaired. */
  times: number[];
  repaired: number;
  /** The API server lets nobody alter them. */
  refused: number;
  /** Those that the status asks to have put right. */
  reported: string[];
}

async function alterAll(cluster: TestCluster, object: KubernetesObject, outcomes: Outcomes): Promise<void> {
  /** As many at once as the API server lets pass: what it refuses is tried in halves, down to single ones. */
  const alter = async (paths: Path[]): Promise<void> => {
    const [first] = paths;
    if (!first) return;
    const halve = async (onSingle: () => void): Promise<void> => {
      if (paths.length === 1) return onSingle();
      const middle = Math.ceil(paths.length / 2);
      for (const half of [paths.slice(0, middle), paths.slice(middle)]) await alter(half);
    };
    const original = await readLive(cluster.client, object);
    const variants = otherValues(valueAt(original, first)).length;
    for (let variant = 0; variant < (paths.length === 1 ? variants : 1); variant += 1) {
      const altered = await change(cluster.client, object, (live) => {
        for (const path of paths) setAt(live, path, otherValues(valueAt(original, path))[variant]);
      });
      if (!altered || paths.every((path) => isSame(altered, original, path))) continue;
      const time = await repairTime(cluster, object, paths, original);
      if (time !== undefined) {
        outcomes.times.push(time);
        outcomes.repaired += paths.length;
        return;
      }
      await putBack(cluster, object, original);
      return halve(() => outcomes.reported.push(`${object.kind}/${object.metadata.name} ${first.join('.')}`));
    }
    await halve(() => {
      outcomes.refused += 1;
    });
  };
  await alter(repairedFields(object));
}

function isSame(one: KubernetesObject, other: KubernetesObject, path: Path): boolean {
  return JSON.stringify(valueAt(one, path)) === JSON.stringify(valueAt(other, path));
}

/** Milliseconds until all values are as they were; undefined where the status says that an administrator must correct that. */
async function repairTime(cluster: TestCluster, object: KubernetesObject, paths: Path[], original: KubernetesObject) {
  const started = Date.now();
  let wrong: Path[] = [];
  const outcome = await until(
    'repaired, or told',
    async () => {
      const live = await readLive(cluster.client, object);
      wrong = paths.filter((path) => !isSame(live, original, path));
      if (wrong.length === 0) return { repaired: true };
      return (await isReported(cluster, object)) ? { repaired: false } : undefined;
    },
    REPAIRED_MS,
  ).catch(() => {
    throw new Error(`not repaired: ${object.kind}/${object.metadata.name} ${wrong.map((path) => path.join('.'))}`);
  });
  return outcome.repaired ? Date.now() - started : undefined;
}

async function isReported(cluster: TestCluster, { metadata: { name } }: KubernetesObject): Promise<boolean> {
  const { reason, message = '' } = (await cluster.condition('office', 'Ready')) ?? {};
  return reason === 'Refused' && message.includes(`/${name}: 422 `);
}

/** Restores the object, as the status says. */
async function putBack(cluster: TestCluster, object: KubernetesObject, original: KubernetesObject): Promise<void> {
  const { apiVersion: _, kind: __, metadata: ___, ...content } = original as KubernetesObject & { status?: object };
  const restored = await change(cluster.client, object, (live) => void Object.assign(live, structuredClone(content)));
  expect(restored).not.to.equal(undefined);
  await until('that is good', async () => !(await isReported(cluster, object)) || undefined);
}
