import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { readPng } from './pixels.ts';
import { findFailure, fods, fodt, paragraph, row, textTable, useBench } from './support.ts';

const TEXT = fodt(paragraph('đầu') + textTable('trong bảng'));

describe('engine: several outputs of one task', function () {
  this.timeout(30_000);
  const bench = useBench();

  const results = () => readdirSync(bench.folder).filter((name) => name.includes('.result'));

  it('what plain text needs is not in the others, wherever it comes in the order', async () => {
    const [first, docx, second] = await bench.make(TEXT, 'fodt', [{ to: 'txt' }, { to: 'docx' }, { to: 'txt' }]);
    const [alone] = await bench.make(TEXT, 'fodt', [{ to: 'txt' }]);
    expect([first.text, second?.text]).to.deep.equal([alone.text, alone.text]);
    const [before] = await bench.make(TEXT, 'fodt', [{ to: 'docx' }]);
    const again = async (bytes: Buffer) => (await bench.convert(bytes, 'docx', 'txt')).text;
    expect(await again(docx?.bytes as Buffer)).to.equal(await again(before.bytes));
  });

  it('two of one format do not collide, each has its own options', async () => {
    const [comma, semicolon, whole, second] = await bench.make(fods(row('a', 1)), 'fods', [
      { to: 'csv' },
      { to: 'csv', options: { delimiter: ';' } },
      { to: 'png', image: { page: 1, width: 100, height: 100 } },
      { to: 'png', image: { page: 1, width: 50, height: 50 } },
    ]);
    expect([comma.text, semicolon?.text]).to.deep.equal(['a,1\n', 'a;1\n']);
    expect(readPng(whole?.bytes as Buffer).height).to.equal(100);
    expect(readPng(second?.bytes as Buffer).height).to.equal(50);
  });

  it('one that fails leaves nothing of any, and the worker goes on', async () => {
    const image = { to: 'png', image: { page: 99, width: 10, height: 10 } } as const;
    const [before, restarts] = [results(), bench.restarts()];
    const page = await findFailure(bench.make(TEXT, 'fodt', [{ to: 'docx' }, { to: 'odt' }, image]));
    expect(page.reason).to.equal('page_range');
    expect(results()).to.deep.equal(before);
    // This one is found out when the first has been delivered already.
    const long = fodt(paragraph('Một đoạn văn. '.repeat(9_000)));
    const wanted = [{ to: 'docx' }, { to: 'txt' }] as const;
    const size = await findFailure(bench.make(long, 'fodt', wanted, { maxOutputBytes: 100_000 }));
    expect(size.reason).to.equal('output_limit');
    expect(results()).to.deep.equal(before);
    expect((await bench.convert(TEXT, 'fodt', 'pdf')).pages).to.equal(1);
    expect(bench.restarts()).to.equal(restarts);
  });
});
