import { expect } from 'chai';
import { createWorkbook, fileForm, formulaMistake } from '../../../../cmd/docbuilder/script/check/formula.ts';
import { processorTime } from '../../../support/processor-time.ts';

const workbook = createWorkbook(['Main', 'Kho', 'Bảng giá', "It's", 'A1', '1.2']);
const form = (formula: string) => fileForm(formula, workbook);
const mistake = (formula: string) => formulaMistake(formula, workbook);

describe('formulas of a script', () => {
  it('keep what Excel and its files write the same way', () => {
    const formulas = [
      '=SUM(A1:A3)',
      '=SUM(A:A, $B:$C, 1:3, $A$1:B$2)',
      '=-A1^2%+(B1&" ""x"" ")',
      '=IF(A1>=1,,"no")',
      '=SUM(A1:INDEX(A:A,3))',
      '=VLOOKUP(2,{1,"x, y";2,"{z}"},2,0)',
      '=A1<>B1',
      '=.5+1.+1E+3',
      '=LOG10(100)+PI()',
      '=SUM(A1,)',
      `=LEN("${'""'.repeat(255)}")`,
    ];
    for (const formula of formulas) expect(form(formula)).to.equal(formula);
  });

  it('get the prefixes of newer functions, whether or not they were written', () => {
    expect(form('=concat("a",IFS(A1=1,2))')).to.equal('=_xlfn.CONCAT("a",_xlfn.IFS(A1=1,2))');
    expect(form('=_xlfn.XLOOKUP(1,A:A,B:B)')).to.equal('=_xlfn.XLOOKUP(1,A:A,B:B)');
    expect(form('=SUM(FILTER(A1:A3,A1:A3>1))')).to.equal('=SUM(_xlfn._xlws.FILTER(A1:A3,A1:A3>1))');
  });

  it('write truth values and #N/A as calls', () => {
    expect(form('=IF(true,FALSE,#N/A)')).to.equal('=IF(TRUE(),FALSE(),NA())');
  });

  it('refer to sheets by their own spelling, in quotes', () => {
    expect(form('=kho!a1')).to.equal("='Kho'!A1");
    expect(form("='bảng giá'!$A:B")).to.equal("='Bảng giá'!$A:B");
    for (const formula of ["='bảng giá'!A1", '=bảng!A1']) {
      const both = createWorkbook(['Bảng giá'.normalize('NFD'), 'Bảng']);
      const [nfc, nfd] = [fileForm(formula, both), fileForm(formula.normalize('NFD'), both)];
      expect(nfc).to.equal(nfd).and.to.match(/!A1$/);
    }
    expect(form("='It''s'!A1+'A1'!A1+'1.2'!A1")).to.equal("='It''s'!A1+'A1'!A1+'1.2'!A1");
    expect(mistake('=Nope!A1')).to.contain('không có trang tính như vậy, ở ký tự 2');
  });

  it('say what is wrong with them, without a word of the formula: errors hold no content', () => {
    const quiet = (formula: string): [string, string] => [formula, ''];
    const wrong: [formula: string, why: string][] = [
      ['=SUM(A1:A3', 'không được đóng, ở ký tự 11'],
      ['=SUM(A1))', 'thừa một dấu ngoặc đóng'],
      ['="Zebra', 'dấu nháy'],
      ["='Zebra!A1", 'tên trong dấu nháy không được đóng'],
      ['=1+', 'thiếu một phần ở cuối'],
      ['=*2', 'thiếu một phần trước toán tử, ở ký tự 2'],
      ['=()', 'thiếu một phần trước dấu ngoặc đóng'],
      ['=1 "Zebra"', 'thiếu toán tử hoặc dấu phẩy, ở ký tự 4'],
      ['=A1 (B1)', 'thiếu toán tử trước dấu ngoặc, ở ký tự 5'],
      ['=(-SIN())', 'có hàm cần đối số, ở ký tự 8'],
      ['=SUM(,)', 'có hàm cần đối số'],
      ['=(A1,B1)', 'dấu phẩy'],
      ['=SUM(A1;B1)', 'cách nhau bằng dấu phẩy'],
      ['=Zebra*2', 'có từ không phải ô, hàm hay trang tính; không có tên do người dùng định nghĩa, ở ký tự 2'],
      ['=LET(x,1,x)', 'không có tên do người dùng định nghĩa, ở ký tự 6'],
      ['=A1:5', 'chỉ giữa các ô'],
      ['="a":A1', 'chỉ giữa các ô'],
      ['=XFE1', 'nằm ngoài trang tính'],
      ['=ZEB1048577', 'nằm ngoài trang tính'],
      ['={"Zebra";1,2}', 'không cùng độ dài'],
      ['={"Zebra",A1}', 'không phải danh sách'],
      ['=#REF!', 'giá trị lỗi'],
      ['="𝕏"&A1#', 'không đúng chỗ, ở ký tự 8'],
      ['=@A1', 'không đúng chỗ, ở ký tự 2'],
      ['=Zebra[a]', 'không phải ô, hàm hay trang tính'],
      ['=Main:Kho!A1', 'nhiều trang tính'],
      ["='Main:Kho'!A1", 'nhiều trang tính'],
      [`=${'('.repeat(65)}1${')'.repeat(65)}`, 'lồng nhau'],
      [`=SUM("Zebra",${'1,'.repeat(255)}1)`, 'hơn 255 đối số'],
      [`=LEN("${'Zebra'.padEnd(256)}")`, 'chuỗi dài hơn 255 ký tự'],
      ["='Zebra'!A1", 'không có trang tính như vậy'],
      ...['=Zebra()', '=COM.Zebra.WEBSERVICE(1)', '=1+Zebra!A1', '=1 Zebra(2)', '=SUM(Zebra', '=1;"Zebra"'].map(quiet),
      ...['=HYPERLINK("Zebra")', '=CELL("Zebra")', '=INDIRECT("[Zebra]")'].map(quiet),
    ];
    for (const [formula, why] of wrong) {
      expect(mistake(formula), formula).to.contain(why);
      expect(mistake(formula), formula).to.match(/^không dùng được làm công thức: .*, ở ký tự \d+$/);
      expect(mistake(formula), formula).to.not.match(/zeb/i);
    }
  });

  it('reach nothing outside the document', () => {
    const web = [
      'WEBSERVICE',
      '_xlfn.WEBSERVICE',
      '_xlfn._xlfn.WEBSERVICE',
      '_xlws._xlfn._xlws.FILTERXML',
      'ＷＥＢＳＥＲＶＩＣＥ',
      'COM.MICROSOFT.WEBSERVICE',
      'IMAGE',
    ];
    const files = ['file:///tmp/[x.xlsx]A', 'http://127.0.0.1/[x.xlsx]A', '[1]Main', '\\\\host\\share\\[x.xlsx]A'];
    const attacks = [
      ...web.map((name) => `=${name}("http://127.0.0.1/")`),
      ...['=SUM(webservice ("http://127.0.0.1/"))', '=FILTERXML("<a/>","/a")', '=DDE("soffice","/etc/passwd","a")'],
      ...['=RTD("a","b","c")', '=CALL("a","b")'],
      ...files.map((file) => `='${file}'!A1`),
      ...["='file:///etc/passwd'#$Sheet1.A1", '=[1]Sheet1!A1', "=cmd|'/c calc'!A1", '=INFO("directory")'],
      ...['=INDIRECT("\'file:///etc/passwd\'#$Sheet1.A1")', '=INDIRECT("[x.xlsx]Sheet1!A1")'],
      ...['"filename"', '"file"&"name"', 'A1'].map((what) => `=CELL(${what})`),
      ...['"file:///etc/passwd","x"', '"javascript:alert(1)"', '"vnd.sun.star.script:x","x"', 'A1', '(A1)', ',"x"', '']
        .concat('(A1)&"https://example.com/"', '{"file:///etc/passwd"}', 'CONCAT("fi","le:///")')
        .map((address) => `=HYPERLINK(${address})`),
    ];
    for (const formula of attacks) expect(mistake(formula), formula).to.be.a('string');
    expect(mistake('=HYPERLINK("https://example.com/"&A1,"x")')).to.equal(undefined);
    expect(mistake('=HYPERLINK("#Kho!A1")')).to.equal(undefined);
    expect(mistake('=CELL("row",A1)')).to.equal(undefined);
    expect(mistake('=INDIRECT("Kho!A"&ROW())')).to.equal(undefined);
  });

  it('are refused in one go where what they open is never closed', () => {
    const spent = processorTime();
    // Would be read in 2^n ways, or n² for the digits.
    for (const piece of ['""', '"a"', '""""']) {
      expect(mistake(`={${piece.repeat(28)}`), piece).to.contain('ngoặc nhọn');
      expect(mistake(`={${piece.repeat(8190 / piece.length)}`), piece).to.contain('ngoặc nhọn');
    }
    for (let run = 0; run < 30; run++) {
      expect(mistake(`=${'1'.repeat(8190)}x`)).to.contain('không dùng được');
      expect(mistake(`={${'1'.repeat(8188)}x}`)).to.contain('không phải danh sách');
    }
    expect(spent()).to.be.lessThan(1000);
    expect(form('={"a""b","{}";1.,.5E-3}')).to.equal('={"a""b","{}";1.,.5E-3}');
  });
});
