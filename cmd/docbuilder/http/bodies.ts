import { serialize } from 'node:v8';
import { badRequest } from '../../../src/common/errors.ts';
import type { Script } from '../../../src/common/generated/script.ts';
import type {
  BuildRequest,
  ConvertRequest,
  MetaRequest,
  RenderRequest,
  TextRequest,
  ThumbnailRequest,
} from '../../../src/common/generated/wire.ts';
import { parseJson } from '../../../src/common/http/json.ts';
import { isObject } from '../../../src/common/is-object.ts';
import { schemas, validator } from '../../../src/common/schema.ts';
import type { EffectivePlan } from '../jobs/limits.ts';
import { type ScriptFacts, scriptFacts } from '../script/check/check.ts';

/** A request's unparsed body: JSON, or the fields of a form and the content of its JSON file. */
export type Incoming = { json: Uint8Array } | { fields: ReadonlyMap<string, string>; data?: Uint8Array };

/** The parsed and checked bodies of work requests. Members that may be large are bytes. */
export interface Bodies {
  convert: ConvertRequest;
  text: TextRequest;
  meta: MetaRequest;
  thumbnail: ThumbnailRequest;
  render: Omit<RenderRequest, 'data'> & { data: Uint8Array };
  build: Omit<BuildRequest, 'script'> & { script: ScriptFacts };
}
export type BodyKind = keyof Bodies;

/** Reads a large body in another thread. @throws {AppError} as `readBody`; the signal's reason */
export type BodyReader = <Kind extends BodyKind>(
  kind: Kind,
  incoming: Incoming,
  signal: AbortSignal,
) => Promise<Bodies[Kind]>;

/** The member of a render request that may be large; in a form it may be a file. */
export const DATA = 'data';
/** Fields of forms that are not text, of any endpoint. */
const BOOLEANS = ['async', 'options.pdfa'];
const INTEGERS = ['page', 'width', 'height', 'options.image_resolution'];
const JSONS = ['options', DATA];
const OPTION = 'options.';

const build = matching<BuildRequest>('build-request.json');
const render = matching<RenderRequest>('render-request.json');

const READERS: { [Kind in BodyKind]: (value: unknown, plan: EffectivePlan) => Bodies[Kind] } = {
  convert: matching('convert-request.json'),
  text: matching('text-request.json'),
  meta: matching('meta-request.json'),
  thumbnail: matching('thumbnail-request.json'),
  render: (value) => {
    const body = render(value);
    return { ...body, data: serialize(body.data) };
  },
  build: (value, plan) => {
    const body = build(inEnvelope(value));
    return { ...body, script: scriptFacts(body.script, plan) };
  },
};

/** Parses and checks a body; blocks for a time that grows with its size. @throws {AppError} the body's mistakes */
export function readBody<Kind extends BodyKind>(kind: Kind, incoming: Incoming, plan: EffectivePlan): Bodies[Kind] {
  return READERS[kind]('json' in incoming ? parseJson(incoming.json, '') : formBody(incoming), plan);
}

/** Returns the script of a `build` body that was checked before. */
export function scriptIn(json: Uint8Array): Script {
  return build(inEnvelope(parseJson(json, ''))).script as Script;
}

/** Estimates the bytes of a body. */
export function getSize(incoming: Incoming): number {
  if ('json' in incoming) return incoming.json.length;
  const { fields, data } = incoming;
  return [...fields.values()].reduce((sum, text) => sum + text.length, data?.length ?? 0);
}

function formBody({ fields, data }: Exclude<Incoming, { json: Uint8Array }>): unknown {
  const value = formValue(fields);
  if (!data) return value;
  if (Object.hasOwn(value, DATA)) throw badRequest({ path: `/${DATA}`, message: 'được gửi hai lần' });
  return { ...value, [DATA]: parseJson(data, `/${DATA}`) };
}

/**
 * Converts a form's fields to a JSON body: `options` is JSON itself, and `options.pages=1-3` is one option. A value that
 * is no boolean or integer where one is due stays text; the schema refuses it.
 */
export function formValue(fields: ReadonlyMap<string, string>): Record<string, unknown> {
  const value: Record<string, unknown> = Object.create(null);
  const options: Record<string, unknown> = Object.create(null);
  for (const [name, text] of fields) {
    if (name.startsWith(OPTION)) options[name.slice(OPTION.length)] = fieldValue(name, text);
    else value[name] = fieldValue(name, text);
  }
  if (Object.keys(options).length === 0) return value;
  if (value['options'] !== undefined) {
    throw badRequest({ path: '/options', message: 'được gửi cả bằng JSON lẫn bằng từng trường: chỉ dùng một cách' });
  }
  return { ...value, options };
}

function fieldValue(name: string, text: string): unknown {
  // Python writes `True`.
  if (BOOLEANS.includes(name) && /^(true|false|1|0)$/i.test(text)) return text === '1' || text.toLowerCase() === 'true';
  if (INTEGERS.includes(name) && /^\d{1,9}$/.test(text)) return Number(text);
  return JSONS.includes(name) ? parseJson(Buffer.from(text), `/${name}`) : text;
}

function matching<Body>(schema: string): (value: unknown) => Body {
  const check = validator<Body>(schema);
  return (value) => {
    const checked = check(value);
    if (!checked.ok) throw badRequest(...checked.mistakes);
    return checked.value;
  };
}

const MEMBERS = Object.keys(schemas.get('script.json')?.properties ?? {});

/** A script may also be the whole body. Any member of a script makes it one, so that mistakes are those of a script. */
function inEnvelope(value: unknown): unknown {
  if (!isObject(value) || Object.hasOwn(value, 'script')) return value;
  return MEMBERS.some((name) => Object.hasOwn(value, name)) ? { script: value } : value;
}
