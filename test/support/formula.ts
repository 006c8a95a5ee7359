import { ooxml } from '../../scripts/support/documents.ts';

const sign = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const FRACTION = `<m:f><m:num>${sign('α')}</m:num><m:den>${sign('β')}</m:den></m:f>`;
const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const BODY = `<w:document ${WORD} ${MATH}><w:body><w:p><m:oMath>${FRACTION}</m:oMath></w:p></w:body></w:document>`;

/** A Word document with a formula, and the text that it has in a PDF. */
export const [FORMULA_DOCX, FORMULA_TEXT] = [ooxml('docx', {}, { 'word/document.xml': BODY }), /α\s+β/];
