import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { ENOUGH_WORDS, missingWords, splitWords } from '../../scripts/corpus/compare.ts';
import { describeDocument } from '../../scripts/corpus/documents.ts';
import { fold, readPdf } from '../../scripts/corpus/pdf.ts';
import type { Expectation, Sample } from '../../scripts/corpus/sample.ts';
import { toReason } from '../../scripts/corpus/service.ts';
import { findCorpus, upstreamVersion } from '../../scripts/corpus/settings.ts';
import { useFolder } from '../support/folder.ts';
import { form, readError, sharedEnterprise } from '../support/service.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';
import { useStarted } from '../support/use-started.ts';

/** Drawn from a whole run by `node scripts/corpus/main.ts --sample`. */
const sample = JSON.parse(readFileSync(join(import.meta.dirname, 'sample.json'), 'utf8')) as Sample;

describe("LibreOffice's own test documents, a sample", function () {
  this.timeout(60_000);
  const corpus = findCorpus();
  before(function () {
    if (!corpus) return skip(this, 'scripts/corpus/fetch.sh could not get the source of the installed LibreOffice');
    if (upstreamVersion(corpus.office) !== upstreamVersion(sample.office)) {
      return skip(this, `the sample is of LibreOffice ${sample.office}, whose pages are not those of ${corpus.office}`);
    }
  });
  const service = useStarted(sharedEnterprise);
  const folder = useFolder();

  for (const expectation of sample.documents) {
    it(`${expectation.path}: ${shown(expectation)}`, async () => {
      const { path } = expectation;
      const file = await readFile(join(corpus?.documents ?? '', path));
      const converted = await service.convert(file, basename(path), { to: 'pdf' });
      if ('code' in expectation) {
        const { code, detail } = await readError(converted);
        expect({ code, reason: toReason(detail) }).to.deep.equal({
          code: expectation.code,
          reason: expectation.reason,
        });
        return;
      }
      const content = Buffer.from(await converted.arrayBuffer());
      expect(converted.status, content.toString('utf8', 0, 300)).to.equal(200);
      const { pages, text } = await readPdf(await folder.file(content));
      expect(pages).to.equal(expectation.pages);

      const body = form(file, basename(path), { format: 'text' });
      const extracted = await service.call('/v1/extract/text', { method: 'POST', body });
      expect(extracted.status).to.equal(200);
      const words = splitWords(text, describeDocument(path)?.family ?? 'text');
      const missing = missingWords(words, fold(await extracted.text()));
      expect(missing, `of ${words.length} words`).to.have.length.at.most(words.length * (1 - ENOUGH_WORDS));
    });
  }

  it('leave no file behind', async () => {
    await until('the files of the last job are removed', async () => (await service.temporaries()).length === 0);
  });
});

function shown(expectation: Expectation): string {
  if ('code' in expectation) return `is refused with ${expectation.code} ${expectation.reason}`;
  return `becomes ${expectation.pages} ${expectation.pages === 1 ? 'page' : 'pages'}, and its words are extracted`;
}
