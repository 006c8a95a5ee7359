/** What stands in XML for a character that would mean something, or be changed by whoever reads it (XML 1.0, 2.11, 3.3.3). */
export const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
