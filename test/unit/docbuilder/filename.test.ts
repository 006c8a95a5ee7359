import { expect } from 'chai';
import { parseStem, toSheetName } from '../../../cmd/docbuilder/source/filename.ts';
import { attachment } from '../../../src/common/http/disposition.ts';
import { processorTime } from '../../support/processor-time.ts';

describe('file names', () => {
  for (const [given, stem] of [
    ['report.docx', 'report'],
    ['Hợp đồng số 12.docx', 'Hợp đồng số 12'],
    ['báo.cáo.2026.xlsx', 'báo.cáo.2026'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\win.ini', 'win'],
    ['/', 'tai-lieu'],
    ['...', 'tai-lieu'],
    ['..', 'tai-lieu'],
    ['.', 'tai-lieu'],
    [' . ', 'tai-lieu'],
    ['a/..', 'tai-lieu'],
    ['..docx', 'tai-lieu'],
    ['.docx', 'tai-lieu'],
    ['', 'tai-lieu'],
    [undefined, 'tai-lieu'],
    ['a\u0000b\r\nc.docx', 'abc'],
    ['in"voice<1>|?.docx', 'invoice1'],
    ['gpj.\u202excod.docx', 'gpj.xcod'],
    ['~$lock.docx', '~$lock'],
    [' ..hidden.docx', 'hidden'],
  ] as const) {
    it(`${JSON.stringify(given)} is called ${stem}`, () => {
      expect(parseStem(given)).to.equal(stem);
    });
  }

  it('are cut at 120 bytes between characters', () => {
    expect(parseStem(`${'ệ'.repeat(300)}.docx`)).to.equal('ệ'.repeat(40));
  });

  it('are read no further than anybody would, which keeps their end from costing time', () => {
    const spent = processorTime();
    for (const heap of [' ', '.', 'e\u0301\u0323\u0301', '\u0301\u0323', '/']) {
      expect(parseStem(`a${heap.repeat(500_000)}b.docx`), heap).to.match(/^[abẹạ]/);
    }
    expect(parseStem(`${'x/'.repeat(100_000)}Hợp đồng.docx`)).to.equal('Hợp đồng');
    expect(spent()).to.be.lessThan(2000);
  });

  it('become names of sheets that Excel knows, where csv has them', () => {
    for (const [stem, name] of [
      ['Bảng giá', 'Bảng giá'],
      ['[1] data', '(1) data'],
      ["'quoted'", 'quoted'],
      ["'.hidden '", 'hidden'],
      ["'", 'tai-lieu'],
      ['History', 'History_'],
      ['Báo cáo doanh thu quý ba năm 2026', 'Báo cáo doanh thu quý ba năm 20'],
      [`${'a'.repeat(30)}'b`, 'a'.repeat(30)],
    ] as const)
      expect(toSheetName(stem)).to.equal(name);
  });

  it('go into headers as RFC 6266 says, with the same letters for old clients', () => {
    expect(attachment('Đơn đặt hàng.pdf')).to.equal(
      `attachment; filename="Don dat hang.pdf"; filename*=UTF-8''%C4%90%C6%A1n%20%C4%91%E1%BA%B7t%20h%C3%A0ng.pdf`,
    );
    expect(attachment('report.pdf')).to.equal('attachment; filename=report.pdf');
    // Browsers decode escapes in a plain `filename`.
    expect(attachment('100%41.pdf')).to.equal("attachment; filename=100%41.pdf; filename*=UTF-8''100%2541.pdf");
    // Half a character, which JSON can say and UTF-8 cannot.
    expect(attachment('a\ud83d.pdf')).to.equal("attachment; filename=a_.pdf; filename*=UTF-8''a%EF%BF%BD.pdf");
  });
});
