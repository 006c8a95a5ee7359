import { expect } from 'chai';
import { convertOptions } from '../../../cmd/docbuilder/convert/convert.ts';
import {
  canConvert,
  SOURCE_FORMATS,
  type SourceFormat,
  TARGET_FORMATS,
  type TargetFormat,
} from '../../../cmd/docbuilder/formats.ts';
import type { AppError } from '../../../src/common/errors.ts';
import type { ConvertOptions } from '../../../src/common/generated/wire.ts';

type Pair = [options: ConvertOptions, source: SourceFormat, target: TargetFormat];

describe('conversion options', () => {
  const all = { pages: '1-3,5', pdfa: true, image_resolution: 150 };
  for (const [options, source, target, expected] of [
    [{}, 'docx', 'pdf', {}],
    [all, 'docx', 'pdf', { pages: '1-3,5', pdfa: true, imageResolution: 150 }],
    [{ password: 'secret' }, 'xlsx', 'csv', {}],
    [{ delimiter: ';', encoding: 'utf-16le' }, 'xlsx', 'csv', { delimiter: ';', encoding: 'utf-16le' }],
    // These options of a text source are used when it is read; its target is UTF-8.
    [{ encoding: 'windows-1258', delimiter: '\t' }, 'csv', 'xlsx', {}],
    [{ encoding: 'windows-1258' }, 'txt', 'docx', {}],
    [{ encoding: 'shift_jis' }, 'csv', 'xlsx', {}],
  ] as [...Pair, expected: object][]) {
    it(`${JSON.stringify(options)} from ${source} to ${target}`, () => {
      expect(convertOptions(options, source, target)).to.deep.equal(expected);
    });
  }

  for (const [options, source, target] of [
    [{ pages: '1' }, 'docx', 'odt'],
    [{ pages: '3-1' }, 'docx', 'pdf'],
    [{ pdfa: true }, 'docx', 'docx'],
    [{ image_resolution: 75 }, 'xlsx', 'ods'],
    [{ delimiter: ';' }, 'docx', 'pdf'],
    [{ delimiter: 'x' }, 'csv', 'pdf'],
    [{ delimiter: '"' }, 'csv', 'pdf'],
    [{ encoding: 'utf-8' }, 'docx', 'pdf'],
    [{ encoding: 'shift_jis' }, 'xlsx', 'csv'],
  ] as Pair[]) {
    it(`refuses ${JSON.stringify(options)} from ${source} to ${target}`, () => {
      const path = `/options/${Object.keys(options)[0]}`;
      expect(() => convertOptions(options, source, target))
        .to.throw()
        .that.satisfies(
          ({ code, detail }: AppError) => code === 'bad_request' && JSON.stringify(detail).includes(path),
        );
    });
  }

  it('the matrix stays within a family', () => {
    expect(canConvert('docx', 'odt')).to.equal(true);
    expect([canConvert('docx', 'xlsx'), canConvert('csv', 'pptx')]).to.deep.equal([false, false]);
    for (const source of SOURCE_FORMATS) expect(canConvert(source, 'pdf')).to.equal(true);
    expect(TARGET_FORMATS).to.not.include('docm');
  });
});
