import { flatDocument, repeat } from './flat.ts';

const AUTOMATIC_STYLES = `
<style:style style:name="column" style:family="table-column"><style:table-column-properties style:column-width="2.7cm"/></style:style>
<style:style style:name="head" style:family="table-cell"><style:table-cell-properties fo:background-color="#d9e2f3" fo:border="0.5pt solid #444444"/><style:text-properties fo:font-weight="bold"/></style:style>`;
const TAX = '0.1';

const text = (value: string, style = ''): string =>
  `<table:table-cell ${style && `table:style-name="${style}"`} office:value-type="string"><text:p>${value}</text:p></table:table-cell>`;
const number = (value: number): string =>
  `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${value}</text:p></table:table-cell>`;
const formula = (expression: string): string =>
  `<table:table-cell table:formula="of:=${expression}" office:value-type="float"/>`;

/** A price list of 20 rows with formulas in every row and sums below. Flat ODF. */
export function prices(): Buffer {
  const rows = 20;
  const head = ['Mặt hàng', 'Số lượng', 'Đơn giá', 'Thành tiền', 'Thuế', 'Tổng cộng'].map((name) => text(name, 'head'));
  const row = (n: number): string => {
    const line = n + 1;
    return `<table:table-row>${text(`Hàng hóa số ${n}`)}${number(3 * n)}${number(12_500 * n)}${formula(`[.B${line}]*[.C${line}]`)}${formula(`[.D${line}]*${TAX}`)}${formula(`[.D${line}]+[.E${line}]`)}</table:table-row>`;
  };
  const sums = ['B', 'C', 'D', 'E', 'F'].map((column) => formula(`SUM([.${column}2:.${column}${rows + 1}])`));
  const body = `<table:table table:name="Bảng giá"><table:table-column table:style-name="column" table:number-columns-repeated="6"/>
<table:table-row>${head.join('')}</table:table-row>${repeat(rows, row)}<table:table-row>${text('Cộng', 'head')}${sums.join('')}</table:table-row></table:table>`;
  return flatDocument({ kind: 'spreadsheet', automaticStyles: AUTOMATIC_STYLES, body });
}
