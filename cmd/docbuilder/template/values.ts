import type { PartTag } from './prepare.ts';
import type { ValueSource } from './tag-module.ts';
import type { MissingMode, TemplateMistake } from './template.ts';
import { findField, hasLostDigits, type Json, textOf } from './template-data.ts';

export interface Filling {
  data: Json;
  missing: MissingMode;
  nextPictureId(): number;
  admit(bytes: number): void;
}

/**
 * Looks up what the tags of one part stand for, and takes down what is wrong with the data: each field once, with its
 * lists.
 */
export function valuesFor(
  tags: readonly PartTag[],
  where: Pick<TemplateMistake, 'part' | 'place'>,
  filling: Filling,
): ValueSource & { mistakes: TemplateMistake[] } {
  const mistakes = new Map<string, TemplateMistake>();

  function complain(tag: PartTag, lists: readonly number[], message: string): void {
    const field = [...lists.map((number) => tags[number]?.name ?? ''), tag.name].join('.');
    const { paragraph, source } = tag;
    if (!mistakes.has(field)) mistakes.set(field, { ...where, paragraph, tag: source, field, message });
  }

  function find(number: number, scopes: readonly Json[], lists: readonly number[]): [PartTag, Json] {
    const tag = tags[number];
    if (!tag) throw new Error('no such tag');
    const value = findField(scopes, tag.name);
    if (value === undefined && filling.missing === 'error') complain(tag, lists, 'dữ liệu không có trường này');
    return [tag, value ?? null];
  }

  return {
    data: filling.data,
    nextPictureId: filling.nextPictureId,
    admit: filling.admit,
    text(number, scopes, lists) {
      const [tag, value] = find(number, scopes, lists);
      if (hasLostDigits(value))
        complain(tag, lists, 'số có nhiều chữ số hơn mức JSON giữ được: hãy gửi dưới dạng chuỗi');
      const text = textOf(value);
      if (text === undefined) complain(tag, lists, 'dữ liệu có danh sách hoặc đối tượng ở chỗ cần văn bản');
      return text ?? '';
    },
    list(number, scopes, lists) {
      const [tag, value] = find(number, scopes, lists);
      if (Array.isArray(value)) return value;
      if (value !== null) complain(tag, lists, 'chỉ lặp được danh sách; không hỗ trợ điều kiện');
      return [];
    },
    get mistakes() {
      return [...mistakes.values()];
    },
  };
}
