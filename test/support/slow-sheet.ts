/**
 * A spreadsheet that keeps the engine busy far longer than any test waits: thousands of formulas over whole columns,
 * without cached values. Flat ODF, about 1 MB.
 */
export function slowSheet(formulas = 5000): Buffer {
  const cells = Array.from(
    { length: formulas },
    (_, row) =>
      `<table:table-row><table:table-cell table:formula="of:=SUMPRODUCT(MOD(ROW([.$B$1:.$B$1048576])+${row};7)^2)" office:value-type="float"/></table:table-row>`,
  );
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="slow">${cells.join('')}</table:table></office:spreadsheet></office:body></office:document>`,
  );
}
