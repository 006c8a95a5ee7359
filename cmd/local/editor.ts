import type { Environment } from '../../src/common/config.ts';
import { NotPossible } from './not-possible.ts';

/** The editor that is asked for. */
export type EditorChoice =
  /** Nobody has asked for it where `isDefault`. */
  | { kind: 'stand-in'; isDefault: boolean }
  /** A container; `url` is where this machine is to reach it, if that is given. */
  | { kind: 'docker'; url: string | undefined }
  /** One that runs already. */
  | { kind: 'url'; url: string };

/**
 * The editor that `make run` is to use: `EDITOR` of its command line, which the Makefile passes on as `SVC_LOCAL_EDITOR`.
 * An address alone asks for the editor there.
 * @throws {NotPossible}
 */
export function chooseEditor(environment: Environment): EditorChoice {
  const url = editorUrl(environment['SVC_ONLINE_URL']);
  const asked = environment['SVC_LOCAL_EDITOR'];
  switch (asked || (url === undefined ? '' : 'url')) {
    case '':
    case 'stand-in':
      return { kind: 'stand-in', isDefault: !asked };
    case 'docker':
      return { kind: 'docker', url };
    case 'url':
      if (url !== undefined) return { kind: 'url', url };
      throw new NotPossible('EDITOR=url needs an address: make run EDITOR=url EDITOR_URL=http://localhost:9980');
    default:
      throw new NotPossible(`EDITOR=${asked} must be docker, url or stand-in, such as make run EDITOR=docker`);
  }
}

function editorUrl(given: string | undefined): string | undefined {
  if (!given) return undefined;
  const url = URL.parse(given);
  if (url?.protocol === 'http:' && url.pathname === '/') return url.origin;
  throw new NotPossible(
    `EDITOR_URL (SVC_ONLINE_URL) must be an address such as http://localhost:9980: plain HTTP, without a path, not ${given}`,
  );
}
