import { expect } from 'chai';
import { decodedPicture, picture } from '../../../../cmd/docbuilder/script/check/pictures.ts';
import { getImages } from '../../../../cmd/docbuilder/script/parts.ts';
import type { Script } from '../../../../src/common/generated/script.ts';
import { processorTime } from '../../../support/processor-time.ts';
import { refusal } from '../../../support/refusal.ts';

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
  const gif = `${Buffer.from('GIF89a').toString('hex')}600030000000002c000000000000000000020100003b`;
  for (const [what, hex, expected] of [
    ['a JPEG', `ffd8${segment}${frame}${scan}`, { mediaType: 'image/jpeg', width: 25.4, height: 12.7 }],
    ['a progressive JPEG behind fill bytes', `ffd8${segment}ffff${frame.replace('c0', 'c2')}${scan}`, { width: 25.4 }],
    ['a GIF', gif, { mediaType: 'image/gif', height: 12.7 }],
  ] as const) {
    it(`${what} is known by its head`, () => expect(picture(Buffer.from(hex, 'hex'), '/x')).to.include(expected));
  }

  for (const [what, hex] of [
    ['a JPEG that ends before its size', `ffd8${segment}${frame.slice(0, 12)}`],
    ['one with something else between its segments', `ffd8${segment}00${frame}`],
    ['a lossless one, which nothing here draws', `ffd8${frame.replace('c0', 'c3')}00000000`],
    ['a PNG that ends before its size', '89504e470d0a1a0a0000000d49484452'],
  ] as const) {
    it(`${what} is none`, () => {
      expect(refusal(() => picture(Buffer.from(hex, 'hex'), '/x')).code).to.equal('script_error');
    });
  }

  for (const [name, base64] of Object.entries(PICTURES)) {
    const bytes = Buffer.from(base64, 'base64');

    it(`a ${name} is taken, also with bytes after its end`, () => {
      for (const more of [Buffer.alloc(0), Buffer.from([0]), Buffer.alloc(100, 0xff), bytes])
        picture(Buffer.concat([bytes, more]), '/x');
    });

    it(`a ${name} is refused wherever it is cut off`, () => {
      for (let length = 0; length < bytes.length - (UNNEEDED_END[name] ?? 0); length++) {
        expect(refusal(() => picture(bytes.subarray(0, length), '/x')).code, `${length}`).to.equal('script_error');
      }
      const { detail } = refusal(() => picture(bytes.subarray(0, bytes.length - 8), '/x'));
      expect(detail['message']).to.equal('là hình ảnh bị hỏng hoặc bị cắt cụt');
    });
  }

  it('a PNG is refused if a byte of its data is another, and taken if it is one of a comment', () => {
    const bytes = Buffer.from(PICTURES['PNG'] ?? '', 'base64');
    const damaged = Buffer.from(bytes);
    damaged[60] = 0;
    expect(refusal(() => picture(damaged, '/x')).detail['message']).to.match(/bị hỏng/);
    const comment = Buffer.from('00000004744558746120620000000000', 'hex');
    picture(Buffer.concat([bytes.subarray(0, 33), comment, bytes.subarray(33)]), '/x');
  });

  it('of nothing but segments cost no more than their length', () => {
    const milliseconds = processorTime();
    const parts = { ffe00002: 'ffd8', ffff: 'ffd8', ff00: `ffd8${frame}ffda0002`, ffda0002: `ffd8${frame}` };
    for (const [part, start] of Object.entries(parts)) {
      const bytes = Buffer.alloc(10 * 1024 * 1024, part, 'hex');
      bytes.write(start, 'hex');
      expect(refusal(() => picture(bytes, '/x')).code).to.equal('script_error');
    }
    expect(milliseconds()).to.be.below(500);
  });

  it('larger than 10 MB, or of more pixels than memory has, are refused', () => {
    expect(refusal(() => picture(Buffer.alloc(10 * 1024 * 1024 + 1), '/x')).detail['message']).to.match(/10 MB/);
    const huge = Buffer.from(PIXEL, 'base64');
    huge.writeUInt32BE(60_000, 16);
    huge.writeUInt32BE(60_000, 20);
    expect(refusal(() => picture(huge, '/x')).detail['message']).to.match(/điểm ảnh/);
  });

  it('are found in blocks and on slides', () => {
    const findPaths = (part: Partial<Script>) =>
      [...getImages({ svcscript: 1, type: 'text', save: [{ format: 'pdf' }], ...part })].map(({ path }) => path);
    const slide = { layout: 'blank', elements: [{ type: 'image', x: 0, y: 0, url: 'https://a/b' }] } as const;
    expect(findPaths({ slides: [slide] as never })).to.deep.equal(['/slides/0/elements/0']);
    expect(findPaths({ body: [{ type: 'page_break' }, { type: 'image', base64: PIXEL }] })).to.deep.equal(['/body/1']);
  });
});
