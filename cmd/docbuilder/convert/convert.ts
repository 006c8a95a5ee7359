import { AppError } from '../../../src/common/errors.ts';
import type { ConvertOptions } from '../../../src/common/generated/wire.ts';
import { runTask } from '../engine/run-task.ts';
import type { Engine } from '../engine/task.ts';
import { canConvert, getRoom, isTargetFormat, type TargetFormat } from '../formats.ts';
import type { Work } from '../jobs/work.ts';
import { createSource, type SourceDependencies, type SourceRequest } from '../source/sources.ts';
import { convertOptions, pairDetail } from './options.ts';

export interface ConvertRequest extends Pick<SourceRequest, 'source' | 'from'> {
  to: string;
  options: ConvertOptions;
}

/**
 * `POST /v1/convert` as a kind of job. Everything that can be refused is refused in `prepare`, before a worker is asked.
 * @throws {AppError} `unsupported_format` for a target or a `from` that is no format
 */
export function convertWork(request: ConvertRequest, deps: SourceDependencies & { engine: Engine }): Work {
  const { password, encoding, delimiter } = request.options;
  const to = parseTarget(request.to);
  const cellLetters = getRoom([to])?.letters;
  const source = createSource({ ...request, password, encoding, delimiter, cellLetters }, deps);

  return {
    kind: 'convert',
    check: source.check,
    async prepare(preparing, newPath) {
      const opened = await source.open(preparing, newPath);
      const { format: from } = opened.inspection;
      if (!canConvert(from, to)) throw new AppError('unsupported_format', pairDetail(from, to));
      const options = convertOptions(request.options, from, to);
      const task = await source.task(opened, preparing, newPath);
      return async (signal, newFile) => {
        const { fileId, path } = await newFile();
        const whole = { ...task, outputs: [{ path, to, options }], maxOutputBytes: deps.maxFileBytes() } as const;
        const { pages, engineMs } = await runTask(deps.engine, whole, signal);
        const filename = `${task.stem}.${to}`;
        return { outputs: [{ fileId, filename, format: to, pages: pages[0] ?? 0 }], engineMs };
      };
    },
  };
}

/** The format that a request's `to` names. @throws {AppError} `unsupported_format` */
export function parseTarget(to: string): TargetFormat {
  const name = to.toLowerCase();
  if (!isTargetFormat(name)) throw new AppError('unsupported_format', { to });
  return name;
}
