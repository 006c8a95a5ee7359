import { type Clock, iso } from '../../../src/common/clock.ts';
import { createHs256Verifier, type JWTPayload } from '../../../src/common/crypto/jwt.ts';
import { AppError, type Mistake } from '../../../src/common/errors.ts';
import type { EmbedConfig, EmbedUi, EmbedUser } from '../../../src/common/generated/wire.ts';
import { isObject } from '../../../src/common/is-object.ts';
import { validator } from '../../../src/common/schema.ts';
import { FILE_TYPES, type FileType, FORMATS, type Mode } from './model.ts';
import { knownUi } from './ui.ts';

export interface Embedding {
  document: {
    url: string;
    /** Null: none was given. */
    title: string | null;
    fileType: FileType;
    key: string;
  };
  mode: Mode;
  /** The session is for reading, whatever mode is asked for, now or later. */
  readOnly: boolean;
  lang: string;
  /** Null: a guest. */
  user: EmbedUser | null;
  callbackUrl: string | null;
  ui: EmbedUi;
}

export interface ConfigCheckOptions {
  /** The current secret, then one that is rotated out. None: configurations can't be signed. */
  jwtSecrets: readonly string[];
  /** Without a secret: whether unsigned configurations are accepted. */
  allowUnsigned: boolean;
  clock: Clock;
}

/** Checks the body of `POST /svc/embed/session`. */
export type ConfigCheck = (body: unknown) => Promise<Embedding>;

/** The size of a token with two of the longest addresses. */
const MAX_TOKEN_BYTES = 32 * 1024;
/** The problems of a token that a wrong clock causes. */
const CLOCK_PROBLEMS: ReadonlySet<string> = new Set(['exp_too_far', 'not_yet_valid']);
const DEFAULT_LANG = 'vi';
const MEMBERS = ['document', 'editor', 'ui'] as const;

/**
 * Checks embed configurations (contract: Embed configuration; Authentication, Embedding gate). A token is the whole
 * configuration: nothing beside it in the body counts. @throws {TypeError} when a secret is too short
 */
export function createConfigCheck({ jwtSecrets, allowUnsigned, clock }: ConfigCheckOptions): ConfigCheck {
  const validate = validator<EmbedConfig>('embed-config.json');
  const verify =
    jwtSecrets.length === 0 ? undefined : createHs256Verifier({ secrets: jwtSecrets, maxTokenBytes: MAX_TOKEN_BYTES });

  async function verifyToken(token: string): Promise<JWTPayload> {
    const now = clock();
    // A portal that signs expects the signature to be checked.
    if (!verify) throw new AppError('invalid_token', { reason: 'no_secret_configured' });
    const result = await verify(token, now);
    if (result.status === 'ok') return result.payload;
    if (result.status === 'expired') throw new AppError('token_expired', { server_time: iso(now) });
    const { problem, reason } = result;
    const detail = CLOCK_PROBLEMS.has(problem) ? { reason: problem, server_time: iso(now) } : { reason: problem };
    throw new AppError('invalid_token', detail, { cause: reason });
  }

  return async (body) => {
    if (!verify && !allowUnsigned) throw new AppError('embed_auth_not_configured');
    if (!isObject(body)) throw invalidConfig({ path: '', message: 'phải là đối tượng' });
    const token = Object.hasOwn(body, 'token') ? (body['token'] ?? '') : '';
    if (typeof token !== 'string') throw invalidConfig({ path: '/token', message: 'phải là chuỗi' });
    if (token === '' && verify) throw new AppError('token_required');
    return parseEmbedding(validate, token === '' ? body : await verifyToken(token));
  };
}

/** @throws {AppError} `invalid_config`, `unsupported_file_type` */
function parseEmbedding(
  validate: ReturnType<typeof validator<EmbedConfig>>,
  source: Record<string, unknown>,
): Embedding {
  const config = Object.fromEntries(
    MEMBERS.filter((member) => Object.hasOwn(source, member)).map((member) => [member, source[member]]),
  );
  const checked = validate(config);
  if (!checked.ok) throw invalidConfig(...checked.mistakes);
  const { document, editor, ui = {} } = config as Required<Pick<EmbedConfig, 'document' | 'editor'>> & EmbedConfig;
  const { fileType } = document;
  // Extensions are compared as they are written: `DOCX` is none of the twelve.
  if (!isFileType(fileType)) throw new AppError('unsupported_file_type', { fileType, accepted: FILE_TYPES });
  return {
    document: { url: document.url, title: document.title ?? null, fileType, key: document.key },
    mode: editor.mode ?? 'edit',
    readOnly: editor.readOnly ?? false,
    lang: editor.lang ?? DEFAULT_LANG,
    user: editor.user ? { id: editor.user.id, name: editor.user.name } : null,
    callbackUrl: editor.callbackUrl ?? null,
    ui: knownUi(ui),
  };
}

export function invalidConfig(...errors: [Mistake, ...Mistake[]]): AppError {
  return new AppError('invalid_config', { errors });
}

function isFileType(text: string): text is FileType {
  return Object.hasOwn(FORMATS, text);
}
