import type { RunningService } from './service.ts';

/** The parts of the service on one machine. They end together. */
export interface Run {
  /** Aborted when it is to end. */
  stopping: AbortSignal;
  /**
   * Starts a service and waits until it is ready. When it can't be, this says why, and stops all.
   * @param ends first: the editor, since it saves to the gate; last: what the others keep all in
   */
  start(start: () => Promise<RunningService>, ends?: 'first' | 'last'): Promise<void>;
  stop(signal: NodeJS.Signals): void;
  /** From now on an end of a service that nobody asked for is told. Resolves at the end of all with the exit code. */
  ended(): Promise<number>;
}

export function createRun(): Run {
  const services: RunningService[] = [];
  const stopping = new AbortController();
  const last: RunningService[] = [];
  let editor: RunningService | undefined;
  let [stops, failed] = [0, false];

  async function stop(signal: NodeJS.Signals): Promise<void> {
    stops += 1;
    const round = stops;
    stopping.abort();
    editor?.stop(signal);
    if (round === 1) await editor?.ended;
    // Unless a second Ctrl+C has reached them meanwhile: of two signals they would drop their work.
    const others = services.filter((service) => service !== editor && !last.includes(service));
    if (round === stops) for (const service of others) service.stop(signal);
    if (round === 1) await Promise.all(others.map(({ ended }) => ended));
    if (round === stops) for (const service of last) service.stop(signal);
  }

  return {
    stopping: stopping.signal,
    stop: (signal) => void stop(signal),
    async start(start, ends) {
      if (stopping.signal.aborted) return;
      const service = await start();
      services.push(service);
      if (ends === 'first') editor = service;
      if (ends === 'last') last.push(service);
      if (stopping.signal.aborted) service.stop('SIGTERM');
      if ((await service.ready) || stopping.signal.aborted) return;
      console.error(`${service.name} did not start. The end of ${service.logFile}:\n`);
      console.error(await service.lastWords());
      failed = true;
      void stop('SIGTERM');
    },
    async ended() {
      const isUp = !stopping.signal.aborted;
      const codes = services.map(async ({ name, ended, logFile }) => {
        const code = await ended;
        if (code !== 0 && isUp) console.error(`${name} ended with exit code ${code}; see ${logFile}`);
        // The others are useless alone.
        if (!stopping.signal.aborted) void stop('SIGTERM');
        return code;
      });
      return Math.max(failed ? 1 : 0, ...(await Promise.all(codes)));
    },
  };
}
