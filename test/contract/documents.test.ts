import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import type { SourceFormat } from '../../cmd/docbuilder/formats.ts';
import type { ExtractedMeta, ExtractedText, Job } from '../../src/common/generated/wire.ts';
import { fodt, paragraph } from '../engine/support.ts';
import { useFolder } from '../support/folder.ts';
import { secret } from '../support/logs.ts';
import { protectedDocuments } from '../support/protected.ts';
import { form, readError, sharedEnterprise } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

type Fields = Record<string, string>;

const PASSWORD = secret('mật khẩu của phòng 7');
const TEXT = secret('Bảng lương tháng 9');
const EXTRACTIONS = ['text', 'meta', 'thumbnail'];

describe('documents with a password', function () {
  this.timeout(60_000);
  const service = useStarted(sharedEnterprise);
  let files: ReadonlyMap<SourceFormat, Buffer>;
  before(async () => {
    files = await protectedDocuments(PASSWORD, [['fodt', fodt(paragraph(TEXT)), 'docx']]);
  });

  const send = (path: string, fields: Fields, name = 'a.docx') =>
    service.call(path, { method: 'POST', body: form(files.get('docx'), name, fields) });

  const ENDPOINTS: [path: string, fields: (password: string) => Fields][] = [
    ['/v1/convert', (password) => ({ to: 'pdf', 'options.password': password })],
    ['/v1/convert', (password) => ({ to: 'pdf', options: JSON.stringify({ password }) })],
    ...EXTRACTIONS.map((what): [string, (password: string) => Fields] => [
      `/v1/extract/${what}`,
      (password) => ({ password }),
    ]),
  ];

  it('open with it; missing and wrong ones are password_required, other families are refused', async () => {
    for (const [path, fields] of ENDPOINTS) {
      const missing = await readError(await send(path, path === '/v1/convert' ? { to: 'pdf' } : {}));
      expect(missing, path).to.deep.equal({ status: 422, code: 'password_required', detail: { reason: 'missing' } });
      const wrong = await readError(await send(path, fields('sai rồi')));
      expect(wrong, path).to.deep.equal({ status: 422, code: 'password_required', detail: { reason: 'wrong' } });
      const other = await readError(await send(path, fields(PASSWORD), 'a.xlsx'));
      expect(other, path).to.deep.equal({ status: 422, code: 'corrupt_source', detail: { reason: 'not_xlsx' } });
      expect((await send(path, fields(PASSWORD))).status, path).to.equal(200);
    }
    const opened = (what: string) => send(`/v1/extract/${what}`, { password: PASSWORD });
    expect(((await (await opened('text')).json()) as ExtractedText).text).to.contain(TEXT);
    expect((await (await opened('meta')).json()) as ExtractedMeta).to.include({ encrypted: true, format: 'docx' });
    expect((await opened('thumbnail')).headers.get('content-type')).to.equal('image/png');
  });

  it('async: a missing password is refused at once, a wrong one is how the job fails', async () => {
    const fields = { to: 'pdf', async: 'true' };
    expect(await readError(await send('/v1/convert', fields))).to.include({ code: 'password_required' });
    const response = await send('/v1/convert', { ...fields, 'options.password': 'sai rồi' });
    expect(response.status).to.equal(202);
    const { status, error } = await service.ended(((await response.json()) as Job).id);
    expect(status).to.equal('failed');
    expect(error).to.deep.include({ code: 'password_required', detail: { reason: 'wrong' } });
  });
});

describe('keywords of a script', () => {
  const service = useStarted(sharedEnterprise);
  const CONTENTS = {
    text: [{ type: 'text', body: [{ type: 'page_break' }] }, 'docx', 'odt'],
    sheet: [{ type: 'sheet', sheets: [{ rows: [['a']] }] }, 'xlsx', 'ods'],
    slides: [{ type: 'slides', slides: [{ layout: 'title', title: 'a' }] }, 'pptx', 'odp'],
  } as const;

  async function build(kind: keyof typeof CONTENTS, keywords: readonly string[], format: string): Promise<Uint8Array> {
    const script = { svcscript: 1, meta: { keywords }, ...CONTENTS[kind][0], save: [{ format }] };
    return new Uint8Array(await (await service.post('/v1/build', script)).arrayBuffer());
  }

  async function readMeta(file: Uint8Array, name: string): Promise<ExtractedMeta> {
    const response = await service.call('/v1/extract/meta', { method: 'POST', body: form(file, name, {}) });
    return (await response.json()) as ExtractedMeta;
  }

  const readKeywords = async (file: Uint8Array, name: string) => (await readMeta(file, name)).keywords;

  const COMMAS = ['Huế, Hội An', 'mua: bán'];
  for (const [kind, keywords] of [
    ...[['hợp đồng', 'mua bán'], COMMAS, ['Huế, Hội An']].map((list) => ['text', list] as const),
    ...(['sheet', 'slides'] as const).map((other) => [other, COMMAS] as const),
  ] as const) {
    it(`of type ${kind}: ${keywords.join(' | ')}: the same again of both formats, and after conversions`, async () => {
      const [, ooxml, odf] = CONTENTS[kind];
      for (const [from, to] of [
        [ooxml, odf],
        [odf, ooxml],
      ] as const) {
        const built = await build(kind, keywords, from);
        expect(await readKeywords(built, `a.${from}`), from).to.deep.equal(keywords);
        const converted = await service.convert(built, `a.${from}`, { to });
        const again = await readKeywords(new Uint8Array(await converted.arrayBuffer()), `a.${to}`);
        expect(again, `${from} to ${to}`).to.deep.equal(keywords);
      }
    });
  }

  for (const kind of ['text', 'sheet', 'slides'] as const) {
    it(`of type ${kind}: a conversion that writes them leaves who changed the document, and when`, async () => {
      const [, from, to] = CONTENTS[kind];
      const changed = { last_author: 'Lan', modified_at: '2009-06-19T20:33:00' };
      const parts = unzipSync(await build(kind, COMMAS, from));
      const core = strFromU8(parts['docProps/core.xml'] ?? new Uint8Array())
        .replace(/(<dcterms:modified[^>]*>)[^<]*/, `$1${changed.modified_at}Z`)
        .replace(/(<cp:lastModifiedBy>)[^<]*/, `$1${changed.last_author}`);
      const file = zipSync({ ...parts, 'docProps/core.xml': strToU8(core) });
      for (const format of [from, to]) {
        const converted = await service.convert(file, `a.${from}`, { to: format });
        const again = await readMeta(new Uint8Array(await converted.arrayBuffer()), `a.${format}`);
        // OpenDocument has the time without a zone, or with it.
        const modified_at = again.modified_at?.replace('Z', '');
        expect({ ...again, modified_at }, format).to.include(changed);
      }
    });
  }

  it('in one text of an OOXML file, as somebody wrote them', async () => {
    const parts = unzipSync(await build('text', ['KEY'], 'docx'));
    const core = strFromU8(parts['docProps/core.xml'] ?? new Uint8Array());
    for (const [text, keywords] of [
      ['hợp đồng, mua bán', ['hợp đồng', 'mua bán']],
      ['Huế, Hội An; Đà Nẵng;', ['Huế, Hội An', 'Đà Nẵng']],
      ['hợp đồng', ['hợp đồng']],
      [' ; ', []],
    ] as const) {
      const file = zipSync({ ...parts, 'docProps/core.xml': strToU8(core.replace('KEY', text)) });
      expect(await readKeywords(file, 'a.docx'), text).to.deep.equal(keywords);
    }
  });
});

describe('fonts', () => {
  const service = useStarted(sharedEnterprise);
  const VIETNAMESE = 'Độc lập, Tự do, Hạnh phúc: ưu tiên những người được hưởng, cỡ chữ Ẵ ẵ Ỡ ỡ Ự ự Ỵ ỵ';
  /** Drawn with a font that has none of its Latin letters, it lost them. */
  const MIXED = 'Привет テストm28eƯỚCm30e &amp; ภาษาไทย';
  /** Fonts that the contract promises and that have all Vietnamese letters themselves. Caladea has not. */
  const FONTS = 'Liberation Sans,Liberation Serif,Liberation Mono,Carlito,DejaVu Sans,Noto Sans,Noto Serif'.split(',');
  const folder = useFolder();

  for (const font of FONTS) {
    it(`${font} is there and draws Vietnamese without help from another`, async () => {
      const text = VIETNAMESE.replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0)}?`);
      const rtf = Buffer.from(`{\\rtf1\\ansi{\\fonttbl{\\f0 ${font};}}\\f0 ${text}\\par}`);
      const response = await service.convert(rtf, 'a.rtf', { to: 'pdf' });
      expect(await readFamilies(response)).to.deep.equal([font.replaceAll(' ', '')]);
    });
  }

  it('that are missing are replaced by the same one whatever language the text is in, and no letter is lost', async () => {
    for (const lang of ['vi-VN', 'zh-Hant-TW', 'ja-JP', 'th-TH']) {
      const heading = { type: 'heading', level: 1, text: MIXED, font: "O'Neil" };
      const script = { svcscript: 1, type: 'text', meta: { lang }, save: [{ format: 'pdf' }], body: [heading] };
      const families = await readFamilies(await service.post('/v1/build', { script }));
      expect(families, lang).to.include('NotoSans').and.not.include('OpenSymbol');
      const text = execFileSync('pdftotext', [folder.at('a.pdf'), '-'], { encoding: 'utf8' });
      expect(text.replace(/\s+/g, ''), lang).to.equal(MIXED.replace(/\s+/g, ''));
    }
  });

  async function readFamilies(response: Response): Promise<string[]> {
    expect(response.status).to.equal(200);
    await writeFile(folder.at('a.pdf'), Buffer.from(await response.arrayBuffer()));
    const used = execFileSync('pdffonts', [folder.at('a.pdf')], { encoding: 'utf8' })
      .split('\n')
      .slice(2);
    const families = used.filter(Boolean).map((line) => /^(?:[A-Z]{6}\+)?([^\s-]*)/.exec(line)?.[1] ?? '');
    return [...new Set(families)];
  }
});
