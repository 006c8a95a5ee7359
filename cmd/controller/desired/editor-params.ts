import type { SvcInstanceSpec } from '../../../src/common/generated/wire.ts';
import { isTls, publicHost } from './urls.ts';

/** The folder into which the editor puts a copy of every save before it uploads it. */
export const QUARANTINE_PATH = '/quarantine';

/** As many places as the image's list of `net.post_allow` has; one that is left out would keep a private network. */
const POST_ALLOW_PLACES = 16;

/** One setting: `--o:`, a path into the editor's configuration, and a value on one line. */
const SETTING = /^--o:[A-Za-z_][\w.[\]@=-]*=[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

/**
 * Arguments of the editor's container, in the order in which they count: of two for the same setting the later one does,
 * so `spec.editor.extraParams` come last. Arguments and not the variable `extra_params`, because the image splits that at
 * blanks without any quoting: here one item is one setting, whatever is in it.
 * @throws {TypeError} for an item of `extraParams` that is anything else than a setting; the API server refuses it first
 */
export function editorArguments(spec: SvcInstanceSpec): string[] {
  const own = Object.entries(settings(spec)).map(([name, value]) => `--o:${name}=${value}`);
  return [...own, ...spec.editor.extraParams.map(checked)].map(unexpanded);
}

function settings(spec: SvcInstanceSpec): Record<string, string | number | boolean> {
  return {
    // TLS ends before the front; addresses in the editor's pages are https nevertheless.
    'ssl.enable': false,
    'ssl.termination': isTls(spec),
    'net.content_security_policy': `frame-ancestors ${frameAncestors(spec).join(' ')}`,
    ...postAllow(),
    // A client could otherwise say where the editor is, by a header.
    'net.proxy_prefix': false,
    // Front and gate read addresses as they are.
    hexify_embedded_urls: false,
    // With a limit it gives up after so many refused uploads, and loses the last changes of those who have left.
    'per_document.limit_store_failures': 0,
    'quarantine_files[@enable]': true,
    'quarantine_files.path': QUARANTINE_PATH,
    // For what is not stored within a minute; the editor drops the oldest above it.
    'quarantine_files.limit_dir_size_mb': 2000,
    num_prespawn_children: 4,
    // Percent of the container's limit.
    memproportion: 80,
    // From `information` on its log has tokens.
    'logging.level': 'warning',
    'logging.anonymize.anonymize_user_data': true,
    'welcome.enable': false,
    allow_update_popup: false,
  };
}

/**
 * The addresses that may post files for conversion: the pod itself and nobody else. The value is a regular expression.
 */
function postAllow(): Record<string, string> {
  const places = Array.from({ length: POST_ALLOW_PLACES }, (_, place) => [
    `net.post_allow.host[${place}]`,
    place === 0 ? String.raw`127\.0\.0\.1` : '',
  ]);
  return Object.fromEntries(places);
}

/**
 * Sources of CSP's `frame-ancestors`: the service's own pages and those of `spec.embed.allowedOrigins`.
 *
 * Hosts are bare, since the editor also takes each entry as the end of `^(http|https)://…$`, and drops messages of a page
 * that none of these fits. A browser reads a bare host as one of the editor's own scheme, so a page over http around an editor
 * over https needs its whole origin as well.
 */
function frameAncestors(spec: SvcInstanceSpec): string[] {
  const { allowedOrigins } = spec.embed;
  // As a source `*:*` says the same; as an expression only it fits.
  if (allowedOrigins.includes('*')) return ['*', '*:*'];
  const sources = allowedOrigins.flatMap((origin) => {
    const host = origin.slice(origin.indexOf('://') + '://'.length);
    return isTls(spec) && origin.startsWith('http://') ? [host, origin] : [host];
  });
  return [...new Set([publicHost(spec), ...sources])];
}

function checked(parameter: string): string {
  if (!SETTING.test(parameter)) {
    throw new TypeError(`editor.extraParams must be settings of the form --o:section.name=value: ${parameter}`);
  }
  return parameter;
}

/** The kubelet would put a variable's value, such as the password, in the place of `$(NAME)`. */
export function unexpanded(argument: string): string {
  return argument.replaceAll('$', '$$$$');
}
