import type { Sheet } from '../../../../src/common/generated/script.ts';

/** Name of each sheet, in order; one without a name gets the first of `Sheet1`, `Sheet2` … that no other has. */
export function sheetNames(sheets: readonly Sheet[]): string[] {
  const taken = new Set(sheets.flatMap(({ name }) => (name === undefined ? [] : [name.toLowerCase()])));
  let count = 0;
  return sheets.map(({ name }) => {
    if (name !== undefined) return name;
    do count++;
    while (taken.has(`sheet${count}`));
    return `Sheet${count}`;
  });
}
