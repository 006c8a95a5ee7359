import { expect } from 'chai';
import { createDownloader } from '../../../../cmd/docbuilder/source/downloader.ts';
import type { Outbound } from '../../../../src/common/net/outbound.ts';

describe('downloads of sources', () => {
  it('run eight at a time; one that is cancelled while it waits never begins', async () => {
    const running: (() => void)[] = [];
    let begun = 0;
    const outbound = {
      download: () => {
        begun += 1;
        return new Promise((resolve) => running.push(() => resolve({ size: 1 })));
      },
    } as unknown as Outbound;
    const { download } = createDownloader(outbound);
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const [cancel, never] = [new AbortController(), new AbortController()];
    const downloads = Array.from({ length: 20 }, (_, index) =>
      download('https://example.com/', '/nowhere', 1, (index === 19 ? cancel : never).signal).catch((error) => error),
    );
    await turn();
    cancel.abort('nobody waits');
    expect(await downloads[19]).to.equal('nobody waits');
    for (let ended = 0; ended < 19; ended += 1) {
      expect(running).to.have.length(Math.min(8, 19 - ended));
      running.shift()?.();
      await turn();
    }
    await Promise.all(downloads);
    expect(begun).to.equal(19);
  });
});
