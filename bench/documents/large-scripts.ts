import { SENTENCE } from '../../scripts/support/documents.ts';
import type { Script } from '../../src/common/generated/script.ts';

/** The limits of one script in the Enterprise plan. */
const UNITS = 20_000;
const ROWS_OF_A_TABLE = 18;
const ITEMS_OF_A_LIST = 8;

/** A text script of 20,000 units: chapters with paragraphs, lists and tables, as a machine would write a catalogue. */
export function largeText(): Script {
  const body: NonNullable<Script['body']> = [];
  for (let units = 0; units < UNITS; ) {
    const chapter: typeof body = [
      { type: 'heading', level: 2, text: `Mục ${body.length}` },
      { type: 'paragraph', text: [SENTENCE, ' ', { text: 'Quan trọng', bold: true }, `: ${SENTENCE}`] },
      { type: 'list', items: Array.from({ length: ITEMS_OF_A_LIST }, (_, index) => `${index}. ${SENTENCE}`) },
      {
        type: 'table',
        header: ['STT', 'Tên hàng', 'Giá'],
        columns: [1, 4, { width: 2, align: 'right' }],
        rows: Array.from({ length: ROWS_OF_A_TABLE }, (_, row) => [row + 1, `Mặt hàng số ${row}`, 1000 * row]),
      },
    ];
    const more = chapter.length + ITEMS_OF_A_LIST + ROWS_OF_A_TABLE + 1;
    if (units + more > UNITS) break;
    units += more;
    body.push(...chapter);
  }
  return { svcscript: 1, type: 'text', save: [{ format: 'docx' }], body };
}

/** A sheet of 20,000 rows: text, numbers, dates, money and a formula in each. */
export function largeSheet(): Script {
  const rows = Array.from({ length: UNITS }, (_, row) => [
    row + 1,
    `Khách hàng ${row % 500}`,
    { type: 'date' as const, value: `2026-${String((row % 12) + 1).padStart(2, '0')}-15` },
    row % 40,
    { type: 'currency' as const, value: 12_500 + row },
    { type: 'formula' as const, formula: `=D${row + 1}*E${row + 1}`, format: 'vnd' as const },
  ]);
  const columns = [{ width: 15 }, { width: 50 }, { width: 25 }, { width: 15 }, { width: 30 }, { width: 35 }];
  return { svcscript: 1, type: 'sheet', save: [{ format: 'xlsx' }], sheets: [{ name: 'Bán hàng', columns, rows }] };
}
