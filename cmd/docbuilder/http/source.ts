import { badRequest } from '../../../src/common/errors.ts';
import type { SourceFile } from '../source/sources.ts';
import type { Arrived } from './work.ts';

/**
 * Where a request's document is: the part of a form, or the `url` of a JSON body.
 * @param part name of the part
 * @throws {AppError} `bad_request` unless there is exactly one of them, or where the part came as text
 */
export function sourceOf(
  { body, files }: Pick<Arrived<{ url?: string }>, 'body' | 'files'>,
  part: string,
): SourceFile | { url: string } {
  const file = files.get(part);
  if (Object.hasOwn(body, part))
    throw badRequest({ path: `/${part}`, message: 'chỉ được nhận dưới dạng tệp của biểu mẫu' });
  if (file && body.url === undefined) return file;
  if (!file && body.url !== undefined) return { url: body.url };
  throw badRequest(
    file
      ? { path: '/url', message: 'được gửi cùng với tệp: chỉ gửi một trong hai' }
      : { path: `/${part}`, message: 'bắt buộc phải có, dưới dạng tệp trong biểu mẫu; hoặc gửi url bằng JSON' },
  );
}
