import { expect } from 'chai';
import { decodeWords } from '../../../../cmd/docbuilder/http/encoded-words.ts';

describe('encoded words in file names', () => {
  for (const [given, name] of [
    ['=?UTF-8?Q?B=C3=A1o_c=C3=A1o_qu=C3=BD=20III.csv?=', 'Báo cáo quý III.csv'],
    ['=?utf-8?B?SOG7o3AgxJHhu5NuZy5kb2N4?=', 'Hợp đồng.docx'],
    ['=?utf-8?b?VMOqbi/Dv8O/LmNzdg==?=', 'Tên/ÿÿ.csv'],
    ['=?UTF-8?Q?B=C3=A1o_?= =?UTF-8?B?Y8Ohby5jc3Y=?=', 'Báo cáo.csv'],
    ['=?UTF-8?Q?a?= b.csv', 'a b.csv'],
    ['=?UTF-8?Q?=GG=FF?=', '=GG\ufffd'],
    ['=?UTF-8?X?a?=', '=?UTF-8?X?a?='],
    ['Hợp đồng =? 1.docx', 'Hợp đồng =? 1.docx'],
    ['', ''],
  ] as const) {
    it(`${JSON.stringify(given)} is ${name}`, () => {
      expect(decodeWords(given)).to.equal(name);
    });
  }
});
