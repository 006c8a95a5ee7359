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

describe('conversion options', () => {
  const accepted: [ConvertOptions, SourceFormat, TargetFormat, object][] = [
    [{}, 'docx', 'pdf', {}],
    [
      { pages: '1-3,5', pdfa: true, image_resolution: 150 },
      'docx',
      'pdf',
      { pages: '1-3,5', pdfa: true, imageResolution: 150 },
    ],
    [{ password: 'secret' }, 'xlsx', 'csv', {}],
    [{ delimiter: ';', encoding: 'utf-16le' }, 'xlsx', 'csv', { delimiter: ';', encoding: 'utf-16le' }],
    // These options of a text source are used when it is read; its target is UTF-8.
    [{ encoding: 'windows-1258', delimiter: '\t' }, 'csv', 'xlsx', {}],
    [{ encoding: 'windows-1258' }, 'txt', 'docx', {}],
    [{ encoding: 'shift_jis' }, 'csv', 'xlsx', {}],
  ];
  for (const [options, source, target, expected] of accepted) {
    it(`${JSON.stringify(options)} from ${source} to ${target}`, () => {
      expect(convertOptions(options, source, target)).to.deep.equal(expected);
    });
  }

  const refused: [ConvertOptions, SourceFormat, TargetFormat, string][] = [
    [{ pages: '1' }, 'docx', 'odt', '/options/pages'],
    [{ pages: '3-1' }, 'docx', 'pdf', '/options/pages'],
    [{ pdfa: true }, 'docx', 'docx', '/options/pdfa'],
    [{ image_resolution: 75 }, 'xlsx', 'ods', '/options/image_resolution'],
    [{ delimiter: ';' }, 'docx', 'pdf', '/options/delimiter'],
    [{ delimiter: 'x' }, 'csv', 'pdf', '/options/delimiter'],
    [{ delimiter: '"' }, 'csv', 'pdf', '/options/delimiter'],
    [{ encoding: 'utf-8' }, 'docx', 'pdf', '/options/encoding'],
    [{ encoding: 'shift_jis' }, 'xlsx', 'csv', '/options/encoding'],
  ];
  for (const [options, source, target, path] of refused) {
    it(`refuses ${JSON.stringify(options)} from ${source} to ${target}`, () => {
      try {
        convertOptions(options, source, target);
      } catch (error) {
        expect((error as AppError).code).to.equal('bad_request');
        expect((error as AppError).detail['errors']).to.have.nested.property('[0].path', path);
        return;
      }
      expect.fail('was not refused');
    });
  }

  it('the matrix stays within a family', () => {
    expect(canConvert('docx', 'odt')).to.equal(true);
    expect(canConvert('docx', 'xlsx')).to.equal(false);
    expect(canConvert('csv', 'pptx')).to.equal(false);
    for (const source of SOURCE_FORMATS) expect(canConvert(source, 'pdf')).to.equal(true);
    expect(TARGET_FORMATS).to.not.include('docm');
  });
});
