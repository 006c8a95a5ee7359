/**
 * The stand-in editor as a process of its own, configured by environment variables:
 *
 * EDITOR_LISTEN            address:port; 127.0.0.1:9980
 * EDITOR_ADMIN_USER, EDITOR_ADMIN_PASSWORD   of the admin console; there is none without them
 * EDITOR_SERVER_NAME       public host and port for discovery and Origin
 * EDITOR_SSL_TERMINATION   `true` when TLS ends at a proxy
 * EDITOR_WOPI_ALLOW        hosts that documents may come from, by commas; any
 * EDITOR_FRAME_ANCESTORS   hosts whose pages may embed it, by spaces
 */
import { startEditor } from './editor.ts';

const {
  EDITOR_LISTEN: listen = '127.0.0.1:9980',
  EDITOR_ADMIN_USER: user,
  EDITOR_ADMIN_PASSWORD: password,
  EDITOR_SERVER_NAME: serverName,
  EDITOR_SSL_TERMINATION: sslTermination,
  EDITOR_WOPI_ALLOW: wopiAllow,
  EDITOR_FRAME_ANCESTORS: frameAncestors,
} = process.env;
const [, host = '127.0.0.1', port = '9980'] = /^(.*):(\d+)$/.exec(listen) ?? [];

const editor = await startEditor({
  host: host.replace(/^\[|\]$/g, ''),
  port: Number(port),
  admin: user && password ? { user, password } : null,
  ...(serverName ? { serverName } : {}),
  sslTermination: sslTermination === 'true',
  ...(wopiAllow ? { wopiAllow: wopiAllow.split(',') } : {}),
  frameAncestors: frameAncestors?.split(/\s+/).filter(Boolean) ?? [],
});
process.stdout.write(`stand-in editor on ${editor.url}\n`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void editor.stop().then(() => process.exit(0));
  });
}
