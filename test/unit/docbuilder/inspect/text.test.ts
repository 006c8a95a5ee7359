import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import type { SourceEncoding } from '../../../../cmd/docbuilder/formats.ts';
import { transcode } from '../../../../cmd/docbuilder/source/inspect/text.ts';
import { normalized } from '../../../../cmd/docbuilder/source/inspect/unicode.ts';
import { createSourceThreads } from '../../../../cmd/docbuilder/source/source-threads.ts';
import { SENTENCE } from '../../../../scripts/support/documents.ts';
import { AppError } from '../../../../src/common/errors.ts';
import { useFolder } from '../../../support/folder.ts';
import { corrupt, verdict } from '../../../support/inspect.ts';
import { processorTime } from '../../../support/processor-time.ts';

const CHUNK = 256 * 1024;
const utf16le = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf16be = (text: string): Buffer => utf16le(text).swap16();
const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');
const base64 = (text: string): Buffer => Buffer.from(text, 'base64');

/** In windows-1258 a letter with a mark of its own (â ă ê ô ơ ư đ) is one byte, and a tone is one byte behind the letter. */
const VOWELS = 'aăâeêioôơuưyAĂÂEÊIOÔƠUƯY';
const VOWEL_BYTES = hex('61e3e265ea696ff4f575fd7941c3c245ca494fd4d555dd59');
const TONES = ['', '\u0300', '\u0309', '\u0303', '\u0301', '\u0323'];
const TONE_BYTES = ['', 'cc', 'd2', 'de', 'ec', 'f2'].map(hex);
/** `SENTENCE` in windows-1258, the same in capitals, and some names. */
const VIETNAMESE = base64(
  'Q/TybmcgaG/MYSB4Yd4gaPTyaSBjaHXSIG5naGneYSBWaerydCBOYW06IND08mMgbOLycCwgVP3yIGRvLCBIYfJuaCBwaHXsYy4gQ9TyTkcgSE/MQSBYQd4gSNTySSBDSFXSIE5HSEneQSBWScryVCBOQU06INDU8kMgTMLyUCwgVN3yIERPLCBIQfJOSCBQSFXsQy4gTmd1eerebiBUcuLMbiDQ4/JuZyBCdcxpIND03iB4/dIgc/3eYSBnYfJv',
);
const SENTENCE_1258 = VIETNAMESE.subarray(0, VIETNAMESE.indexOf('.') + 1);
const JAPANESE = '日本語の文章です。これは試験です。';
const RUSSIAN = 'Привет, это проверка кодировки текста.';
const PAGE = `${SENTENCE} `.repeat(10);

/** Foreign text is in base64, because Node only decodes it. */
const SETS: [encoding: SourceEncoding, content: Buffer, text: string][] = [
  ['utf-8', Buffer.from(SENTENCE), SENTENCE],
  ['utf-8', Buffer.from(`\ufeff${SENTENCE}`), SENTENCE],
  ['utf-8', Buffer.from('abc'), 'abc'],
  ['utf-8', Buffer.from('\ufeffa\r\nb\nc\rd'), 'a\r\nb\nc\rd'],
  ['utf-16le', utf16le(`\ufeff${SENTENCE}`), SENTENCE],
  ['utf-16be', utf16be(`\ufeff${SENTENCE}`), SENTENCE],
  ['utf-16le', utf16le(SENTENCE), SENTENCE],
  ['utf-16be', utf16be(SENTENCE), SENTENCE],
  ['utf-16le', utf16le('文字\r\n文字文字\r\n'), '文字\r\n文字文字\r\n'],
  ['utf-16be', utf16be('文字\r\n文字文字\r\n'), '文字\r\n文字文字\r\n'],
  ['windows-1258', SENTENCE_1258, SENTENCE],
  ['shift_jis', base64('k/qWe4zqgsyVto/NgsWCt4FCgrGC6oLNjo6MsYLFgreBQg=='), JAPANESE],
  ['euc-jp', base64('xvzL3LjspM7KuL7PpMekuaGjpLOk7KTPu+64s6THpLmhow=='), JAPANESE],
  ['euc-kr', base64('tOvH0bnOsbnAxyC48LXnILG5uc7AuiDAzrCjwLi3zrytwMc='), '대한민국의 모든 국민은 인간으로서의'],
  ['gb18030', base64('1eLKx9K7uPbW0M7EsuLK1M7EvP6how=='), '这是一个中文测试文件。'],
  ['big5', base64('s2+sT6RArdOkpKTltPq41cDJrtehQ6ltplc='), '這是一個中文測試檔案。姓名'],
  ['koi8-r', base64('8NLJ18XULCDc1M8g0NLP18XSy8Egy8/EydLP18vJINTFy9PUwS4='), RUSSIAN],
  ['windows-1251', base64('z/Do4uXyLCD98u4g7/Du4uXw6uAg6u7k6PDu4uroIPLl6vHy4C4='), RUSSIAN],
];

const GIVEN: [what: string, content: string | Buffer, encoding: SourceEncoding | undefined, expected: object][] = [
  ['a set that is told is believed', hex('63f2'), 'windows-1252', { encoding: 'windows-1252' }],
  ['also UTF-16', utf16le('文字文字'), 'utf-16le', { encoding: 'utf-16le' }],
  ['but not against a byte order mark', `\ufeff${SENTENCE}`, 'windows-1258', { encoding: 'utf-8' }],
  ['nor where it is UTF-8 and the text is none', SENTENCE_1258, 'utf-8', corrupt('encoding')],
  ['bytes with a zero are no text', 'abc\0def', undefined, corrupt('not_txt')],
  ['nor is a zero alone', hex('00'), undefined, corrupt('not_txt')],
  ['nor are numbers', hex('010002000300'), undefined, corrupt('not_txt')],
  ['nor are control characters', 'abc\u0016def', undefined, corrupt('not_txt')],
  ['nor lines with one', utf16le('文字\r\n\u0001'), undefined, corrupt('not_txt')],
  ['of which one in a page is left over from some program', `${PAGE}\u0016${PAGE}`, undefined, { encoding: 'utf-8' }],
];

const DELIMITERS: [content: string, delimiter: string, name?: string, given?: string][] = [
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
  ['sep=#\r\na#b,c\r\n', '#'],
  ['a,b\n', ',', 'a.tsv', ','],
  ['a,b\n', '#', 'a.csv', '#'],
];

describe('text files', () => {
  const folder = useFolder();

  const look = async (content: string | Uint8Array, name = 'a.txt', options = {}) => {
    const found = await verdict(await folder.file(content), name, options);
    return 'text' in found ? found.text : found;
  };
  const read = async (content: string | Uint8Array, encoding: SourceEncoding = 'utf-8', delimiter?: string) => {
    const [path, target] = [await folder.file(content), await folder.file('')];
    await transcode({ path, target, encoding, ...(delimiter !== undefined && { delimiter }) });
    return readFile(target, 'utf8');
  };

  for (const [encoding, content, text] of SETS) {
    it(`in ${encoding} are known, and read right: ${JSON.stringify(text.slice(0, 20))}`, async () => {
      expect(await look(content)).to.deep.equal({ encoding });
      expect(await read(content, encoding)).to.equal(text);
    });
  }

  for (const [what, content, encoding, expected] of GIVEN) {
    it(what, async () => expect(await look(content, 'a.txt', encoding && { encoding })).to.deep.equal(expected));
  }

  it('are never in a foreign set where they are Vietnamese in windows-1258, however few words', async () => {
    const known = VIETNAMESE.toString('latin1').split(/[ ,:.]+/);
    const words = fc.array(fc.constantFrom(...known), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(words, fc.constantFrom(' ', ';', '\n'), async (picked, by) => {
        const content = Buffer.from(picked.join(by), 'latin1');
        const encoding = content.every((byte) => byte < 128) ? 'utf-8' : 'windows-1258';
        expect(await look(content), picked.join(by)).to.deep.equal({ encoding });
      }),
      { numRuns: 100 },
    );
  });

  it('are UTF-8 as a whole or not at all, wherever reads end', async () => {
    const large = Buffer.from('Độc lập '.repeat(60_000));
    expect(await look(large)).to.deep.equal({ encoding: 'utf-8' });
    expect(await look(Buffer.concat([large, hex('f0')]))).to.deep.equal({ encoding: 'windows-1258' });
    for (let shift = 0; shift < 4; shift++) {
      expect(await look(`${'x'.repeat(CHUNK - shift)}😀${'ệ'.repeat(CHUNK)}`)).to.deep.equal({ encoding: 'utf-8' });
    }
  });

  it('have each Vietnamese letter of windows-1258 as one character', async () => {
    const letters = [...VOWELS].flatMap((vowel) => TONES.map((tone) => (vowel + tone).normalize('NFC')));
    const bytes = [...VOWEL_BYTES].flatMap((vowel) => TONE_BYTES.flatMap((tone) => [Buffer.from([vowel]), tone]));
    expect(new Set(letters.map((letter) => letter.length))).to.deep.equal(new Set([1]));
    expect(await read(Buffer.concat([...bytes, hex('f0d0')]), 'windows-1258')).to.equal(`${letters.join('')}đĐ`);
    // A tone mark that comes with the next read finds its letter.
    const split = Buffer.concat([Buffer.alloc(CHUNK - 1, 'x'), hex('eaf2')]);
    expect(await read(split, 'windows-1258')).to.equal(`${'x'.repeat(CHUNK - 1)}ệ`);
  });

  it('are corrupt with bytes that the set does not have', async () => {
    for (const [bytes, from] of [
      ['61ff', 'utf-8'],
      ['e1bb', 'utf-8'],
      ['610062', 'utf-16le'],
      ['00d86100', 'utf-16le'],
    ] as const) {
      const error = await read(hex(bytes), from).catch((thrown) => thrown);
      expect(error).to.be.instanceOf(AppError).and.to.deep.include(corrupt('encoding'));
    }
  });

  it('come out in normalization form C, from UTF-8 and UTF-16', async () => {
    const marks = fc.constantFrom(...'aeo\u0301\u0302\u0323ệ\r\n');
    const any = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });
    const text = fc.string({ unit: fc.oneof({ weight: 4, arbitrary: marks }, any), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, fc.nat(50), async (sample, shift) => {
        const long = `${'x'.repeat(CHUNK / 2 - shift)}${sample}`.replace(/^\ufeff/, '');
        expect(await read(utf16le(long), 'utf-16le')).to.equal(long.normalize('NFC'));
        expect(await read(utf16be(long), 'utf-16be')).to.equal(long.normalize('NFC'));
        const double = `${'x'.repeat(CHUNK / 2)}${long}`;
        expect(await read(double)).to.equal(double.normalize('NFC'));
      }),
      { numRuns: 25 },
    );
    const run = `ß${'\u0301'.repeat(3 << 20)}`;
    expect(await read(run), 'a run without any place to cut').to.have.length(run.length);
  });

  it('with letters under heaps of marks cost no more than their length, and lose nothing', async () => {
    const heap = `ă\u0323${'\u0301\u0323'.repeat(1 << 18)}`;
    const spent = processorTime();
    const written = await read(`e\u0302\u0323 ${heap} e\u0323\u0302`);
    expect(spent()).to.be.lessThan(2000);
    expect(written).to.match(/^ệ ặ.* ệ$/);
    expect([...written].filter((character) => character === '\u0301')).to.have.length(1 << 18);
  });

  it('with such letters are normalized as far as any text goes', () => {
    const heap = `x${'\u0301\u0323'.repeat(20)}`;
    const unit = fc.constantFrom(...'aeo\u0301\u0302\u0323ệ\u1100\u1161\u09c7\u09be ');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (sample) => {
        for (const form of ['NFC', 'NFD'] as const) {
          const whole = sample.normalize(form);
          const found = normalized(`${sample}${heap} ${sample}`, form);
          expect(found.startsWith(`${whole}x`) && found.endsWith(` ${whole}`), found).to.equal(true);
        }
      }),
    );
  });

  for (const [content, delimiter, name = 'a.csv', given] of DELIMITERS) {
    it(`${JSON.stringify(content)} in ${name} is separated by ${JSON.stringify(delimiter)}`, async () => {
      const found = await look(content, name, given === undefined ? {} : { delimiter: given });
      expect(found).to.deep.equal({ encoding: 'utf-8', delimiter });
    });
  }

  it('in UTF-16 have separators as well, which a line that is cut off does not change', async () => {
    const wide = utf16le('\ufefftên;tuổi\r\nAn;5\r\n');
    expect(await look(wide, 'a.csv')).to.deep.equal({ encoding: 'utf-16le', delimiter: ';' });
    expect(await look('a;b;c;d;e;f;g;h\n'.repeat(5000), 'a.csv')).to.include({ delimiter: ';' });
    const cut = `a;b\nx,y,z,w${',v'.repeat(64 * 1024)}`;
    expect(await look(cut, 'a.csv')).to.include({ delimiter: ';' });
  });

  it("lose Excel's line sep=; where separators are asked for", async () => {
    expect(await read('\ufeffsep=#\r\na#b,c\r\n', 'utf-8', ',')).to.equal('a#b,c\r\n');
    expect(await read('sep=#\r\na#b,c\r\n')).to.equal('sep=#\r\na#b,c\r\n');
    expect(await read('sep=;x\n', 'utf-8', ',')).to.equal('sep=;x\n');
  });
});

describe('threads that read sources', () => {
  const never = new AbortController().signal;
  const folder = useFolder('test');
  const threads = createSourceThreads();
  after(() => threads.stop());

  it('inspect, refuse with an error of the interface, transcode and measure csv', async () => {
    const options = { filename: 'a.csv', hasPassword: false };
    expect(await threads.inspect(await folder.file('a;b\n'), options, never)).to.include({ format: 'csv' });
    const error = await threads.inspect(await folder.file(''), options, never).catch((thrown) => thrown);
    expect(error).to.deep.include(corrupt('empty'));
    const task = { path: await folder.file('a,09\n'), target: folder.at('csv'), encoding: 'utf-8' } as const;
    const size = await threads.transcode({ ...task, delimiter: ',' }, never);
    expect(size).to.deep.equal({ rows: 1, columns: 2, letters: 2 });
    expect(await readFile(task.target, 'utf8')).to.equal('a,"09"\n');
    expect((await stat(task.target)).mode & 0o777).to.equal(0o600);
    expect(await threads.transcode(task, never).catch(({ code }) => code)).to.equal('EEXIST');
  });

  it('end when nobody waits for them any more, and make no file after it was removed', async () => {
    const path = await folder.file('ệ '.repeat(8 << 20));
    for (const wait of [0, 1, 2, 5, 50]) {
      const target = folder.at(`ended-${wait}`);
      const signal = AbortSignal.timeout(wait);
      const ended = threads.transcode({ path, target, encoding: 'utf-8' }, signal).catch((error) => error);
      expect(await ended).to.equal(signal.reason);
      await rm(target);
    }
    expect((await readdir(folder.path)).filter((name) => name.startsWith('ended'))).to.deep.equal([]);
  });
});
