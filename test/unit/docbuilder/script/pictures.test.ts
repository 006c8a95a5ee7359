import { expect } from 'chai';
import { decodedPicture, picture } from '../../../../cmd/docbuilder/script/check/pictures.ts';
import { refusal } from '../../../support/refusal.ts';
import { threadTime } from '../../../support/thread-time.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Small pictures that a common library has written. */
const PICTURES: Record<string, string> = {
  PNG: 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAPElEQVR4nGNkYPh/QkOTAQMwndDQtLhxHYsEAwMDVjkmCIUpxwRnockxIatClkORQJZjPKGhgekkixvXAdsFFyZyd3mzAAAAAElFTkSuQmCC',
  GIF: 'R0lGODdhCAAIAIEAAMgoKAAA/wAAAAAAACwAAAAACAAIAAAIGAADABhIcKDAggQPIgSgEGHDgg8TLjQYEAA7',
  'baseline JPEG with restart markers':
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//wAALCAAQABABAREA/8QAFQABAQAAAAAAAAAAAAAAAAAABQT/xAAlEAACAgEDAgcBAAAAAAAAAAABAgMRBAUSISJRBiRBRGFigZH/3QAEAAH/2gAIAQEAAD8AARNIx9A9i2Q2L9JHd3T+oVJ+Kr1vp//QMzsbQ4MMwIcHl0jYxBZW2hwWkDLZFi+B3quLb//RMxc3Gg8MFccynyojLRQuq7nXawkYijyaH5Vc7v/SmnmgjxURI2mjmYSxQyqyliGBoWNqlV6bXde4knv/AP/Z',
  'progressive JPEG':
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71////m8H////6/+b9//j/wgALCAAQABABAREA/8QAFwAAAwEAAAAAAAAAAAAAAAAAAAECA//aAAgBAQAAAAHKh//EABkQAAIDAQAAAAAAAAAAAAAAABESAAEhIv/aAAgBAQABBQLFtQeJ/8QAFhABAQEAAAAAAAAAAAAAAAAAQQAQ/9oACAEBAAY/AiN//8QAGxABAAICAwAAAAAAAAAAAAAAAQARIVExQdH/2gAIAQEAAT8hx3VAKeoAw10RSt3wM//aAAgBAQAAABAf/8QAHhABAQABBAMBAAAAAAAAAAAAAREhQWHR8AAxkaH/2gAIAQEAAT8QDXHtVU/J3acagZFLlveZStNQKka95AQEKgS5+EMYvvz/2Q==',
};
/** A GIF whose trailer alone is missing shows all of its images. */
const UNNEEDED_END: Record<string, number> = { GIF: 1 };

/** Returns the place or the message of the error that a picture is refused with. */
const mistake = (bytes: Buffer, member = 'message') => {
  const { code, detail } = refusal(() => picture(bytes, '/x'));
  expect(code).to.equal('script_error');
  return detail[member];
};

describe('pictures of a script', () => {
  it('have a type and a natural size', () => {
    const made = decodedPicture(`data:image/png;base64,${PIXEL.slice(0, 40)}\n${PIXEL.slice(40)}`, '/body/0');
    expect(made).to.include({ mediaType: 'image/png', base64: PIXEL });
    expect(made.width).to.be.closeTo(0.2646, 0.001);
  });

  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
  for (const [what, base64] of Object.entries({
    'no base64': 'b!@#',
    'base64 that was cut off': PIXEL.slice(0, 41),
    'no picture': Buffer.from('hello world').toString('base64'),
    'a picture that scripts': Buffer.from(svg).toString('base64'),
    nothing: '====',
  })) {
    it(`${what}: script_error at its place`, () => {
      const { code, detail } = refusal(() => decodedPicture(base64, '/body/3'));
      expect({ code, path: detail['path'] }).to.deep.equal({ code: 'script_error', path: '/body/3/base64' });
    });
  }

  const segment = 'ffe00004abcd';
  const frame = 'ffc00011080030006003012200021101031101';
  const scan = 'ffda000201ff00ffd9';
  const gif = Buffer.from('GIF89a').toString('hex');
  const none = 'không phải hình ảnh PNG, JPEG hay GIF';
  for (const [what, hex, expected] of [
    ['a JPEG', `ffd8${segment}${frame}${scan}`, { mediaType: 'image/jpeg', width: 25.4, height: 12.7 }],
    ['a progressive JPEG behind fill bytes', `ffd8${segment}ffff${frame.replace('c0', 'c2')}${scan}`, { width: 25.4 }],
    ['a GIF', `${gif}600030000000002c000000000000000000020100003b`, { mediaType: 'image/gif', height: 12.7 }],
    ['a JPEG that ends before its size', `ffd8${segment}${frame.slice(0, 12)}`, none],
    ['a JPEG with something else between its segments', `ffd8${segment}00${frame}`, none],
    ['a lossless JPEG, which nothing here draws', `ffd8${frame.replace('c0', 'c3')}00000000`, none],
    ['a PNG that ends before its size', '89504e470d0a1a0a0000000d49484452', none],
  ] as const) {
    it(`${what} is ${expected === none ? 'none' : 'known by its head'}`, () => {
      const bytes = Buffer.from(hex, 'hex');
      if (expected === none) expect(mistake(bytes)).to.equal(none);
      else expect(picture(bytes, '/x')).to.include(expected);
    });
  }

  for (const [name, base64] of Object.entries(PICTURES)) {
    it(`a ${name} is taken, also with bytes after its end, and refused wherever it is cut off`, () => {
      const bytes = Buffer.from(base64, 'base64');
      for (const more of [Buffer.alloc(0), Buffer.from([0]), Buffer.alloc(100, 0xff), bytes]) {
        picture(Buffer.concat([bytes, more]), '/x');
      }
      for (let length = 0; length < bytes.length - (UNNEEDED_END[name] ?? 0); length++) {
        expect(mistake(bytes.subarray(0, length)), `${length}`).to.be.a('string');
      }
      expect(mistake(bytes.subarray(0, bytes.length - 8))).to.equal('là hình ảnh bị hỏng hoặc bị cắt cụt');
    });
  }

  it('a PNG is refused if a byte of its data is another, and taken if it is one of a comment', () => {
    const bytes = Buffer.from(PICTURES['PNG'] ?? '', 'base64');
    const comment = Buffer.from('00000004744558746120620000000000', 'hex');
    picture(Buffer.concat([bytes.subarray(0, 33), comment, bytes.subarray(33)]), '/x');
    bytes[60] = 0;
    expect(mistake(bytes)).to.match(/bị hỏng/);
  });

  it('of nothing but segments cost no more than their length', async () => {
    const parts = { ffe00002: 'ffd8', ffff: 'ffd8', ff00: `ffd8${frame}ffda0002`, ffda0002: `ffd8${frame}` };
    let milliseconds = 0;
    for (const [part, start] of Object.entries(parts)) {
      const bytes = Buffer.alloc(10 * 1024 * 1024, part, 'hex');
      bytes.write(start, 'hex');
      milliseconds += await threadTime(() => expect(mistake(bytes, 'path')).to.equal('/x'));
    }
    expect(milliseconds).to.be.below(500);
  });

  it('have at most 10 MB, and no more pixels than memory has', () => {
    const bytes = Buffer.alloc(10 * 1024 * 1024 + 1);
    bytes.write(PICTURES['GIF'] ?? '', 'base64');
    expect(picture(bytes.subarray(0, -1), '/x')).to.include({ mediaType: 'image/gif' });
    expect(mistake(bytes)).to.match(/10 MB/);
    const huge = Buffer.from(PIXEL, 'base64');
    huge.writeUInt32BE(60_000, 16);
    huge.writeUInt32BE(60_000, 20);
    expect(mistake(huge)).to.match(/điểm ảnh/);
  });
});
