import type { ErrorObject } from 'ajv';
import { closestMatch } from 'leven';
import type { Mistake } from './errors.ts';

/** Limit of reported mistakes. */
const MAX_MISTAKES = 100;
/** Edit distance of a typo. */
const TYPO_LETTERS = 3;
/** Compared characters of a path. */
const COMPARED_LETTERS = 256;
/** Keywords whose errors follow from other errors. */
const ECHOES = new Set(['if', 'anyOf']);

/** Sentences for mistakes against a schema. */
interface Words {
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

/** For logs. */
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

/** For API callers. */
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
  pattern: ({ examples, pattern }) => `không đúng mẫu${examples ? `; ví dụ đúng: ${examples}` : ` ${pattern}`}`,
  other: (keyword, limit) => BOUNDS[keyword]?.(limit) ?? 'không hợp lệ',
};

type Node = Record<string, unknown>;

/**
 * Converts Ajv's errors (of `verbose`) to mistakes, each a JSON Pointer (RFC 6901) and a sentence, in the order of the
 * value. Of a choice (`anyOf`) only the branch that was probably meant is reported.
 * @param root the schema of the value
 */
export function describeMistakes(errors: readonly ErrorObject[], root: Node, words: Words): [Mistake, ...Mistake[]] {
  const mistakes = new Map<string, Mistake>();
  for (const error of withoutOtherBranches(errors, root)) {
    const mistake = describeMistake(error, root, words);
    // A second mistake at one place nearly always follows from the first.
    if (mistake && !mistakes.has(mistake.path)) mistakes.set(mistake.path, mistake);
    if (mistakes.size === MAX_MISTAKES) break;
  }
  const [first = { path: '', message: words.notValid }, ...rest] = [...mistakes.values()].sort(byPlace);
  return [first, ...rest];
}

/**
 * The branches of a choice differ in their JSON type. Where the value has the type of one, type errors of the others
 * are dropped; where it has none, they become one.
 */
function withoutOtherBranches(errors: readonly ErrorObject[], root: Node): ErrorObject[] {
  const types = new Map<string, Set<string>>();
  for (const { keyword, instancePath, schema } of errors) {
    if (keyword !== 'anyOf') continue;
    const known = types.get(instancePath) ?? new Set();
    for (const branch of schema as Node[]) for (const type of getTypes(branch, root)) known.add(type);
    types.set(instancePath, known);
  }
  return errors.flatMap((error) => {
    const wanted = types.get(error.instancePath);
    if (error.keyword !== 'type' || !wanted) return ECHOES.has(error.keyword) ? [] : [error];
    if (!isTooLarge(error.data) && wanted.has(getType(error.data))) return [];
    return [{ ...error, params: { type: [...wanted] } }];
  });
}

function getTypes({ type, $ref }: Node, root: Node): string[] {
  return typeof $ref === 'string' ? getTypes(resolve($ref, root), root) : ([type].flat() as string[]);
}

function resolve(reference: string, root: Node): Node {
  const names = reference.replace(/^#\//, '').split('/');
  return names.reduce<Node>((node, name) => (node[name] ?? {}) as Node, root);
}

function getType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** `1e400` is valid JSON. */
function isTooLarge(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

/** Converts an error of Ajv. */
function describeMistake(
  { keyword, instancePath, params, parentSchema, message, data }: ErrorObject,
  root: Node,
  words: Words,
): Mistake | undefined {
  const meant = (word: unknown, known: readonly unknown[]): string => {
    const match = closest(word, known);
    return match === undefined ? '' : words.didYouMean(match);
  };
  const below = (name: string): string => `${instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  switch (keyword) {
    case 'required':
      return { path: below(params['missingProperty']), message: words.required };
    case 'additionalProperties': {
      const name: string = params['additionalProperty'];
      const known = Object.keys((parentSchema?.['properties'] ?? {}) as Node);
      return { path: below(name), message: `${words.unknown}${meant(name, known)}` };
    }
    case 'enum': {
      const allowed: unknown[] = params['allowedValues'];
      return { path: instancePath, message: `${words.oneOf(allowed.join(', '))}${meant(data, allowed)}` };
    }
    case 'const':
      return { path: instancePath, message: words.exactly(JSON.stringify(params['allowedValue'])) };
    case 'discriminator': {
      const tag: string = params['tag'];
      if (!Object.hasOwn(data as Node, tag)) return undefined;
      const allowed = ((parentSchema?.['oneOf'] ?? []) as Node[]).map((branch) => getTag(branch, tag, root));
      return {
        path: below(tag),
        message: `${words.oneOf(allowed.join(', '))}${meant(params['tagValue'], allowed)}`,
      };
    }
    case 'type':
      if (isTooLarge(data)) return { path: instancePath, message: words.beyondNumbers };
      return { path: instancePath, message: words.types([params['type']].flat()) };
    case 'false schema':
      return { path: instancePath, message: words.notAllowed };
    case 'pattern':
      return { path: instancePath, message: words.pattern(parentSchema ?? {}) };
    default:
      return { path: instancePath, message: words.other(keyword, params['limit'], message ?? words.notValid) };
  }
}

function getTag(branch: Node, tag: string, root: Node): unknown {
  const schema = typeof branch['$ref'] === 'string' ? resolve(branch['$ref'], root) : branch;
  return ((schema['properties'] as Node | undefined)?.[tag] as Node | undefined)?.['const'];
}

/** Returns the known word that was probably meant. */
function closest(word: unknown, known: readonly unknown[]): string | undefined {
  if (typeof word !== 'string' || word.length > 64) return undefined;
  const words = known.filter((one) => typeof one === 'string');
  return closestMatch(word, words, { maxDistance: Math.min(TYPO_LETTERS, Math.floor(word.length / 2)) });
}

/**
 * Sorts paths, list items by their index. Long names are cut: comparing takes time that grows with the square of the
 * marks on a letter.
 */
function byPlace(a: Mistake, b: Mistake): number {
  const [left, right] = [a.path.slice(0, COMPARED_LETTERS), b.path.slice(0, COMPARED_LETTERS)];
  return left.localeCompare(right, 'en', { numeric: true });
}
