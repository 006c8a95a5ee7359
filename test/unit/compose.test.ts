import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { loadConfig as loadDocbuilder } from '../../cmd/docbuilder/config.ts';
import { loadConfig as loadGate } from '../../cmd/gate/config.ts';
import { type Compose, type ComposeService, readCompose as compose } from '../../cmd/local/compose.ts';
import { frontVariables } from '../../src/common/front.ts';
import { LONGEST_JOB_SECONDS } from '../../src/common/plan.ts';
import { schemas } from '../../src/common/schema.ts';
import { useFolder } from '../support/folder.ts';

const root = resolve(import.meta.dirname, '../..');

describe('compose.yaml', () => {
  const folder = useFolder();
  const plain = compose({});
  const {
    editor,
    gate,
    docbuilder,
    'quarantine-keeper': keeper,
  } = plain.services as Record<string, ComposeService> & {
    [name in 'editor' | 'gate' | 'docbuilder' | 'quarantine-keeper']: ComposeService;
  };

  it('gives gate and DocBuilder variables that their schemas know, and files only for secrets', () => {
    for (const service of ['gate', 'docbuilder']) {
      const known = schemas.get(`${service}-config.json`)?.properties as Record<string, { 'x-secret'?: boolean }>;
      for (const name of Object.keys(getEnvironment(plain, service))) {
        const variable = name.replace(/_FILE$/, '');
        expect(name in known || known[variable]?.['x-secret'], `${service}: ${name}`).to.equal(true);
      }
    }
  });

  it('gives them values that they start with, for this machine and for a host with TLS', () => {
    const tls = { SVC_TLS: 'true', SVC_HOST: 'office.example', SVC_PORTAL_ORIGINS: 'https://portal.example' };
    for (const settings of [{}, { ...tls, SVC_DEV_MODE: '0' }]) {
      const found = compose(settings);
      const gate = loadGate(withoutFiles(getEnvironment(found, 'gate')));
      expect(gate.embed.allowedOrigins[0]).to.equal(gate.baseUrl);
      expect(gate.embed.allowUnsigned).to.equal(false);
      loadDocbuilder(withoutFiles(getEnvironment(found, 'docbuilder')));
    }
    const gate = loadGate(withoutFiles(getEnvironment(compose(tls), 'gate')));
    expect(gate.embed.allowedOrigins).to.deep.equal(['https://office.example', 'https://portal.example']);
  });

  it('and the image together give the front every variable of its template', () => {
    const image = readFileSync(join(root, 'Dockerfile'), 'utf8').split('AS front\n')[1] ?? '';
    const template = readFileSync(join(root, 'ingress/front/nginx.conf.template'), 'utf8');
    const wanted = new Set([...template.matchAll(/\$\{(SVC_FRONT_[A-Z_]+)\}/g)].map(([, name]) => name));
    const given = new Set([...image.matchAll(/\b(SVC_FRONT_[A-Z_]+)=/g)].map(([, name]) => name));
    expect([...wanted].filter((name) => !given.has(name))).to.deep.equal([]);
    expect(frontVariables({} as never)).to.include.keys(Object.keys(getEnvironment(plain, 'front')));
  });

  it('publishes nothing but the front, and by itself only to this machine; none of ours writes or has capabilities', () => {
    const published = Object.entries(plain.services).flatMap(([name, { ports }]) => (ports ? [[name, ports]] : []));
    expect(published).to.deep.equal([['front', ['127.0.0.1:8080:8080']]]);
    for (const name of ['front', 'gate', 'docbuilder']) {
      expect(plain.services[name]).to.deep.include({ read_only: true, cap_drop: ['ALL'] });
    }
  });

  it('bounds what clients can have the front write: its /tmp is memory of the machine', () => {
    expect(plain.services['front']).to.deep.include({ tmpfs: ['/tmp:size=64m'] });
  });

  it('lets only front and editor reach the gate, and the editor nothing outside', () => {
    const gates = getNetworks(gate);
    const neighbours = Object.entries(plain.services).filter(
      ([name, service]) => name !== 'gate' && getNetworks(service).some((network) => gates.includes(network)),
    );
    const withStore = ['editor', 'front', 'gate-2', 'postgres', 'quarantine-keeper', 's3'];
    expect(neighbours.map(([name]) => name).sort()).to.deep.equal(withStore);
    const started = neighbours.filter(([, { profiles }]) => profiles === undefined);
    expect(started.map(([name]) => name).sort()).to.deep.equal(['editor', 'front', 'quarantine-keeper']);
    for (const name of ['gate-store', 'docbuilder-store']) expect(plain.networks[name]?.internal).to.equal(true);
    const editors = getNetworks(editor);
    expect(editors.filter((name) => !plain.networks[name]?.internal)).to.deep.equal([]);
    // A service without networks would be in one with all others like it.
    const loose = Object.values(plain.services).filter((service) => !service.networks && !service.network_mode);
    expect(loose).to.deep.equal([]);
  });

  describe('with the profile shared', () => {
    const shared = compose({ COMPOSE_PROFILES: 'shared' });
    const SERVICES = ['gate', 'docbuilder'] as const;

    it('adds a second gate and a second DocBuilder of the same kind, with a folder of their own, under the same name', () => {
      for (const name of SERVICES) {
        const { networks: first, volumes: ofFirst = [], ...one } = shared.services[name] ?? { image: '' };
        const { networks, volumes = [], profiles, ...other } = shared.services[`${name}-2`] ?? { image: '' };
        expect(profiles).to.deep.equal(['shared']);
        expect(other).to.deep.equal(one);
        expect(volumes).to.have.members([`${name}-2:/var/lib/svc/${name}`, ...ofFirst.slice(1)]);
        expect(Object.keys(networks ?? {})).to.have.members(first as string[]);
        const aliases = Object.values(networks as Record<string, { aliases: string[] } | null>);
        expect(aliases.flatMap((network) => network?.aliases ?? [])).to.deep.equal([name]);
      }
    });

    it('has both told of the database and the bucket, and neither without it', () => {
      for (const [found, expected] of [
        [shared, ['/run/secrets/database-url', 'svc', 'http://s3:7070', 'svc', '/run/secrets/s3-secret-key']],
        [plain, ['', '', '', '', '']],
      ] as const) {
        for (const name of SERVICES) {
          const environment = getEnvironment(found, name);
          const given = Object.keys(environment).filter((variable) => /^SVC_(DATABASE|S3)_/.test(variable));
          expect(given.map((variable) => environment[variable])).to.deep.equal(expected);
          expect(found.services[name]?.secrets).to.include.members(['database-url', 's3-secret-key']);
        }
      }
      const gate = loadGate({ ...withoutFiles(getEnvironment(shared, 'gate')), SVC_S3_SECRET_ACCESS_KEY: 'x' });
      expect(gate.s3).to.deep.include({ bucket: 'svc', endpoint: 'http://s3:7070' });
    });

    it('has servers of named releases, which start before those that need them, and only then', () => {
      for (const name of ['postgres', 's3']) {
        const { image, profiles, cap_drop } = shared.services[name] ?? { image: '' };
        expect(image).to.match(/^docker\.io\/.+:v?\d+(\.\d+)+$/);
        expect([profiles, cap_drop]).to.deep.equal([['shared'], ['ALL']]);
        for (const service of [...SERVICES, 'gate-2', 'docbuilder-2']) {
          const expected = { condition: 'service_healthy', required: false };
          expect(shared.services[service]?.depends_on?.[name]).to.deep.equal(expected);
        }
      }
    });
  });

  it('gives gate and DocBuilder the same folder for a licence, of which they write nothing', () => {
    for (const [name, load] of [['gate', loadGate] as const, ['docbuilder', loadDocbuilder] as const]) {
      const { licenseFile, licenseKeysFile } = load(withoutFiles(getEnvironment(plain, name)));
      expect([licenseFile, licenseKeysFile]).to.deep.equal([
        '/run/license/license.jwt',
        '/run/license/license-keys.json',
      ]);
      expect(plain.services[name]?.volumes).to.include('./.data/compose/license:/run/license:ro');
    }
  });

  it('waits for jobs that run, as long as one may take', () => {
    expect(Number.parseInt(docbuilder.stop_grace_period ?? '', 10)).to.be.at.least(LONGEST_JOB_SECONDS + 30);
  });

  it('has an editor that knows its address and its one WOPI host, of a named release', () => {
    expect(editor.image).to.match(/^docker\.io\/collabora\/code:\d+(\.\d+){3,}$/);
    const { SVC_GATE_WOPI_URL: aliasgroup1, SVC_ONLINE_ADMIN_USER: username } = getEnvironment(plain, 'gate');
    expect(getEnvironment(plain, 'editor')).to.include({ server_name: 'localhost:8080', aliasgroup1, username });
  });

  it('has an editor whose addresses in discovery are those of the host, or as told by the names of the contract', () => {
    const getAddress = (settings: Record<string, string>) => {
      const { server_name: host, extra_params: words = '' } = getEnvironment(compose(settings), 'editor');
      return [host, /--o:ssl\.termination=(\S*)/.exec(words)?.[1]];
    };
    expect(getAddress({})).to.deep.equal(['localhost:8080', 'false']);
    expect(getAddress({ SVC_HOST: 'office.example', SVC_TLS: 'true' })).to.deep.equal(['office.example', 'true']);
    const given = { SVC_ONLINE_SERVER_NAME: 'editor.example', SVC_ONLINE_SSL_TERMINATION: 'true' };
    expect(getAddress({ ...given, SVC_HOST: 'office.example' })).to.deep.equal(['editor.example', 'true']);
  });

  it('has an editor that loses no save, converts for nobody, fetches nothing for documents and is framed by portals only', () => {
    const words = (getEnvironment(plain, 'editor')['extra_params'] ?? '').split(' ');
    expect(words.filter((word) => !word.startsWith('--o:'))).to.deep.equal([]);
    const options = new Map(words.map((word) => splitOnce(word.slice('--o:'.length))));
    expect(Object.fromEntries(options)).to.include({
      'ssl.enable': 'false',
      'ssl.termination': 'false',
      'per_document.limit_store_failures': '0',
      'quarantine_files[@enable]': 'true',
      'quarantine_files.path': '/quarantine',
      'quarantine_files.limit_dir_size_mb': '2000',
      'net.proxy_prefix': 'false',
      hexify_embedded_urls: 'false',
      'net.post_allow.host[0]': String.raw`127\.0\.0\.1`,
    });
    const others = [...options].filter(([name]) => /^net\.(post_allow\.host\[(?!0\])|lok_allow\.host)/.test(name));
    expect(others.map(([, value]) => value)).to.deep.equal(new Array(15 + 16).fill(''));
    expect(editor.volumes).to.deep.equal(['quarantine:/quarantine']);
    const frames = '--o:net.content_security_policy=frame-ancestors localhost:* 127.0.0.1:*';
    expect(editor.command).to.deep.equal([frames]);
  });

  it('has beside the editor what keeps its quarantine, of the same image and with the same volume and password', () => {
    const { image, volumes, env_file } = editor;
    expect(keeper).to.deep.include({ image, volumes, env_file, networks: getNetworks(gate).slice(0, 1) });
    expect(getEnvironment(plain, 'quarantine-keeper')).to.deep.equal({
      ...{ QUARANTINE_DIR: '/quarantine', username: 'admin' },
      GATE_URL: getEnvironment(plain, 'gate')['SVC_GATE_WOPI_URL'],
    });
  });

  it('reads secrets that scripts/compose-secrets.sh makes, once, and that services take', async () => {
    await mkdir(folder.at('scripts'));
    const script = folder.at('scripts/compose-secrets.sh');
    copyFileSync(join(root, 'scripts/compose-secrets.sh'), script);
    const make = () => promisify(execFile)('sh', [script]);
    const readMode = async (path: string) => (await stat(path)).mode & 0o777;
    await make();
    const secrets = folder.at('.data/compose');
    const first = await contents(secrets);
    await make();
    expect(await contents(secrets)).to.deep.equal(first);
    expect(await readMode(secrets)).to.equal(0o700);
    expect(await readMode(join(secrets, 'embed-jwt-secret'))).to.equal(0o644);

    for (const { file } of Object.values(plain.secrets)) await stat(folder.at(file));
    const volumes = Object.values(plain.services).flatMap((service) => service.volumes ?? []);
    for (const volume of volumes.filter((one) => one[0] === '.'))
      expect(await readMode(folder.at(splitOnce(volume, ':')[0])), volume).to.equal(0o755);
    const environment = (name: string) =>
      mapValues(getEnvironment(plain, name), (value) => value.replace('/run/secrets', secrets));
    const config = loadGate(environment('gate'));
    expect(first['editor.env']).to.equal(`password=${config.editor.adminPassword}\n`);
    expect(config.editor.adminPassword).to.match(/^[0-9a-f]{48}$/);
    expect(config.embed.jwtSecrets).to.have.length(1);
    // A new one, as docs/compose.md says: the former counts on.
    await rename(join(secrets, 'embed-jwt-secret'), join(secrets, 'embed-jwt-secret-previous'));
    await make();
    const { embed } = loadGate(environment('gate'));
    expect(embed.jwtSecrets).to.have.length(2).and.include(config.embed.jwtSecrets[0]);
    expect(loadDocbuilder(environment('docbuilder')).apiKeys).to.have.length(1);
  });
});

function getNetworks({ networks = [] }: ComposeService): string[] {
  return Array.isArray(networks) ? networks : Object.keys(networks);
}

function getEnvironment({ services }: Compose, service: string): Record<string, string> {
  return mapValues(services[service]?.environment ?? {}, String);
}

/** Without the secrets that come from files. */
function withoutFiles(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => !value.startsWith('/run/secrets/')));
}

function mapValues<T>(values: Record<string, T>, change: (value: T) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function splitOnce(text: string, separator = '='): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function contents(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  return Object.fromEntries(
    await Promise.all(files.map(async ({ name }) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}
