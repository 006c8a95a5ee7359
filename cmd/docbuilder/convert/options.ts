import { badRequest, type Mistake } from '../../../src/common/errors.ts';
import type { ConvertOptions } from '../../../src/common/generated/wire.ts';
import type { OutputOptions } from '../engine/task.ts';
import {
  type Encoding,
  FOREIGN_ENCODINGS,
  getFamily,
  type SourceEncoding,
  type SourceFormat,
  type TargetFormat,
} from '../formats.ts';

type OptionName = keyof ConvertOptions;

const isText = (format: SourceFormat | TargetFormat): boolean => format === 'csv' || format === 'txt';

/** Pairs for which each option means something. An option that would be ignored is a mistake of the caller's. */
const APPLIES: Record<OptionName, { to: (source: SourceFormat, target: TargetFormat) => boolean; where: string }> = {
  password: { to: () => true, where: 'mọi nguồn' },
  pages: { to: (_, target) => target === 'pdf', where: 'đích pdf' },
  pdfa: { to: (_, target) => target === 'pdf', where: 'đích pdf' },
  image_resolution: { to: (_, target) => target === 'pdf', where: 'đích pdf' },
  delimiter: { to: (source, target) => source === 'csv' || target === 'csv', where: 'nguồn hoặc đích csv' },
  encoding: { to: (source, target) => isText(source) || isText(target), where: 'nguồn hoặc đích csv hay txt' },
};

/**
 * Checks the options of a conversion and makes the engine's settings of them.
 * @throws {AppError} `bad_request` for options that this pair does not know or that contradict themselves
 */
export function convertOptions(options: ConvertOptions, source: SourceFormat, target: TargetFormat): OutputOptions {
  const mistakes: Mistake[] = (Object.keys(options) as OptionName[])
    .filter((name) => !APPLIES[name].to(source, target))
    .map((name) => ({ path: `/options/${name}`, message: `chỉ dùng cho ${APPLIES[name].where}` }));
  if (options.pages !== undefined && !rangesAscend(options.pages)) {
    mistakes.push({ path: '/options/pages', message: 'có khoảng kết thúc trước khi bắt đầu' });
  }
  if (options.delimiter !== undefined && !/^[^\w"\r\n]$/.test(options.delimiter)) {
    mistakes.push({
      path: '/options/delimiter',
      message: 'phải là một ký tự không phải chữ cái, chữ số, dấu nháy kép hay ký tự xuống dòng',
    });
  }
  const { encoding } = options;
  if (!isText(source) && encoding !== undefined && !isWritten(encoding)) {
    mistakes.push({ path: '/options/encoding', message: 'là bảng mã chỉ dùng để đọc' });
  }
  const [first, ...rest] = mistakes;
  if (first) throw badRequest(first, ...rest);
  const { pages, pdfa, image_resolution: imageResolution, delimiter } = options;
  return {
    ...(pages !== undefined && { pages }),
    ...(pdfa !== undefined && { pdfa }),
    ...(imageResolution !== undefined && { imageResolution }),
    // A text source was read with them already (source/sources.ts).
    ...(delimiter !== undefined && source !== 'csv' && { delimiter }),
    ...(encoding !== undefined && isWritten(encoding) && !isText(source) && { encoding }),
  };
}

function isWritten(encoding: SourceEncoding): encoding is Encoding {
  return !FOREIGN_ENCODINGS.some((name) => name === encoding);
}

function rangesAscend(pages: string): boolean {
  return pages.split(',').every((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return from <= to;
  });
}

/** Makes the detail of an error about a pair that cannot be converted. */
export function pairDetail(source: SourceFormat, target: string): { from: string; to: string; family: string } {
  return { from: source, to: target, family: getFamily(source) };
}
