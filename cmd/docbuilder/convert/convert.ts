import { AppError, badRequest, type Mistake } from '../../../src/common/errors.ts';
import type { ConvertOptions } from '../../../src/common/generated/wire.ts';
import { runTask } from '../engine/run-task.ts';
import type { Engine, OutputOptions } from '../engine/task.ts';
import {
  canConvert,
  type Encoding,
  FOREIGN_ENCODINGS,
  getFamily,
  getRoom,
  isTargetFormat,
  type SourceFormat,
  type TargetFormat,
} from '../formats.ts';
import type { Work } from '../jobs/work.ts';
import { createSource, type SourceDependencies, type SourceRequest } from '../source/sources.ts';

export interface ConvertRequest extends Pick<SourceRequest, 'source' | 'from'> {
  to: string;
  options: ConvertOptions;
}

/** `POST /v1/convert` as a kind of job. @throws {AppError} `unsupported_format` for a target or `from` that is no format */
export function convertWork(request: ConvertRequest, deps: SourceDependencies & { engine: Engine }): Work {
  const { password, encoding, delimiter } = request.options;
  const to = parseTarget(request.to);
  const cellLetters = getRoom([to])?.letters;
  const source = createSource({ ...request, password, encoding, delimiter, cellLetters }, deps);

  return {
    kind: 'convert',
    check: source.check,
    async prepare(preparing, newPath) {
      let options: OutputOptions = {};
      const { task } = await source.open(preparing, newPath, ({ format }) => {
        if (!canConvert(format, to)) throw new AppError('unsupported_format', pairDetail(format, to));
        options = convertOptions(request.options, format, to);
      });
      return async (signal, newFile) => {
        const { fileId, path } = await newFile();
        const whole = { ...task, outputs: [{ path, to, options }], maxOutputBytes: deps.maxFileBytes() } as const;
        const { pages, engineMs } = await runTask(deps.engine, whole, signal);
        const filename = `${task.stem}.${to}`;
        const output = { fileId, filename, format: to, encoding: options.encoding, pages: pages[0] ?? 0 };
        return { outputs: [output], engineMs };
      };
    },
  };
}

/** Parses a target format. @throws {AppError} `unsupported_format` */
export function parseTarget(to: string): TargetFormat {
  const name = to.toLowerCase();
  if (!isTargetFormat(name)) throw new AppError('unsupported_format', { to });
  return name;
}

type OptionName = keyof ConvertOptions;

const isText = (format: SourceFormat | TargetFormat): boolean => format === 'csv' || format === 'txt';

/** The pairs that use each option. An option that would be ignored is refused. */
const APPLIES: Record<OptionName, { to: (source: SourceFormat, target: TargetFormat) => boolean; where: string }> = {
  password: { to: () => true, where: 'mọi nguồn' },
  pages: { to: (_, target) => target === 'pdf', where: 'đích pdf' },
  pdfa: { to: (_, target) => target === 'pdf', where: 'đích pdf' },
  image_resolution: { to: (_, target) => target === 'pdf', where: 'đích pdf' },
  delimiter: { to: (source, target) => source === 'csv' || target === 'csv', where: 'nguồn hoặc đích csv' },
  encoding: { to: (source, target) => isText(source) || isText(target), where: 'nguồn hoặc đích csv hay txt' },
};

/** Returns the engine's options of a conversion. @throws {AppError} `bad_request` for invalid options or those of other pairs */
function convertOptions(options: ConvertOptions, source: SourceFormat, target: TargetFormat): OutputOptions {
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
  const { password: _, delimiter, encoding, ...ofPdf } = options;
  if (!isText(source) && FOREIGN_ENCODINGS.some((name) => name === encoding)) {
    mistakes.push({ path: '/options/encoding', message: 'là bảng mã chỉ dùng để đọc' });
  }
  const [first, ...rest] = mistakes;
  if (first) throw badRequest(first, ...rest);
  // A text source is read with `delimiter` and `encoding` (source/sources.ts); its target is not written with them.
  if (isText(source)) return ofPdf;
  return {
    ...ofPdf,
    ...(delimiter !== undefined && { delimiter }),
    ...(encoding !== undefined && { encoding: encoding as Encoding }),
  };
}

function rangesAscend(pages: string): boolean {
  return pages.split(',').every((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return from <= to;
  });
}

/** Returns the detail of `unsupported_format` for a pair. */
export function pairDetail(source: SourceFormat, target: string): { from: string; to: string; family: string } {
  return { from: source, to: target, family: getFamily(source) };
}
