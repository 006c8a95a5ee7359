import { badRequest } from '../../../src/common/errors.ts';

const OPTION = 'options.';

/** The fields of a form that are not text. */
export interface FormShape {
  booleans: readonly string[];
  integers: readonly string[];
  /** Fields that hold JSON. */
  json: readonly string[];
}

/**
 * A form's fields as the JSON body they stand for: `options` is JSON itself, and `options.pages=1-3` is one option.
 * A value that is no boolean or integer where one is due stays text, and the schema says so.
 */
export function formValue(fields: ReadonlyMap<string, string>, shape: FormShape): Record<string, unknown> {
  const value: Record<string, unknown> = Object.create(null);
  const options: Record<string, unknown> = Object.create(null);
  for (const [name, text] of fields) {
    if (name.startsWith(OPTION)) options[name.slice(OPTION.length)] = typed(name, text, shape);
    else value[name] = typed(name, text, shape);
  }
  if (Object.keys(options).length === 0) return value;
  if (value['options'] !== undefined) {
    throw badRequest({ path: '/options', message: 'được gửi cả bằng JSON lẫn bằng từng trường: chỉ dùng một cách' });
  }
  return { ...value, options };
}

function typed(name: string, text: string, { booleans, integers, json }: FormShape): unknown {
  if (json.includes(name)) return parsed(name, text);
  // Python writes `True`.
  if (booleans.includes(name) && /^(true|false|1|0)$/i.test(text)) return text === '1' || text.toLowerCase() === 'true';
  if (integers.includes(name) && /^\d{1,9}$/.test(text)) return Number(text);
  return text;
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest({ path: `/${name}`, message: 'không phải JSON hợp lệ' });
  }
}
