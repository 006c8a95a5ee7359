import { AppError } from '../../../src/common/errors.ts';
import { pairDetail, parseTarget } from '../convert/convert.ts';
import { runTask } from '../engine/run-task.ts';
import type { Engine } from '../engine/task.ts';
import { getFamily, type SourceFormat } from '../formats.ts';
import type { Work } from '../jobs/work.ts';
import { createSource, type SourceDependencies, type SourceRequest } from '../source/sources.ts';
import type { TemplateFiller } from './filler.ts';
import type { MissingMode } from './template.ts';

export interface RenderRequest extends Pick<SourceRequest, 'source'> {
  /** A JSON object, as V8 serializes it. */
  data: Uint8Array;
  to: string;
  missing: MissingMode;
}

interface Dependencies extends SourceDependencies {
  engine: Engine;
  templates: TemplateFiller;
}

/** Formats that are filled; the engine converts other templates first. */
const WORD: ReadonlySet<SourceFormat> = new Set(['docx', 'dotx']);
const TEMPLATES: ReadonlySet<SourceFormat> = new Set([...WORD, 'odt', 'ott']);

/** `POST /v1/template/render` as a kind of job. @throws {AppError} `unsupported_format` for a target that is no format */
export function renderWork(request: RenderRequest, deps: Dependencies): Work {
  const to = parseTarget(request.to);
  const source = createSource(request, deps);

  return {
    kind: 'render',
    async prepare(preparing, newPath) {
      const { task } = await source.open(preparing, newPath, ({ format, macros }) => {
        if (macros) throw new AppError('macro_not_allowed', { ...macros });
        if (!TEMPLATES.has(format)) throw new AppError('unsupported_format', { from: format, to });
        if (to !== 'pdf' && getFamily(to) !== 'text') throw new AppError('unsupported_format', pairDetail(format, to));
      });

      return async (signal, newFile) => {
        const { fileId, path } = await newFile();
        const maxOutputBytes = deps.maxFileBytes();
        let engineMs = 0;

        async function convert(input: string, from: SourceFormat, output: string, target: typeof to): Promise<number> {
          const outputs = [{ path: output, to: target, options: {} }] as const;
          const whole = { input, from, stem: task.stem, source: {}, outputs, maxOutputBytes };
          const result = await runTask(deps.engine, whole, signal);
          engineMs += result.engineMs;
          return result.pages[0] ?? 0;
        }

        let template = task.input;
        if (!WORD.has(task.from)) {
          template = newPath();
          await convert(task.input, task.from, template, 'docx');
        }
        const filled = to === 'docx' ? path : newPath();
        const { data, missing } = request;
        await deps.templates.fill({ template, data, output: filled, missing, maxOutputBytes }, signal);
        // A filled docx is not laid out, so its pages are unknown.
        const pages = to === 'docx' ? 0 : await convert(filled, 'docx', path, to);
        return { outputs: [{ fileId, filename: `${task.stem}.${to}`, format: to, pages }], engineMs };
      };
    },
  };
}
