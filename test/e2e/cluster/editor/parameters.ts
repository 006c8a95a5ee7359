import type { EditorOptions } from '../../../../examples/editor/options.ts';

/** Environment and arguments of the editor's image, as the stand-in understands them. */
export function editorOptions(
  environment: Readonly<Record<string, string | undefined>>,
  parameters: readonly string[],
): EditorOptions {
  const { username, password, server_name: serverName, extra_params: extra = '' } = environment;
  // The image's start script splits at blanks, without quoting; its own arguments come last.
  const settings = new Map([...extra.split(/\s+/), ...parameters].flatMap(setting));
  const allowed = Object.entries(environment)
    .filter(([name]) => /^aliasgroup\d+$/.test(name))
    .flatMap(([, value = '']) => value.split(','))
    .map((address) => new URL(address.replaceAll('\\', '')).host);
  const policy = settings.get('net.content_security_policy') ?? '';
  const failures = settings.get('per_document.limit_store_failures');
  return {
    host: '0.0.0.0',
    port: 9980,
    admin: username && password ? { user: username, password } : null,
    ...(serverName ? { serverName } : {}),
    ...(allowed.length > 0 ? { wopiAllow: allowed } : {}),
    ...(failures === undefined ? {} : { limitStoreFailures: Number(failures) }),
    sslTermination: settings.get('ssl.termination') === 'true',
    frameAncestors: /frame-ancestors ([^;]*)/.exec(policy)?.[1]?.split(/\s+/).filter(Boolean) ?? [],
  };
}

function setting(parameter: string): [string, string][] {
  const [, name, value] = /^--o:([^=]+)=(.*)$/.exec(parameter) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}
