import { expect } from 'chai';
import fc from 'fast-check';
import { getFileName } from '../../../../src/common/net/download.ts';

describe('the name of a downloaded file', () => {
  const cases: [url: string, disposition: string | undefined, name: string | undefined][] = [
    ['http://x.test/a/report.docx', undefined, 'report.docx'],
    ['http://x.test/a/report.docx?token=1#f', undefined, 'report.docx'],
    ['http://x.test/B%C3%A1o%20c%C3%A1o.docx', undefined, 'Báo cáo.docx'],
    ['http://x.test/%E0%A4', undefined, '%E0%A4'],
    ['http://x.test/', undefined, undefined],
    ['http://x.test/a/', undefined, undefined],
    ['http://x.test/..%2f..%2fetc%2fpasswd', undefined, 'passwd'],
    ['http://x.test/a%5c..%5cboot.ini', undefined, 'boot.ini'],
    ['http://x.test/a/%2e%2e%2f', undefined, undefined],
    ['http://x.test/a%00b%0a.txt', undefined, 'ab.txt'],
    ['http://x.test/fdp%E2%80%AEx.exe', undefined, 'fdpx.exe'],
    [`http://x.test/${'a'.repeat(300)}`, undefined, undefined],
    ['http://x.test/a.bin', 'attachment; filename="b.docx"', 'b.docx'],
    ['http://x.test/a.bin', 'attachment; filename=b.docx', 'b.docx'],
    ['http://x.test/a.bin', 'inline; filename="x"; filename*=UTF-8\'\'B%C3%A1o.docx', 'Báo.docx'],
    ['http://x.test/a.bin', 'attachment; filename="../../etc/passwd"', 'passwd'],
    ['http://x.test/a.bin', 'attachment; filename="C:\\\\temp\\\\b.docx"', 'b.docx'],
    ['http://x.test/a.bin', 'attachment; filename=".."', 'a.bin'],
    ['http://x.test/a.bin', 'attachment; filename=""', 'a.bin'],
    ['http://x.test/a.bin', 'attachment', 'a.bin'],
    ['http://x.test/a.bin', ';;;"', 'a.bin'],
    ['http://x.test/a.bin', '', 'a.bin'],
  ];
  for (const [url, disposition, name] of cases) {
    it(`of ${url.slice(0, 60)} with ${disposition ?? 'no header'} is ${name ?? 'unknown'}`, () => {
      expect(getFileName(new URL(url), disposition)).to.equal(name);
    });
  }

  it('is one path segment whatever the header and the path hold', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((name) => `attachment; filename=${name}`),
    );
    fc.assert(
      fc.property(fc.webPath(), text, (path, disposition) => {
        const name = getFileName(new URL(`http://x.test/${path}`), disposition);
        if (name === undefined) return;
        expect(name).not.to.match(/[/\\\p{Cc}]/u);
        expect(['', '.', '..']).not.to.include(name);
      }),
    );
  });
});
