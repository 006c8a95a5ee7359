import { editorError } from './errors.ts';

const EVENTS: readonly (keyof SVC.Events)[] = [
  'onReady',
  'onDocumentLoaded',
  'onModified',
  'onSaved',
  'onClose',
  'onLimitReached',
  'onError',
];

/**
 * Checks what only the browser can: the server checks the rest.
 * @throws {SVC.EditorError} `invalid_config`
 */
export function checkConfig(config: unknown): asserts config is SVC.Config {
  if (!isObject(config)) throw invalidConfig('the configuration must be an object');
  if (config.token === undefined && (!isObject(config.document) || !isObject(config.editor))) {
    throw invalidConfig('the configuration needs document and editor, or a token that has them');
  }
  if (config.events === undefined) return;
  if (!isObject(config.events)) throw invalidConfig('events must be an object');
  for (const [name, handler] of Object.entries(config.events)) {
    if (!EVENTS.includes(name as keyof SVC.Events)) {
      throw invalidConfig(`there is no event ${name}; there are ${EVENTS.join(', ')}`);
    }
    if (handler !== undefined && typeof handler !== 'function')
      throw invalidConfig(`events.${name} must be a function`);
  }
}

/**
 * Returns the service's origin.
 * @param scriptUrl where this script came from; undefined when it is not known, as for a module
 * @throws {SVC.EditorError} `invalid_config`
 */
export function getServerOrigin(configured: string | undefined, scriptUrl: string | undefined): string {
  const text = configured ?? scriptUrl;
  if (text === undefined) throw invalidConfig('serverUrl is needed, since api.js was not loaded by a script element');
  try {
    const { protocol, origin } = new URL(text);
    if (protocol === 'https:' || protocol === 'http:') return origin;
  } catch {}
  throw invalidConfig('serverUrl must be an address with http or https');
}

/** Calls the page's handlers; what they throw is theirs, and is shown as an error of the page. */
export type Emit = <Name extends keyof SVC.Events>(name: Name, event: EventOf<Name>) => void;

type EventOf<Name extends keyof SVC.Events> = Parameters<NonNullable<SVC.Events[Name]>>[0];

export function createEmit(events: SVC.Events = {}): Emit {
  return (name, event) => {
    try {
      (events[name] as ((event: unknown) => void) | undefined)?.call(events, event);
    } catch (error) {
      setTimeout(() => {
        throw error;
      });
    }
  };
}

/** Returns the body of session creation: the configuration without the browser's own members. */
export function toSessionRequest({ document, editor, ui, token }: SVC.Config): object {
  return { document, editor, ui, token };
}

/**
 * Returns the title and the language of the frame. A signed configuration has them in its token, which only the server
 * verifies.
 */
export function getLabels({ document, editor, token }: SVC.Config): { title: string | undefined; lang: string } {
  const signed = token === undefined ? undefined : decodePayload(token);
  const config = isObject(signed) ? signed : { document, editor };
  return { title: getText(config.document, 'title'), lang: getText(config.editor, 'lang') ?? 'vi' };
}

/** Decodes the payload of a JWT (RFC 7519, 7.2) without verifying it; undefined if it is not one. */
function decodePayload(token: string): unknown {
  try {
    const base64 = token.split('.')[1]?.replace(/-/g, '+').replace(/_/g, '/') ?? '';
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))));
  } catch {
    return undefined;
  }
}

function getText(from: unknown, name: string): string | undefined {
  const value = isObject(from) ? from[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function invalidConfig(message: string): SVC.EditorError {
  return editorError('invalid_config', `SVC.Editor: ${message}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Elements that have an editor. */
const occupied = new WeakSet<HTMLElement>();

/**
 * Finds the element that is to hold the editor, and takes it.
 * @throws {SVC.EditorError} `invalid_config`
 */
export function takeContainer(target: string | HTMLElement): HTMLElement {
  const found = typeof target === 'string' ? document.getElementById(target) : target;
  if (!(found instanceof HTMLElement)) {
    throw invalidConfig(
      typeof target === 'string'
        ? `there is no element with the id "${target}" yet: call SVC.Editor after it has been made`
        : 'the first argument must be an element or its id',
    );
  }
  if (occupied.has(found)) throw invalidConfig('this element has an editor already: destroy() it first');
  occupied.add(found);
  return found;
}

export function freeContainer(container: HTMLElement): void {
  occupied.delete(container);
}
