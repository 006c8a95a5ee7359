import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import type { SourceEncoding } from '../../../../cmd/docbuilder/formats.ts';
import { transcode } from '../../../../cmd/docbuilder/source/inspect/text.ts';
import { normalized } from '../../../../cmd/docbuilder/source/inspect/unicode.ts';
import { SENTENCE } from '../../../../scripts/support/documents.ts';
import { AppError } from '../../../../src/common/errors.ts';
import { useFolder } from '../../../support/folder.ts';
import { corrupt, verdict } from '../../../support/inspect.ts';
import { processorTime } from '../../../support/processor-time.ts';
import { VIETNAMESE_LETTERS, windows1258 } from './windows-1258.ts';

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const CHUNK = 256 * 1024;

describe('text files', () => {
  const folder = useFolder();

  const look = async (content: string | Uint8Array, name = 'a.txt', options = {}) => {
    const found = await verdict(await folder.file(content), name, options);
    return 'text' in found ? found.text : found;
  };
  const read = async (content: Uint8Array, encoding: SourceEncoding, delimiter?: string): Promise<string> => {
    const [path, target] = [await folder.file(content), await folder.file('')];
    await transcode({ path, target, encoding, ...(delimiter !== undefined && { delimiter }) });
    return readFile(target, 'utf8');
  };

  describe('are known by their character set', () => {
    const sets: [what: string, content: Buffer, encoding: SourceEncoding][] = [
      ['UTF-8', Buffer.from(SENTENCE), 'utf-8'],
      ['UTF-8 with a mark', Buffer.from(`\ufeff${SENTENCE}`), 'utf-8'],
      ['UTF-16 little endian with a mark', Buffer.from(`\ufeff${SENTENCE}`, 'utf16le'), 'utf-16le'],
      ['UTF-16 big endian with a mark', utf16be(`\ufeff${SENTENCE}`), 'utf-16be'],
      ['UTF-16 little endian without', Buffer.from(SENTENCE, 'utf16le'), 'utf-16le'],
      ['UTF-16 big endian without', utf16be(SENTENCE), 'utf-16be'],
      ['windows-1258', windows1258(SENTENCE), 'windows-1258'],
      ['ASCII', Buffer.from('abc'), 'utf-8'],
    ];
    for (const [what, content, encoding] of sets) {
      it(`${what}, and read right`, async () => {
        expect(await look(content)).to.deep.equal({ encoding });
        expect((await read(content, encoding)).normalize('NFC')).to.match(/^(abc$|Cộng hòa xã hội .*Hạnh phúc\.$)/);
      });
    }

    // In base64, because Node only decodes these.
    const foreign: [encoding: SourceEncoding, bytes: string, text: string][] = [
      ['shift_jis', 'k/qWe4zqgsyVto/NgsWCt4FCgrGC6oLNjo6MsYLFgreBQg==', '日本語の文章です。これは試験です。'],
      ['euc-jp', 'xvzL3LjspM7KuL7PpMekuaGjpLOk7KTPu+64s6THpLmhow==', '日本語の文章です。これは試験です。'],
      ['euc-kr', 'tOvH0bnOsbnAxyC48LXnILG5uc7AuiDAzrCjwLi3zrytwMc=', '대한민국의 모든 국민은 인간으로서의'],
      ['gb18030', '1eLKx9K7uPbW0M7EsuLK1M7EvP6how==', '这是一个中文测试文件。'],
      ['big5', 's2+sT6RArdOkpKTltPq41cDJrtehQ6ltplc=', '這是一個中文測試檔案。姓名'],
      ['koi8-r', '8NLJ18XULCDc1M8g0NLP18XSy8Egy8/EydLP18vJINTFy9PUwS4=', 'Привет, это проверка кодировки текста.'],
      [
        'windows-1251',
        'z/Do4uXyLCD98u4g7/Du4uXw6uAg6u7k6PDu4uroIPLl6vHy4C4=',
        'Привет, это проверка кодировки текста.',
      ],
    ];
    for (const [encoding, bytes, text] of foreign) {
      it(`${encoding}, and read right`, async () => {
        const content = Buffer.from(bytes, 'base64');
        expect(await look(content)).to.deep.equal({ encoding });
        expect(await read(content, encoding)).to.equal(text);
      });
    }

    it('never a foreign one for Vietnamese in windows-1258, however few words', async () => {
      const known = `${SENTENCE} ${SENTENCE.toUpperCase()} Nguyễn Trần Đặng Bùi Đỗ xử sữa gạo`.split(/[ ,:.]+/);
      const words = fc.array(fc.constantFrom(...known), { minLength: 1, maxLength: 9 });
      await fc.assert(
        fc.asyncProperty(words, fc.constantFrom(' ', ';', '\n'), async (picked, by) => {
          const content = windows1258(picked.join(by));
          const encoding = content.every((byte) => byte < 128) ? 'utf-8' : 'windows-1258';
          expect(await look(content), picked.join(by)).to.deep.equal({ encoding });
        }),
        { numRuns: 100 },
      );
    });

    it('UTF-16 without a mark that is not Latin, by its lines', async () => {
      const lines = '文字\r\n文字文字\r\n';
      expect(await look(Buffer.from(lines, 'utf16le'))).to.deep.equal({ encoding: 'utf-16le' });
      expect(await look(utf16be(lines))).to.deep.equal({ encoding: 'utf-16be' });
      expect(await look(Buffer.from('文字\r\n\u0001', 'utf16le'))).to.deep.equal(corrupt('not_txt'));
    });

    it('one wrong byte at the end of a large file makes it no UTF-8', async () => {
      const large = Buffer.from('Độc lập '.repeat(60_000));
      expect(await look(large)).to.deep.equal({ encoding: 'utf-8' });
      expect(await look(Buffer.concat([large, Buffer.from([0xf0])]))).to.deep.equal({ encoding: 'windows-1258' });
    });

    it('a character that lies across the border of two reads does not', async () => {
      for (let shift = 0; shift < 4; shift++) {
        const text = `${'x'.repeat(CHUNK - shift)}😀${'ệ'.repeat(CHUNK)}${'x'.repeat(8 << 20)}`;
        expect(await look(text)).to.deep.equal({ encoding: 'utf-8' });
      }
    });

    const page = `${SENTENCE} `.repeat(10);
    const told: [what: string, content: string | Buffer, encoding: SourceEncoding | undefined, expected: object][] = [
      ['a set that is told is believed', Buffer.from([0x63, 0xf2]), 'windows-1252', { encoding: 'windows-1252' }],
      ['also UTF-16', Buffer.from('文字文字', 'utf16le'), 'utf-16le', { encoding: 'utf-16le' }],
      ['but not against a byte order mark', `\ufeff${SENTENCE}`, 'windows-1258', { encoding: 'utf-8' }],
      ['nor where it is UTF-8 and the text is none', windows1258(SENTENCE), 'utf-8', corrupt('encoding')],
      ['bytes with a zero are no text', 'abc\0def', undefined, corrupt('not_txt')],
      ['nor is a zero alone', Buffer.from([0]), undefined, corrupt('not_txt')],
      ['nor are numbers', Buffer.from([1, 0, 2, 0, 3, 0]), undefined, corrupt('not_txt')],
      ['nor are control characters', 'abc\u0016def', undefined, corrupt('not_txt')],
      [
        'of which one in a page is left over from some program',
        `${page}\u0016${page}`,
        undefined,
        { encoding: 'utf-8' },
      ],
    ];
    for (const [what, content, encoding, expected] of told) {
      it(what, async () => {
        expect(await look(content, 'a.txt', encoding && { encoding })).to.deep.equal(expected);
      });
    }
  });

  describe('are written as UTF-8', () => {
    it('every Vietnamese letter of windows-1258 becomes one character', async () => {
      for (const letter of VIETNAMESE_LETTERS) expect(letter, letter).to.have.length(1);
      const text = VIETNAMESE_LETTERS.join(' ');
      expect(await read(windows1258(text), 'windows-1258')).to.equal(text);
    });

    it('a tone mark that comes with the next read finds its letter', async () => {
      const word = 'ệ';
      const bytes = Buffer.concat([Buffer.alloc(CHUNK - 1, 'x'), windows1258(word)]);
      expect(await read(bytes, 'windows-1258')).to.equal(`${'x'.repeat(CHUNK - 1)}${word}`);
      const decomposed = `${'x'.repeat(CHUNK - 1)}e\u0323\u0302`;
      expect(await read(Buffer.from(decomposed), 'utf-8')).to.equal(decomposed.normalize('NFC'));
    });

    it('without a mark, with line ends as they were', async () => {
      expect(await read(Buffer.from('\ufeffa\r\nb\nc\rd'), 'utf-8')).to.equal('a\r\nb\nc\rd');
    });

    it('bytes that the set does not have make it corrupt', async () => {
      const bad: [bytes: Buffer, from: SourceEncoding][] = [
        [Buffer.from([0x61, 0xff]), 'utf-8'],
        [Buffer.from('ệ').subarray(0, 2), 'utf-8'],
        [Buffer.from([0x61, 0x00, 0x62]), 'utf-16le'],
        [Buffer.from([0x00, 0xd8, 0x61, 0x00]), 'utf-16le'],
      ];
      for (const [bytes, from] of bad) {
        const error = await read(bytes, from).catch((thrown) => thrown);
        expect(error).to.be.instanceOf(AppError).and.to.deep.include(corrupt('encoding'));
      }
    });

    it('any text in UTF-8 and UTF-16 comes out as its normalization form C', async () => {
      const text = fc.string({
        unit: fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...'aeo\u0301\u0302\u0323ệ\r\n') },
          fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        ),
        maxLength: 60,
      });
      await fc.assert(
        fc.asyncProperty(text, fc.nat(50), async (sample, shift) => {
          const long = `${'x'.repeat(CHUNK / 2 - shift)}${sample}`.replace(/^\ufeff/, '');
          expect(await read(Buffer.from(long, 'utf16le'), 'utf-16le')).to.equal(long.normalize('NFC'));
          expect(await read(utf16be(long), 'utf-16be')).to.equal(long.normalize('NFC'));
          const double = `${'x'.repeat(CHUNK / 2)}${long}`;
          expect(await read(Buffer.from(double), 'utf-8')).to.equal(double.normalize('NFC'));
        }),
        { numRuns: 25 },
      );
    });

    it('a run without any place to cut is written all the same', async () => {
      const run = 'ß\u0301'.repeat(1) + '\u0301'.repeat(3 << 20);
      expect(await read(Buffer.from(run), 'utf-8')).to.have.length(run.normalize('NFC').length);
    });
  });

  describe('with letters under heaps of marks', () => {
    it('cost no more than their length, and lose nothing', async () => {
      const heap = `ă\u0323${'\u0301\u0323'.repeat(1 << 18)}`;
      const spent = processorTime();
      const written = await read(Buffer.from(`e\u0302\u0323 ${heap} e\u0323\u0302`), 'utf-8');
      expect(spent()).to.be.lessThan(2000);
      expect(written).to.match(/^ệ ặ.* ệ$/);
      expect([...written].filter((character) => character === '\u0301')).to.have.length(1 << 18);
    });

    it('are normalized as far as any text goes', () => {
      const heap = `x${'\u0301\u0323'.repeat(20)}`;
      const text = fc.string({
        unit: fc.constantFrom(...'aeo\u0301\u0302\u0323ệ\u1100\u1161\u09c7\u09be '),
        maxLength: 30,
      });
      fc.assert(
        fc.property(text, (sample) => {
          for (const form of ['NFC', 'NFD'] as const) {
            const whole = sample.normalize(form);
            const found = normalized(`${sample}${heap} ${sample}`, form);
            expect(found.startsWith(`${whole}x`) && found.endsWith(` ${whole}`), found).to.equal(true);
          }
        }),
      );
    });
  });

  describe('with fields', () => {
    const delimiter = async (content: string, name = 'a.csv', options = {}) => {
      const found = await look(content, name, options);
      return found && 'delimiter' in found ? found.delimiter : found;
    };

    for (const [content, expected, name] of [
      ['a,b,c\r\n1,2,3\r\n', ','],
      ['a;b;c\n1;2;3\n', ';'],
      ['a\tb\n1\t2\n', '\t'],
      ['a|b|c\r1|2|3\r', '|'],
      ['a', ','],
      ['a\n', '\t', 'a.tsv'],
      ['a,b\n1,2\n', ',', 'a.tsv'],
      ['name;note\n"a, b, c";"x, y"\n"d, e, f";"""z"", w"\n', ';'],
      ['"a;\nb;";1,2\n"c;";3,4\n', ';'],
      ['5" pipe,1\n6" pipe,2\n7" pipe;,3\n', ','],
      ['1,5;2,5;3,5\n4,5;5,5;6,5\n', ';'],
      ['1,5\t2,5\n4,5\t5,5\n', '\t'],
      ['1,2,3\n4,5,6\n', ','],
    ] as const) {
      it(`${JSON.stringify(content)} are separated by ${JSON.stringify(expected)}`, async () => {
        expect(await delimiter(content, name)).to.equal(expected);
      });
    }

    it('in UTF-16 as well', async () => {
      const wide = Buffer.from('\ufefftên;tuổi\r\nAn;5\r\n', 'utf16le');
      expect(await look(wide, 'a.csv')).to.deep.equal({ encoding: 'utf-16le', delimiter: ';' });
    });

    it('a line cut off at the end of the sample does not count', async () => {
      const rows = 'a;b;c;d;e;f;g;h\n'.repeat(5000);
      expect(await delimiter(rows)).to.equal(';');
    });

    it('the one that is told is the one', async () => {
      expect(await delimiter('a,b\n', 'a.tsv', { delimiter: ',' })).to.equal(',');
      expect(await delimiter('a,b\n', 'a.csv', { delimiter: '#' })).to.equal('#');
    });

    it("Excel's line sep=; names it, and is left out of the data where that is asked", async () => {
      const content = 'sep=#\r\na#b,c\r\n';
      expect(await delimiter(content)).to.equal('#');
      expect(await read(Buffer.from(`\ufeff${content}`), 'utf-8', ',')).to.equal('a#b,c\r\n');
      expect(await read(Buffer.from(content), 'utf-8')).to.equal(content);
      expect(await read(Buffer.from('sep=;x\n'), 'utf-8', ',')).to.equal('sep=;x\n');
    });
  });
});
