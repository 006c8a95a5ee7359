import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { effectivePlan } from '../../cmd/docbuilder/jobs/limits.ts';
import { checkScript } from '../../cmd/docbuilder/script/check/check.ts';
import { FORMATS, type ScriptExample, scriptExamples, templateExamples } from '../../scripts/examples/files.ts';
import { buildExample, type Result, renderExample } from '../../scripts/examples/make.ts';
import { NO_LICENSE } from '../../src/common/crypto/license.ts';
import type { Script } from '../../src/common/generated/script.ts';
import { pdfText } from '../support/pdf.ts';
import { form, startEnterprise, type TestService } from '../support/service.ts';

/** Texts of each result; in sheets, computed values in their formats. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'budget.sheet': ['NGÂN SÁCH NĂM 2027', '17.349', '6.370', '36,72%'],
  'contract.text': ['HỢP ĐỒNG CUNG CẤP DỊCH VỤ PHẦN MỀM', 'Điều 10. Điều khoản chung', '107.136.000', 'PHỤ LỤC 1'],
  'invoice.text': ['HÓA ĐƠN BÁN HÀNG', 'SM-2026-0187', '107.136.000', 'Một trăm linh bảy triệu'],
  'minutes.text': ['BIÊN BẢN HỌP', 'Hồ Sỹ Cường', 'NK-1127', '24/11/2026'],
  'offer.text': ['Senior Data Engineer', '£68,000', 'people@northwind.example'],
  'pitch.slides': ['Rau từ vườn đến bếp trong 12 giờ', 'hao hụt chỉ còn 4 %', '13,5', 'Hòa vốn quý 2 năm 2028'],
  'price-list.sheet': ['BẢNG GIÁ VĂN PHÒNG PHẨM', 'MU-P-664C', '67.000 ₫', 'hết hàng'],
  'report.sheet': ['Theo khu vực', '506.378.000 ₫', '76,67%', 'DH-1071'],
  'report.text': ['Smart metering', 'Figure 1.', 'Mill Hill', '30 September 2026'],
  'timesheet.sheet': ['Amelia Hart', '39.25', 'Week complete'],
  'training.slides': ['An toàn thông tin', 'Năm dấu hiệu', 'mèo-thang-bão-sách', 'Gọi số nội bộ 115'],
  certificate: ['Certificate of Completion', 'Nguyễn Hoàng Yến', 'Field day: Mill Hill', 'RW-2026-0417'],
  letter: ['THƯ MỜI', 'Công ty TNHH Thương mại Hoàng Gia', 'Ký số & lưu trữ điện tử', 'Thư mời số 52/TM-SM'],
};
/** Its PDF is asked for as PDF/A-2b. */
const PDFA = 'report.text';
const SLOW_MS = 60_000;

const scripts = await scriptExamples();
const templates = await templateExamples();
const readme = await readFile(new URL('../../examples/README.md', import.meta.url), 'utf8');
const guide = await readFile(new URL('../../docs/script.md', import.meta.url), 'utf8');
const community = effectivePlan(NO_LICENSE, 1, { maxFileMb: undefined, jobTimeoutSeconds: undefined });

describe('the examples', () => {
  let service: TestService;
  before(async () => {
    service = await startEnterprise({ SVC_DOCBUILDER_WORKERS: '2' });
  });
  after(() => service.stop());

  it('are a dozen, of every type, with what is to be looked for in each', () => {
    expect(new Set(scripts.map(({ script }) => script.type))).to.have.keys('text', 'sheet', 'slides');
    expect([...scripts, ...templates].map(({ name }) => name)).to.have.members(Object.keys(TEXTS));
    expect(scripts.length + templates.length).to.be.at.least(12);
  });

  it('give what the README says to whoever posts them with curl -d', async () => {
    const one = new Map(scripts.map((example) => [example.script.type, example]));
    for (const { name, script } of one.values()) {
      const body = await readFile(new URL(`../../examples/${name}.json`, import.meta.url));
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: '*/*' };
      const response = await service.call('/v1/build', { method: 'POST', body, headers });
      const filename = script.save[0]?.filename;
      expect(response.headers.get('content-disposition')).to.equal(`attachment; filename=${filename}`);
      const magic = filename?.endsWith('.pdf') ? '%PDF-' : 'PK\u0003\u0004';
      expect(Buffer.from(await response.arrayBuffer()).toString('latin1')).to.match(new RegExp(`^${magic}`));
    }
  }).timeout(SLOW_MS);

  for (const example of scripts) {
    const { name, script } = example;

    it(`${name}: within the Community plan, ${FORMATS[script.type].join(', ')} that open and say what it says`, async () => {
      expect(() => checkScript(script, community)).not.to.throw();
      expect(script.$schema).to.equal('../schemas/script.json');
      const posted = `-d @examples/${name}\\.json +localhost:8080/v1/build -o ${script.save[0]?.filename}\n`;
      expect(readme).to.match(new RegExp(posted));
      const results = await buildExample(service, example, { pdfa: name === PDFA });
      expect(results.map(({ format }) => format)).to.deep.equal(FORMATS[script.type]);
      await Promise.all(results.map((result) => checkResult(service, example, result)));
    }).timeout(SLOW_MS);
  }

  for (const example of templates) {
    const { name } = example;

    it(`${name}: a template that its data fill entirely, as docx and pdf`, async () => {
      expect(readme).to.contain(`-F data=@examples/templates/${name}.json`);
      for (const to of ['docx', 'pdf']) {
        const result = await renderExample(service, example, to);
        expect(await readText(service, result), to)
          .to.satisfy(says(name))
          .and.not.match(/\{\{|\}\}/);
      }
    }).timeout(SLOW_MS);
  }
});

describe('docs/script.md', () => {
  const blocks = [...guide.matchAll(/^ *```json\n(.*?)^ *```/gms)].map(([, text = '']) => JSON.parse(text) as Script);
  const whole = blocks.filter((block) => block.svcscript !== undefined);

  it('has a script of every type, each of which the Community plan takes', () => {
    expect(new Set(whole.map(({ type }) => type))).to.have.keys('text', 'sheet', 'slides');
    for (const script of whole) expect(() => checkScript(script, community), script.type).not.to.throw();
  });
});

async function checkResult(service: TestService, { name, script }: ScriptExample, result: Result): Promise<void> {
  const { format, content, pages } = result;
  expect(pages, format).to.be.greaterThan(0);
  if (name === PDFA && format === 'pdf') expect(content.toString('latin1')).to.contain('pdfaid:part');
  const text = await readText(service, result);
  expect(text, format).to.satisfy(says(name));
  if (script.type === 'sheet') expect(text, format).to.not.match(/Err:|#(?:NAME|VALUE|REF|N\/A|DIV)|###/);
  // LibreOffice does not print zeros by default.
  if (name === 'report.sheet') expect(text, `zeros in ${format}`).to.contain(' 0%');
}

/** The text of a result: of a PDF by poppler, of another file by opening it in the service. */
async function readText(service: TestService, { format, content }: Result): Promise<string> {
  if (format === 'pdf') return flat(await pdfText(content));
  const body = form(content, `a.${format}`, { format: 'text' });
  const response = await service.call('/v1/extract/text', { method: 'POST', body });
  const text = await response.text();
  expect(response.status, text).to.equal(200);
  return flat(text);
}

/** One space between words, wherever lines end, and one separator in numbers: in xlsx it is the reader's own. */
function flat(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(/(?<=\d),(?=\d)/g, '.');
}

function says(name: string): (text: string) => boolean {
  return (text) => {
    const missing = (TEXTS[name] ?? []).filter((expected) => !text.includes(flat(expected)));
    if (missing.length > 0) throw new Error(`not found: ${missing.join(' | ')}`);
    return true;
  };
}
