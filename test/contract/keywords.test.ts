import { expect } from 'chai';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { form, startEnterprise, type TestService } from '../support/service.ts';

describe('keywords of a script', () => {
  let service: TestService;
  before(async () => {
    service = await startEnterprise();
  });
  after(() => service.stop());

  const meta = (keywords: readonly string[]) => ({ svcscript: 1, meta: { keywords } });
  const contents = {
    text: { type: 'text', body: [{ type: 'page_break' }] },
    sheet: { type: 'sheet', sheets: [{ rows: [['a']] }] },
    slides: { type: 'slides', slides: [{ layout: 'title', title: 'a' }] },
  };
  const FORMATS = { text: ['docx', 'odt'], sheet: ['xlsx', 'ods'], slides: ['pptx', 'odp'] } as const;

  const build = (script: object) => service.post('/v1/build', script);

  async function readKeywords(file: Uint8Array, name: string): Promise<string[]> {
    const body = form(file, name, {});
    const response = await service.call('/v1/extract/meta', { method: 'POST', body });
    return ((await response.json()) as { keywords: string[] }).keywords;
  }

  const lists: [string, string[]][] = [
    ['of several words', ['hợp đồng', 'mua bán']],
    ['with commas', ['Huế, Hội An', 'mua: bán']],
    ['of which there is one, with a comma', ['Huế, Hội An']],
  ];
  for (const [what, keywords] of lists) {
    for (const kind of ['text', 'sheet', 'slides'] as const) {
      it(`${what}: the same again of each format of type ${kind}, and after conversions`, async () => {
        for (const format of FORMATS[kind]) {
          const script = { ...meta(keywords), ...contents[kind], save: [{ format }] };
          const built = new Uint8Array(await (await build(script)).arrayBuffer());
          expect(await readKeywords(built, `a.${format}`), format).to.deep.equal(keywords);
          for (const to of FORMATS[kind]) {
            const converted = await service.convert(built, `a.${format}`, { to });
            const again = await readKeywords(new Uint8Array(await converted.arrayBuffer()), `a.${to}`);
            expect(again, `${format} to ${to}`).to.deep.equal(keywords);
          }
        }
      });
    }
  }

  it('in one text of an OOXML file, as somebody wrote them', async () => {
    const script = { ...meta(['KEY']), ...contents.text, save: [{ format: 'docx' }] };
    const parts = unzipSync(new Uint8Array(await (await build(script)).arrayBuffer()));
    const core = strFromU8(parts['docProps/core.xml'] ?? new Uint8Array());
    const cases: [text: string, keywords: string[]][] = [
      ['hợp đồng, mua bán', ['hợp đồng', 'mua bán']],
      ['Huế, Hội An; Đà Nẵng;', ['Huế, Hội An', 'Đà Nẵng']],
      ['hợp đồng', ['hợp đồng']],
      [' ; ', []],
    ];
    for (const [text, keywords] of cases) {
      const file = zipSync({ ...parts, 'docProps/core.xml': strToU8(core.replace('KEY', text)) });
      expect(await readKeywords(file, 'a.docx'), text).to.deep.equal(keywords);
    }
  });
});
