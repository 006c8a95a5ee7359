import { expect } from 'chai';
import { type Comparison, missingWords, splitWords } from '../../../scripts/corpus/compare.ts';
import { findDifferences } from '../../../scripts/corpus/differences.ts';
import { describeDocument } from '../../../scripts/corpus/documents.ts';
import { upstreamVersion } from '../../../scripts/corpus/settings.ts';

const OK = { status: 200, ms: 1 };
const REFUSED = { status: 422, code: 'corrupt_source', reason: 'unreadable', ms: 1 };

function comparison(change: {
  command?: Partial<Comparison['command']>;
  ours?: Partial<Comparison['ours']>;
  found?: number;
  sameText?: boolean;
}): Comparison {
  const document = { path: 'a.docx', extension: 'docx', family: 'text', sha256: '' } as const;
  return {
    document,
    command: { sha256: '', office: '', outcome: 'pdf', ms: 1, pages: 1, ...change.command },
    ours: {
      ...{ path: 'a.docx', sha256: '', build: '', text: OK, meta: OK, thumbnail: OK },
      convert: { ...OK, pages: 1 },
      ...change.ours,
    },
    ...{ sameText: change.sameText ?? true, words: 200, found: change.found ?? 200 },
    example: { text: '', missing: '' },
  };
}

describe('scripts/corpus', () => {
  const TEXTS: [about: string, family: 'text' | 'sheet', pdf: string, extracted: string, missing: string[]][] = [
    ['words and their order', 'text', 'một hai ba', 'ba hai một', []],
    ['a word that is nowhere', 'text', 'một hai', 'một', ['hai']],
    ['a mark of a footnote and leaders', 'text', 'filosofii2 Mục......... 12', 'filosofii [2] Mục', []],
    ['a word that the end of a line broke', 'text', 'inter national', 'international', []],
    ['a hyphen at the end of a line', 'text', 'hochwertig regeneration', 'hoch\u2010wertig re-generation', []],
    ['a sign between letters that no paper shows', 'text', 'نمىرسد', 'نمى\u200cرسد', []],
    ['a mark that stands close to a word', 'text', 'Endnotei đầuii', 'Endnote[i] đầu [ii]', []],
    ['words of which a bracket or dash is all between them', 'text', 'một hai', 'một-[ba]', ['hai']],
    ['a word in capitals for its looks', 'text', 'MỘT HAI', 'một hai', []],
    ['a letter alone', 'text', 'a) II. x', 'II', []],
    ['a number in a text', 'text', '2026', '', []],
    ['a number in a sheet', 'sheet', '2026 17', '17', ['2026']],
    ['a number that is rounded on paper', 'sheet', '0.41075', '0.4107523', []],
    ['the footer of Calc', 'sheet', 'Page 1', '', []],
  ];
  for (const [about, family, pdf, extracted, missing] of TEXTS) {
    it(`looks for words: ${about}`, () => {
      expect(missingWords(splitWords(pdf, family), extracted)).to.deep.equal(missing);
    });
  }

  const COMPARISONS: [Parameters<typeof comparison>[0], string[]][] = [
    [{}, []],
    [
      { command: { outcome: 'none' }, ours: { convert: REFUSED, text: REFUSED, meta: REFUSED, thumbnail: REFUSED } },
      [],
    ],
    [
      { ours: { convert: REFUSED, text: REFUSED, meta: REFUSED, thumbnail: REFUSED } },
      ['only the command converts: 422 corrupt_source unreadable'],
    ],
    [{ command: { outcome: 'crashed' } }, ['only the service converts: command: crashed']],
    [{ command: { pages: 2 }, sameText: false }, ['other number of pages: 2, 1']],
    [{ sameText: false }, ['other text: ']],
    [{ found: 197 }, ['words not extracted: 197 of 200']],
    [{ found: 198 }, []],
    [{ ours: { text: REFUSED } }, ['endpoints disagree: text 422 corrupt_source unreadable, convert 200']],
    [
      { ours: { meta: { status: 0, ms: 1 } } },
      ['no proper answer: meta connection dropped', 'endpoints disagree: meta connection dropped, convert 200'],
    ],
  ];
  for (const [change, kinds] of COMPARISONS) {
    it(`tells differences: ${kinds.join(', ') || 'none'} (${JSON.stringify(change)})`, () => {
      expect(findDifferences(comparison(change)).map(({ kind, detail }) => `${kind}: ${detail}`)).to.deep.equal(kinds);
    });
  }

  it('knows a family by the name, and the version of the source by that of a package', () => {
    expect(describeDocument('a/b.DOT')).to.deep.equal({ extension: 'dot', family: 'text' });
    expect(describeDocument('a/b.html')).to.equal(undefined);
    expect(upstreamVersion('4:7.4.7-1+deb12u14')).to.equal('7.4.7');
    expect(upstreamVersion('4:24.2.7-0ubuntu0.24.04.4')).to.equal('24.2.7');
  });
});
