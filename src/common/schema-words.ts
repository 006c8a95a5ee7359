/** Sentences for mistakes against a schema. */
export interface Words {
  notValid: string;
  required: string;
  unknown: string;
  notAllowed: string;
  beyondNumbers: string;
  oneOf(values: string): string;
  exactly(value: string): string;
  didYouMean(word: string): string;
  /** @param names of JSON types */
  types(names: readonly string[]): string;
  pattern(schema: Readonly<Record<string, unknown>>): string;
  /** Any other keyword, such as `maxLength`. @param message of Ajv, in English */
  other(keyword: string, limit: unknown, message: string): string;
}

type Names = Readonly<Record<string, string>>;

const ENGLISH_TYPES: Names = { array: 'a list', object: 'an object', null: 'null', integer: 'a whole number' };
const VIETNAMESE_TYPES: Names = {
  array: 'danh sách',
  object: 'đối tượng',
  null: 'null',
  integer: 'số nguyên',
  number: 'số',
  string: 'chuỗi',
  boolean: 'true hoặc false',
};

/** For operators, whose logs are in English. */
export const ENGLISH: Words = {
  notValid: 'is not valid',
  required: 'is required',
  unknown: 'is not known',
  notAllowed: 'is not allowed here',
  beyondNumbers: 'is larger than any number can be',
  oneOf: (values) => `must be one of ${values}`,
  exactly: (value) => `must be ${value}`,
  didYouMean: (word) => `: did you mean ${word}?`,
  types: (names) => `must be ${names.map((name) => ENGLISH_TYPES[name] ?? `a ${name}`).join(' or ')}`,
  pattern: ({ description, pattern }) => `is not as expected: ${description ?? pattern}`,
  other: (_keyword, _limit, message) => message.replace(/^must NOT/, 'must not'),
};

const BOUNDS: Readonly<Record<string, (limit: unknown) => string>> = {
  minLength: (limit) => `phải có ít nhất ${limit} ký tự`,
  maxLength: (limit) => `không được dài quá ${limit} ký tự`,
  minItems: (limit) => `phải có ít nhất ${limit} phần tử`,
  maxItems: (limit) => `không được có quá ${limit} phần tử`,
  minProperties: (limit) => `phải có ít nhất ${limit} thành viên`,
  maxProperties: (limit) => `không được có quá ${limit} thành viên`,
  minimum: (limit) => `phải >= ${limit}`,
  maximum: (limit) => `phải <= ${limit}`,
  exclusiveMinimum: (limit) => `phải > ${limit}`,
  exclusiveMaximum: (limit) => `phải < ${limit}`,
};

/** For callers, like the sentences of the error catalogue. */
export const VIETNAMESE: Words = {
  notValid: 'không hợp lệ',
  required: 'bắt buộc phải có',
  unknown: 'không phải là tên được hỗ trợ',
  notAllowed: 'không được có ở đây',
  beyondNumbers: 'là số quá lớn',
  oneOf: (values) => `phải là một trong các giá trị ${values}`,
  exactly: (value) => `phải là ${value}`,
  didYouMean: (word) => `; có phải là ${word}?`,
  types: (names) => `phải là ${names.map((name) => VIETNAMESE_TYPES[name] ?? name).join(' hoặc ')}`,
  pattern: ({ pattern }) => `không đúng mẫu ${pattern}`,
  other: (keyword, limit) => BOUNDS[keyword]?.(limit) ?? 'không hợp lệ',
};
