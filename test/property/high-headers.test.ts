import { expect } from 'chai';
import type { Script } from '../../src/common/generated/script.ts';
import { compareText } from './compare/text.ts';
import { type Builder, NOW, startBuilder } from './support/builder.ts';
import type { TextFacts } from './support/facts.ts';
import { highHeaders } from './support/high-headers.ts';
import { missingReader, type Reader, startReader } from './support/reader.ts';
import { createReport, type Report } from './support/report.ts';

const HEADER = '/body/0/header';

/** What the property test says of a header row. */
describe('a header row that is lost', function () {
  this.timeout(60_000);
  let builder: Builder;
  let reader: Reader;

  before(async function () {
    if (missingReader() !== undefined) this.skip();
    reader = startReader();
    builder = await startBuilder(1);
  });
  after(async () => {
    reader?.stop();
    await builder?.stop();
  });

  /** @param lose takes the header row's mark away */
  async function reportOn(header: string, lose: boolean): Promise<Report> {
    const script: Script = {
      svcscript: 1,
      type: 'text',
      save: [{ format: 'odt' }],
      body: [{ type: 'table', header: [header], rows: [['m2e']] }],
    };
    const report = createReport('odt');
    await builder.build(script, async ([file]) => {
      const facts = await reader.read<TextFacts>(file?.path ?? '', 'odt');
      for (const block of facts.blocks) if (lose && block.table) block.table.headerRows = 0;
      compareText(script, facts, NOW, report, await highHeaders(script, facts, builder));
    });
    return report;
  }

  it('is a fault where a page can hold it', async () => {
    expect((await reportOn('m1e', false)).missing).to.deep.equal([]);
    const tall = `m1e${'\n'.repeat(40)}`;
    expect((await reportOn(tall, false)).missing).to.deep.equal([]);
    for (const header of ['m1e', tall])
      expect((await reportOn(header, true)).missing).to.deep.equal([`odt ${HEADER}: should be 1, is 0`]);
  });

  it('is a known loss where none can', async () => {
    const { missing, losses } = await reportOn(`m1e${'\n'.repeat(80)}`, false);
    expect(missing).to.deep.equal([]);
    expect([...losses].map(({ reason }) => reason)).to.deep.equal([
      'LibreOffice makes an ordinary row of a header row that no page can hold (tdf#88496)',
    ]);
  });
});
