import { expect } from 'chai';
import { unzipSync } from 'fflate';
import { templateExamples } from '../../scripts/examples/files.ts';
import { zip } from '../../scripts/support/documents.ts';
import type { DocbuilderStatus, ErrorResponse } from '../../src/common/generated/wire.ts';
import { SCRIPTS } from '../property/support/scripts.ts';
import { startEnterprise } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';
import { mutated, mutatedBytes } from './mutate.ts';

/** Scripts and templates in all; each is sent through the whole service. 2000 take four minutes. */
const RUNS = Number(process.env['MUTATION_RUNS'] ?? 300);
const SCRIPT_SHARE = 0.6;
const SLOWEST_MS = 20_000;
/** Statuses that bad input may be answered with. */
const REFUSALS = new Set([400, 413, 422]);

/** Scripts and templates that were changed at random, as a wrong program or a hostile caller would. */
describe(`${RUNS} mutated scripts and templates`, () => {
  const service = useStarted(
    () => startEnterprise({ SVC_DOCBUILDER_WORKERS: '2', SVC_DOCBUILDER_WORKER_MAX_JOBS: '10000' }),
    ({ stop }) => stop(),
  );

  const restarts = async (): Promise<number> => {
    return (await service.read<DocbuilderStatus>('/v1/status')).workers.restarts;
  };

  /** Sends each in turn, two at a time, and returns how many were refused with which code, and how many were made. */
  async function send(count: number, post: (seed: number) => Promise<Response>): Promise<Map<string, number>> {
    const seen = new Map<string, number>();
    const seeds = Array.from({ length: count }, (_, seed) => seed).values();
    const client = async (): Promise<void> => {
      for (const seed of seeds) {
        const started = performance.now();
        const response = await post(seed);
        const body = await response.arrayBuffer();
        const outcome = response.status === 200 ? 'made' : readCode(body);
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        const what = `seed ${seed}: ${response.status} ${outcome}`;
        if (response.status !== 200) expect(REFUSALS.has(response.status), what).to.equal(true);
        expect(performance.now() - started, what).to.be.below(SLOWEST_MS);
      }
    };
    await Promise.all([client(), client()]);
    return seen;
  }

  it('scripts: each is built or refused with a place, and no worker dies', async function () {
    this.timeout(600_000);
    const before = await restarts();
    const bases = [...SCRIPTS.values()];
    const seen = await send(RUNS * SCRIPT_SHARE, (seed) =>
      service.call('/v1/build', {
        method: 'POST',
        body: JSON.stringify(mutated(bases[seed % bases.length], seed)),
        headers: { 'Content-Type': 'application/json' },
      }),
    );
    expect(await restarts()).to.equal(before);
    expect(seen.get('made')).to.be.greaterThan(RUNS * 0.05);
    expect(seen.get('script_invalid')).to.be.greaterThan(RUNS * 0.05);
  });

  it('templates: each is filled or refused, and no worker dies', async function () {
    this.timeout(600_000);
    const before = await restarts();
    const letter = (await templateExamples()).find(({ name }) => name === 'letter');
    const parts = unzipSync(letter?.template ?? new Uint8Array());
    const names = Object.keys(parts).filter((name) => name.startsWith('word/') && name.endsWith('.xml'));
    const seen = await send(RUNS * (1 - SCRIPT_SHARE), (seed) => {
      const name = names[seed % names.length] ?? '';
      const content = mutatedBytes(parts[name] ?? new Uint8Array(), seed);
      const body = new FormData();
      body.append('template', new Blob([zip({ ...parts, [name]: content })]), 'a.docx');
      body.append('data', JSON.stringify(mutated(letter?.data, seed)));
      // Every fourth goes through the engine as well.
      if (seed % 4 === 0) body.append('to', 'pdf');
      if (seed % 3 === 0) body.append('options.missing', 'error');
      return service.call('/v1/template/render', { method: 'POST', body });
    });
    expect(await restarts()).to.equal(before);
    expect(seen.get('made')).to.be.greaterThan(RUNS * 0.02);
  });
});

function readCode(body: ArrayBuffer): string {
  return (JSON.parse(Buffer.from(body).toString()) as ErrorResponse).error.code;
}
