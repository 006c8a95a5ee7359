/** The fields that variables of the services are made from. */
const FIELDS: Readonly<Record<string, string>> = {
  SVC_DATABASE_URL: 'the address in the Secret of spec.storage.postgres',
  SVC_S3_BUCKET: 'spec.storage.s3.bucket',
  SVC_S3_ENDPOINT: 'spec.storage.s3.endpoint',
  SVC_S3_REGION: 'spec.storage.s3.region',
  SVC_S3_PREFIX: 'spec.storage.s3.prefix',
  SVC_S3_ACCESS_KEY_ID: 'the access key in the Secret of spec.storage.s3',
  SVC_S3_SECRET_ACCESS_KEY: 'the secret key in the Secret of spec.storage.s3',
};

/** The words of a service that did not start (src/common/service.ts): one sentence, and whether it is about its database or its bucket. */
export interface Refusal {
  message: string;
  isOfStorage: boolean;
}

/**
 * Reads the refusal from the end of a log, as Kubernetes keeps it of a container (`FallbackToLogsOnError`): up to 2 KiB, whose
 * first line may be half a line.
 */
export function parseRefusal(log: string): Refusal | undefined {
  const lines = log.trimEnd().split('\n').toReversed();
  for (const line of lines) {
    const refusal = parseMistakes(line) ?? parseDatabaseError(line);
    if (refusal) return refusal;
  }
  return undefined;
}

/** The mistakes of a configuration, by the names of its variables. */
function parseMistakes(line: string): Refusal | undefined {
  const { mistakes } = parseJson(line);
  if (!Array.isArray(mistakes)) return undefined;
  const told = mistakes.flatMap(({ path, message }) =>
    typeof path === 'string' && typeof message === 'string' ? [{ path, message }] : [],
  );
  if (told.length === 0) return undefined;
  const message = told.map(({ path, message }) => `${FIELDS[path] ?? path} ${message}`).join('; ');
  return { message: `${message}.`, isOfStorage: told.some(({ path }) => path in FIELDS) };
}

/** The words for the operator of an error of the database; its stack may have been cut off. */
function parseDatabaseError(line: string): Refusal | undefined {
  const [, text = ''] = /"message":"(the database cannot be used: (?:[^"\\]|\\.)*)"/.exec(line) ?? [];
  return text === '' ? undefined : { message: `${parseJson(`{"text":"${text}"}`)['text']}.`, isOfStorage: true };
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
