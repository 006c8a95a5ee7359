import {
  ConfigError,
  type Environment,
  httpUrlMistakes,
  type ListenAddress,
  parseList,
  parseListen,
  readConfig,
} from '../../src/common/config.ts';
import { secretMistakes } from '../../src/common/crypto/jwt.ts';
import type { GateConfig } from '../../src/common/generated/wire.ts';
import { readOutbound } from '../../src/common/net/outbound-settings.ts';
import { readS3 } from '../../src/common/s3/config.ts';
import { isWopiUrl } from './domain/wopi-src.ts';

export type Config = ReturnType<typeof loadConfig>;

/** Reads the environment. @throws {ConfigError} with every mistake, each naming its variable */
export function loadConfig(environment: Environment) {
  const { values: env, mistakes, blame } = readConfig<GateConfig>('gate-config.json', environment);

  const listen = parseListen(env.SVC_GATE_LISTEN);
  const internal = parseListen(env.SVC_GATE_INTERNAL_LISTEN);
  const origins = parseList(env.SVC_EMBED_ALLOWED_ORIGINS);
  const [current, previous] = [env.SVC_EMBED_JWT_SECRET, env.SVC_EMBED_JWT_SECRET_PREVIOUS];
  blame('SVC_GATE_WOPI_URL', wopiUrlMistakes(env.SVC_GATE_WOPI_URL));
  blame('SVC_BASE_URL', httpUrlMistakes(env.SVC_BASE_URL));
  blame('SVC_ONLINE_URL', httpUrlMistakes(env.SVC_ONLINE_URL));
  blame('SVC_AUDIT_TARGET', httpUrlMistakes(env.SVC_AUDIT_TARGET));
  const s3 = readS3(env, blame);
  const outbound = readOutbound(env, blame);
  blame('SVC_GATE_LISTEN', listen.mistakes);
  blame('SVC_GATE_INTERNAL_LISTEN', internal.mistakes);
  blame('SVC_EMBED_ALLOWED_ORIGINS', origins.flatMap(originMistakes));
  blame('SVC_EMBED_JWT_SECRET', secretMistakes(current));
  blame('SVC_EMBED_JWT_SECRET_PREVIOUS', secretMistakes(previous));
  if (previous && !current) {
    blame('SVC_EMBED_JWT_SECRET_PREVIOUS', ['is set without SVC_EMBED_JWT_SECRET']);
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);

  return Object.freeze({
    /** The public side, which everybody reaches through the front. */
    listen: listen.address,
    /** The internal side, which only front and editor reach. */
    internalListen: internal.address,
    baseUrl: env.SVC_BASE_URL,
    dataDir: env.SVC_GATE_DATA_DIR,
    /** The object store that keeps documents' bytes; undefined: they are in the data folder. */
    s3,
    /** Empty: the rows are in the data folder, too. */
    databaseUrl: env.SVC_DATABASE_URL,
    /** The address at which the editor finds the WOPI host. */
    wopiUrl: env.SVC_GATE_WOPI_URL.replace(/\/+$/, ''),
    editor: {
      url: env.SVC_ONLINE_URL.replace(/\/+$/, ''),
      adminUser: env.SVC_ONLINE_ADMIN_USER,
      adminPassword: env.SVC_ONLINE_ADMIN_PASSWORD,
    },
    /** Only ever lowers the plan. */
    connectionCap: env.SVC_GATE_CONNECTION_CAP,
    embed: readEmbed(env, origins),
    licenseFile: env.SVC_LICENSE_FILE,
    licenseKeysFile: env.SVC_LICENSE_KEYS_FILE,
    ...outbound,
    logLevel: env.SVC_LOG_LEVEL,
    auditTarget: env.SVC_AUDIT_TARGET,
    devMode: env.SVC_DEV_MODE,
  });
}

function readEmbed(env: GateConfig, allowedOrigins: readonly string[]) {
  return {
    enabled: env.SVC_EMBED_ENABLED,
    /** The current secret, then the one before. Empty: there is none. */
    jwtSecrets: [env.SVC_EMBED_JWT_SECRET, env.SVC_EMBED_JWT_SECRET_PREVIOUS].filter((secret) => secret !== ''),
    allowUnsigned: env.SVC_EMBED_ALLOW_UNSIGNED,
    /** Serialized origins, or `*`. */
    allowedOrigins,
    /** The editor may open documents of other WOPI hosts. */
    foreignHosts: env.SVC_EMBED_FOREIGN_HOSTS === 'on',
    maxFileMb: env.SVC_EMBED_MAX_FILE_MB,
    sessionTtlMinutes: env.SVC_EMBED_SESSION_TTL_MINUTES,
    retainHours: env.SVC_EMBED_RETAIN_HOURS,
    /** Empty: callbacks are unsigned. */
    callbackSecret: env.SVC_EMBED_CALLBACK_SECRET,
    /** Empty: the data folder has one. */
    linkSecret: env.SVC_EMBED_LINK_SECRET,
  };
}

/** An origin as browsers send it (RFC 6454 section 6.2): scheme, host and port, nothing else. */
function originMistakes(origin: string): string[] {
  if (origin === '*') return [];
  const parsed = URL.parse(origin);
  // A star inside looks like a pattern, and matches nothing.
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.origin === origin && !origin.includes('*')) return [];
  return [`has ${origin}, which is no origin such as https://portal.example.com`];
}

function wopiUrlMistakes(text: string): string[] {
  const mistakes = httpUrlMistakes(text);
  if (mistakes.length > 0 || !URL.canParse(text) || isWopiUrl(text)) return mistakes;
  return ['has a host that documents cannot be told by: letters, digits and hyphens, no dot at its end'];
}

/** Returns the URL at which this machine reaches what listens there. */
export function selfUrl({ host, port }: ListenAddress): string {
  const loopback = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${loopback.includes(':') ? `[${loopback}]` : loopback}:${port}`;
}
