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
import { type FormShape, formValue } from './form-value.ts';

/** A request's body as it arrived: a JSON text, or the fields of a form and the content of its JSON file. */
export type Incoming = { json: Uint8Array } | { fields: ReadonlyMap<string, string>; data?: Uint8Array };

/** The bodies of work requests, parsed and checked. Members that may be large are bytes. */
export interface Bodies {
  convert: ConvertRequest;
  text: TextRequest;
  meta: MetaRequest;
  thumbnail: ThumbnailRequest;
  render: Omit<RenderRequest, 'data'> & { data: Uint8Array };
  build: Omit<BuildRequest, 'script'> & { script: ScriptFacts };
}
export type BodyKind = keyof Bodies;

/** Reads bodies where it keeps nobody waiting. @throws {AppError} as `readBody`; the signal's reason */
export type BodyReader = <Kind extends BodyKind>(
  kind: Kind,
  incoming: Incoming,
  signal: AbortSignal,
) => Promise<Bodies[Kind]>;

interface Rules<Body> {
  /** Types of the form's fields. */
  form: FormShape;
  /** @throws {AppError} */
  read: (value: unknown, plan: EffectivePlan) => Body;
}

/** The member of a render request that may be large, and in a form a file. */
export const DATA = 'data';

const NO_FORM: FormShape = { booleans: [], integers: [], json: [] };
const EXTRACT_FORM: FormShape = { booleans: ['async'], integers: ['page', 'width', 'height'], json: [] };
const CONVERT_FORM: FormShape = {
  booleans: ['async', 'options.pdfa'],
  integers: ['options.image_resolution'],
  json: ['options'],
};
const RENDER_FORM: FormShape = { booleans: ['async'], integers: [], json: ['options', DATA] };

const build = matching<BuildRequest>('build-request.json');
const render = matching<RenderRequest>('render-request.json');

const RULES: { [Kind in BodyKind]: Rules<Bodies[Kind]> } = {
  convert: { form: CONVERT_FORM, read: matching('convert-request.json') },
  text: { form: EXTRACT_FORM, read: matching('text-request.json') },
  meta: { form: EXTRACT_FORM, read: matching('meta-request.json') },
  thumbnail: { form: EXTRACT_FORM, read: matching('thumbnail-request.json') },
  render: {
    form: RENDER_FORM,
    read: (value) => {
      const body = render(value);
      return { ...body, data: serialize(body.data) };
    },
  },
  build: {
    form: NO_FORM,
    read: (value, plan) => {
      const body = build(inEnvelope(value));
      return { ...body, script: scriptFacts(body.script, plan) };
    },
  },
};

/** Parses and checks a body: work that grows with its size, in one go. @throws {AppError} whatever is wrong with it */
export function readBody<Kind extends BodyKind>(kind: Kind, incoming: Incoming, plan: EffectivePlan): Bodies[Kind] {
  const { form, read } = RULES[kind];
  return read('json' in incoming ? parseJson(incoming.json, '') : formBody(incoming, form), plan);
}

/** The script in the text of a `build` body that was read before. */
export function scriptIn(json: Uint8Array): Script {
  return build(inEnvelope(parseJson(json, ''))).script as Script;
}

/** Estimates the bytes of a body. */
export function getSize(incoming: Incoming): number {
  if ('json' in incoming) return incoming.json.length;
  const { fields, data } = incoming;
  return [...fields.values()].reduce((sum, text) => sum + text.length, data?.length ?? 0);
}

function formBody({ fields, data }: Exclude<Incoming, { json: Uint8Array }>, form: FormShape): unknown {
  const value = formValue(fields, form);
  if (!data) return value;
  if (Object.hasOwn(value, DATA)) throw badRequest({ path: `/${DATA}`, message: 'được gửi hai lần' });
  return { ...value, [DATA]: parseJson(data, `/${DATA}`) };
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

/**
 * A script may also be the whole body: an example can then be posted as it is. Without `script`, any member of a script
 * makes the body one, so that the mistakes of an incomplete script are named.
 */
function inEnvelope(value: unknown): unknown {
  if (!isObject(value) || Object.hasOwn(value, 'script')) return value;
  return MEMBERS.some((name) => Object.hasOwn(value, name)) ? { script: value } : value;
}
