import { expect } from 'chai';
import { createDownloader } from '../../../../cmd/docbuilder/source/downloader.ts';
import type { Outbound } from '../../../../src/common/net/outbound.ts';

describe('downloads of sources', () => {
  it('run eight at a time; one that is cancelled while it waits never begins', async () => {
    const running: (() => void)[] = [];
    let [now, most, begun] = [0, 0, 0];
    const outbound = {
      download: async () => {
        begun += 1;
        now += 1;
        most = Math.max(most, now);
        await new Promise<void>((resolve) => running.push(resolve));
        now -= 1;
        return { size: 1 };
      },
    } as unknown as Outbound;
    const { download } = createDownloader(outbound);
    const cancel = new AbortController();
    const never = new AbortController().signal;
    const downloads = Array.from({ length: 20 }, (_, index) =>
      download('https://example.com/', '/nowhere', 1, index === 19 ? cancel.signal : never),
    );
    await new Promise((resolve) => setImmediate(resolve));
    const last = downloads[19]?.catch((error: unknown) => error);
    const reason = new Error('nobody waits');
    cancel.abort(reason);
    expect(await last).to.equal(reason);
    for (let ended = 0; ended < 19; ended += 1) {
      expect(now).to.equal(Math.min(8, 19 - ended));
      running.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(downloads.slice(0, 19));
    expect([begun, most]).to.deep.equal([19, 8]);
  });
});
