import { flatDocument, picture, repeat } from './flat.ts';
import { chart } from './picture.ts';

const SENTENCES = [
  'Trong quý vừa qua, doanh thu của công ty tăng trưởng ổn định nhờ mở rộng thị trường miền Trung và Tây Nguyên.',
  'Bộ phận kỹ thuật đã hoàn thành việc nâng cấp hệ thống lưu trữ, giảm thời gian xử lý hồ sơ xuống còn một nửa.',
  'Các đơn vị trực thuộc cần rà soát lại quy trình kiểm soát chất lượng trước ngày 30 hằng tháng.',
  'Chi phí vận hành giảm 4,5 % so với cùng kỳ, chủ yếu nhờ tối ưu hóa khâu vận chuyển và kho bãi.',
  'Đề nghị Ban Giám đốc xem xét, phê duyệt kế hoạch tuyển dụng bổ sung mười hai nhân sự cho năm tới.',
];
const FONT = 'fo:font-family="Liberation Serif" fo:language="vi" fo:country="VN"';

const STYLES = `
<style:default-style style:family="paragraph"><style:text-properties ${FONT} fo:font-size="12pt"/></style:default-style>
<style:style style:name="Standard" style:family="paragraph"/>
<style:style style:name="Text_20_body" style:display-name="Text body" style:family="paragraph" style:parent-style-name="Standard">
<style:paragraph-properties fo:margin-bottom="0.2cm" fo:text-align="justify"/></style:style>
${['18', '14', '12'].map((points, index) => heading(index + 1, points)).join('')}`;

const AUTOMATIC_STYLES = `
<style:style style:name="strong" style:family="text"><style:text-properties fo:font-weight="bold" fo:color="#1f4e79"/></style:style>
<style:style style:name="table" style:family="table"><style:table-properties style:width="16cm" table:align="left"/></style:style>
<style:style style:name="column" style:family="table-column"><style:table-column-properties style:column-width="4cm"/></style:style>
${cellStyle('head', 'fo:background-color="#d9e2f3"')}${cellStyle('cell', '')}
<style:page-layout style:name="page"><style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm" fo:margin="2.5cm"/>
<style:footer-style><style:header-footer-properties fo:min-height="0.6cm"/></style:footer-style></style:page-layout>`;

const MASTER_STYLES = `<style:master-page style:name="Standard" style:page-layout-name="page">
<style:footer><text:p>Trang <text:page-number text:select-page="current"/> / <text:page-count/></text:p></style:footer></style:master-page>`;

function heading(level: number, points: string): string {
  return `<style:style style:name="Heading_20_${level}" style:display-name="Heading ${level}" style:family="paragraph" style:parent-style-name="Standard" style:default-outline-level="${level}">
<style:paragraph-properties fo:margin-top="0.4cm" fo:margin-bottom="0.2cm" fo:keep-with-next="always" fo:break-before="${level === 1 ? 'page' : 'auto'}"/><style:text-properties fo:font-size="${points}pt" fo:font-weight="bold"/></style:style>`;
}

function cellStyle(name: string, properties: string): string {
  return `<style:style style:name="${name}" style:family="table-cell"><style:table-cell-properties fo:border="0.5pt solid #444444" fo:padding="0.1cm" ${properties}/></style:style>`;
}

const title = (level: number, text: string): string =>
  `<text:h text:style-name="Heading_20_${level}" text:outline-level="${level}">${text}</text:h>`;

function paragraph(n: number): string {
  const sentence = (offset: number): string => SENTENCES[(n + offset) % SENTENCES.length] ?? '';
  return `<text:p text:style-name="Text_20_body"><text:span text:style-name="strong">Mục ${n}.</text:span> ${sentence(0)} ${sentence(2)} ${sentence(3)}</text:p>`;
}

function table(name: string, rows: number): string {
  const row = (style: string, cells: readonly string[]): string =>
    `<table:table-row>${cells.map((text) => `<table:table-cell table:style-name="${style}" office:value-type="string"><text:p>${text}</text:p></table:table-cell>`).join('')}</table:table-row>`;
  const data = repeat(rows, (n) => row('cell', [`Đơn vị ${n}`, `${n * 137} triệu`, `${n * 129} triệu`, 'Đạt yêu cầu']));
  return `<table:table table:name="${name}" table:style-name="table"><table:table-column table:style-name="column" table:number-columns-repeated="4"/>
<table:table-header-rows>${row('head', ['Đơn vị', 'Kế hoạch', 'Thực hiện', 'Đánh giá'])}</table:table-header-rows>${data}</table:table>`;
}

function figure(n: number): string {
  return `<text:p text:style-name="Text_20_body">${picture(chart(640, 320, n), 12, 6, `text:anchor-type="as-char" draw:name="Hình ${n}"`)}</text:p>`;
}

function textDocument(body: string): Buffer {
  return flatDocument({
    kind: 'text',
    styles: STYLES,
    automaticStyles: AUTOMATIC_STYLES,
    masterStyles: MASTER_STYLES,
    body,
  });
}

/** One page with headings, paragraphs, a table and a picture, in Vietnamese. Flat ODF. */
export function letter(): Buffer {
  const body = [
    title(1, 'Báo cáo công việc tháng'),
    paragraph(1),
    title(2, 'Kết quả theo đơn vị'),
    table('Kết quả', 5),
    paragraph(2),
    figure(1),
    paragraph(3),
  ];
  return textDocument(body.join('\n'));
}

/** A report of 30 pages: ten chapters with sections, tables over several columns and pictures. Flat ODF. */
export function report(): Buffer {
  const chapter = (n: number): string =>
    [
      title(1, `Chương ${n}. Tình hình thực hiện kế hoạch`),
      repeat(4, (p) => paragraph(20 * (n - 1) + p)),
      title(2, `${n}.1 Số liệu`),
      table(`Bảng ${n}`, 18),
      repeat(5, (p) => paragraph(20 * (n - 1) + 4 + p)),
      title(2, `${n}.2 Biểu đồ`),
      figure(n),
      repeat(8, (p) => paragraph(20 * (n - 1) + 9 + p)),
      title(3, `${n}.2.1 Nhận xét`),
      repeat(3, (p) => paragraph(20 * (n - 1) + 17 + p)),
    ].join('\n');
  return textDocument(repeat(10, chapter));
}
