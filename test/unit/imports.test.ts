import { globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { type Import, readImports } from '../../scripts/support/imports.ts';

const root = resolve(import.meta.dirname, '../..');

/** Layers of a service and those they may import from the same service (docs/architecture.md, Imports). */
const LAYERS: Record<string, Record<string, readonly string[]>> = {
  gate: {
    main: ['app', 'config'],
    app: ['config', 'http', 'store', 'outbound', 'domain'],
    config: ['domain'],
    http: ['domain'],
    store: ['domain'],
    outbound: ['domain'],
    browser: [],
    domain: [],
  },
  docbuilder: {
    main: ['app', 'config'],
    app: [
      ...['config', 'http', 'convert', 'script', 'template', 'extract', 'jobs', 'engine', 'source', 'store'],
      'formats',
    ],
    config: [],
    http: ['convert', 'script', 'template', 'extract', 'jobs', 'source', 'formats'],
    template: ['convert', 'jobs', 'engine', 'source', 'formats'],
    convert: ['jobs', 'engine', 'source', 'formats'],
    script: ['jobs', 'engine', 'source', 'formats'],
    extract: ['convert', 'jobs', 'engine', 'source', 'formats'],
    engine: ['source', 'formats'],
    jobs: ['formats'],
    source: ['formats'],
    store: ['jobs'],
    formats: [],
  },
  controller: {
    main: ['app', 'config'],
    app: ['config', 'reconcile', 'k8s', 'desired'],
    config: ['desired'],
    reconcile: ['k8s', 'desired'],
    k8s: [],
    desired: ['k8s'],
  },
  license: { main: ['app'], app: [] },
  local: { main: ['app'], app: [] },
};
/** A layer whose files wire or reach outside may not be imported by the rules. */
const PURE = new Set([
  'express',
  'undici',
  'node:fs',
  'node:fs/promises',
  'node:child_process',
  '@kubernetes/client-node',
  '@aws-sdk/client-s3',
]);

describe('imports', () => {
  const product = ['cmd', 'src'].flatMap(sources);
  const imports = product.flatMap(readImports);
  const expectNone = (wrong: readonly Import[]) => expect(wrong.map(shown)).to.deep.equal([]);

  it('go one way inside a service, from main over app and http to stores and engines', () => {
    expectNone(imports.filter(wrongWay));
  });

  it('reach from no service into another, from src/common into none, and from what users run into no test', () => {
    expectNone(imports.filter(({ from, to }) => service(to) && service(from) && service(to) !== service(from)));
    expectNone(imports.filter(({ from, to }) => from.startsWith('src/') && to.startsWith('cmd/')));
    const others = ['scripts', 'examples'].flatMap(sources).flatMap(readImports);
    expectNone([...imports, ...others].filter(({ to }) => to.startsWith('test/')));
    const started = sources('cmd/local').filter((file) => readFileSync(file, 'utf8').includes('/test/'));
    expect(started).to.deep.equal([]);
  });

  it('keep the domain free of frameworks, files and processes, and jose behind one door', () => {
    const rules = imports.filter(({ from }) => ['domain', 'desired'].includes(layer(from) ?? ''));
    expectNone(rules.filter(({ to, typeOnly }) => PURE.has(to) && !typeOnly));
    expectNone(imports.filter(({ from, to }) => to === 'jose' && !/^(src\/common\/crypto|cmd\/license)\//.test(from)));
  });

  it('keep the client of the object store behind one door, which is opened only where there is a store', () => {
    const clients = ['cmd/gate/store/s3-blobs.ts', 'cmd/docbuilder/store/shared/results.ts'];
    const isInside = (path: string) =>
      (path.startsWith('src/common/s3/') && path !== 'src/common/s3/config.ts') ||
      [...clients, 'cmd/docbuilder/shared-storage.ts'].includes(path);
    const doors = imports.filter(({ from, to }) => to.startsWith('@aws-sdk/') && !isInside(from));
    const ways = imports.filter(({ from, to, typeOnly }) => isInside(to) && !isInside(from) && !typeOnly);
    const lazy: Record<string, string> = {
      'cmd/gate/app.ts': './store/s3-blobs.ts',
      'cmd/docbuilder/app.ts': './shared-storage.ts',
    };
    expectNone(doors);
    // The command that moves documents always needs it.
    expect(ways.map(({ from }) => from)).to.have.members([...Object.keys(lazy), 'cmd/gate/move.ts']);
    for (const [from, to] of Object.entries(lazy)) {
      expect(readFileSync(join(root, from), 'utf8')).to.include(`await import('${to}')`);
    }
  });

  it('run in no circle', () => {
    expect(circles(imports)).to.deep.equal([]);
  });

  it('are why anything is exported: what nobody else names is no export', () => {
    const files = [...product, ...['scripts', 'examples', 'bench', 'test'].flatMap(sources)];
    const texts = new Map(files.map((file) => [relative(root, file), readFileSync(file, 'utf8')]));
    const filesNaming = new Map<string, number>();
    for (const text of texts.values()) {
      for (const name of new Set(text.match(/\w+/g))) filesNaming.set(name, (filesNaming.get(name) ?? 0) + 1);
    }
    const unused = [...texts].flatMap(([file, text]) =>
      [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)]
        .filter(([, name = '']) => filesNaming.get(name) === 1)
        .map(([, name]) => `${file}: ${name}`),
    );
    // Mocha's own name for it.
    expect(unused.filter((one) => !one.endsWith(': mochaHooks'))).to.deep.equal([]);
  });
});

function wrongWay({ from, to }: Import): boolean {
  const [own, other] = [layer(from), layer(to)];
  if (!own || !other || own === other || service(from) !== service(to)) return false;
  return !LAYERS[service(from) ?? '']?.[own]?.includes(other);
}

/** Each way from a file back to itself, once. */
function circles(imports: readonly Import[]): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    const start = way.indexOf(file);
    if (start >= 0) found.push([...way.slice(start), file].join(' -> '));
    if (start >= 0 || done.has(file)) return;
    for (const { to } of targets.get(file) ?? []) visit(to, [...way, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return found;
}

/** `http` of `cmd/docbuilder/http/app.ts`; a file beside `app.ts` is a part of it unless it has a layer of its own. */
function layer(path: string): string | undefined {
  const [top, service = '', first] = path.split('/');
  if (top !== 'cmd' || first === undefined) return undefined;
  const name = first.replace(/\.ts$/, '');
  return name === first || (LAYERS[service] && name in LAYERS[service]) ? name : 'app';
}

function service(path: string): string | undefined {
  const [top, name] = path.split('/');
  return top === 'cmd' ? name : undefined;
}

function sources(folder: string): string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root }).map((name) => join(root, name));
}

function shown({ from, to }: Import): string {
  return `${from} imports ${to}`;
}
