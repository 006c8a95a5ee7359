import { randomBytes } from 'node:crypto';
import { type Docbuilder, type Overrides, startDocbuilder } from '../../cmd/docbuilder/app.ts';
import { loadConfig } from '../../cmd/docbuilder/config.ts';
import type { Environment } from '../../src/common/config.ts';
import type { Logger } from '../../src/common/log.ts';

/** A DocBuilder in this process. */
export interface LocalDocbuilder {
  url: string;
  docbuilder: Docbuilder;
  key: string;
  /** Sends a request with the API key. */
  call(path: string, init?: RequestInit): Promise<Response>;
}

/** Starts DocBuilder on a free port of the loopback address, with an API key of its own and without an audit trail. */
export async function startLocalDocbuilder(
  environment: Environment,
  logger: Logger,
  overrides: Overrides = {},
): Promise<LocalDocbuilder> {
  const key = `svc_${randomBytes(16).toString('hex')}`;
  const config = loadConfig({
    SVC_DOCBUILDER_LISTEN: '127.0.0.1:0',
    SVC_DOCBUILDER_API_KEYS: `test:${key}`,
    SVC_AUDIT_TARGET: 'off',
    ...environment,
  });
  const docbuilder = await startDocbuilder(config, logger, overrides);
  const url = `http://127.0.0.1:${docbuilder.address.port}`;
  const call: LocalDocbuilder['call'] = (path, init = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { Authorization: `Bearer ${key}`, ...init.headers } });
  return { url, docbuilder, key, call };
}
