import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { ERRORS } from '../../src/common/error-catalogue.ts';
import { frontVariables } from '../../src/common/front.ts';
import { type Schema, schemas } from '../../src/common/schema.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const find = (...patterns: string[]) => globSync(patterns, { cwd: root }).sort();

const PAGES = find('*.md', 'docs/**/*.md', 'examples/**/*.md', 'charts/*/README.md');
const text = new Map(PAGES.map((path) => [path, read(path)]));
const CODE = find(
  'Makefile',
  'compose.yaml',
  'scripts/**/*.{sh,ts}',
  'bench/**/*.ts',
  'test/**/*.ts',
  'cmd/local/*.ts',
);
const FOLDERS = '(?:bench|charts|cmd|crds|docs|examples|ingress|schemas|scripts|src|test)';
const RECEIVERS = find('examples/receivers/*/receiver.{mjs,py}');

/** A command of curl to the service, with the lines that it goes on in. */
const CURL = /^ *(curl (?:[^\n]*(?:\\|'\{[^'\n]*)\n)*[^\n]*(?:localhost:8080|office\.example)\/[^\n]*)/gm;

/** All first groups of a pattern in some text. */
const all = (source: string, pattern: RegExp) => new Set([...source.matchAll(pattern)].map(([, found = '']) => found));
const page = (path: string) => text.get(path) ?? '';
function expectAllIn(there: ReadonlySet<string>, wanted: Iterable<string>, what?: string): void {
  expect(
    [...new Set(wanted)].filter((name) => !there.has(name)),
    what,
  ).to.deep.equal([]);
}

/** Finds the variables that a program reads, by its language. */
function variablesRead(path: string): Set<string> {
  const pattern = /\.[tj]s$/.test(path)
    ? /\b(?:process\.env|environment)(?:\.|\[')([A-Z][A-Z_]+)/g
    : /receiver/.test(path)
      ? /setting\(['"]([A-Z_]+)/g
      : /\$\{(SVC_[A-Z_]+)/g;
  return all(read(path), pattern);
}

/** The variables of a configuration schema; secrets may come from files. */
function configured(name: string): string[] {
  const properties = schemas.get(name)?.properties ?? {};
  return Object.entries(properties).flatMap(([variable, { 'x-secret': isSecret }]) =>
    isSecret ? [variable, `${variable}_FILE`] : [variable],
  );
}

const services = ['docbuilder', 'gate', 'controller'].flatMap((service) => configured(`${service}-config.json`));

describe('the documentation', () => {
  describe('variables', () => {
    it('of services and front are all in docs/configuration.md', () => {
      const documented = all(page('docs/configuration.md'), /^\| `([A-Z0-9_]+)`/gm);
      const wanted = services.filter((name) => !name.endsWith('_FILE'));
      expectAllIn(documented, [...wanted, ...Object.keys(frontVariables({} as never))]);
    });

    it('of a certain form say which, since what is said of them is what a wrong one is told', () => {
      for (const name of ['docbuilder', 'gate', 'controller']) {
        for (const [variable, property] of Object.entries(schemas.get(`${name}-config.json`)?.properties ?? {})) {
          const form = String(property['pattern'] ?? '');
          if (form === '^/') expect(property.description, variable).to.match(/^Absolute path /);
          if (/^\^https\?:|\[0-9\]\{1,5\}\$$/.test(form))
            expect(property.description, variable).to.contain(', such as ');
        }
      }
    });

    it('of compose.yaml, make run and the receivers are all told, with the defaults that they have', () => {
      const compose = page('docs/compose.md');
      expectAllIn(all(compose, /`([A-Z_]+)`/g), variablesRead('compose.yaml'));
      const local = find('cmd/local/*.ts').flatMap((path) => [...variablesRead(path)]);
      expectAllIn(all(compose, /\b([A-Z_]+)\b/g), local);
      const receivers = all(page('examples/receivers/README.md'), /^\| `([A-Z0-9_]+)`/gm);
      for (const path of RECEIVERS) expectAllIn(receivers, variablesRead(path), path);
      for (const [, name, value] of read('compose.yaml').matchAll(/\$\{([A-Z_]+):?-([^${}]+)\}/g)) {
        const row = new RegExp(`^\\| .*\`${name}\`.*\\|`, 'm').exec(compose)?.[0] ?? '';
        if (!name?.endsWith('_IMAGE') && name !== 'SVC_TLS') expect(row, name).to.contain(`| \`${value}\` |`);
      }
    });
  });

  it('tells every reason of a condition in docs/kubernetes-troubleshooting.md', () => {
    const code = find('cmd/controller/reconcile/*.ts').map(read).join('\n');
    const reasons = [
      /reason: '([A-Z]\w+)'/g,
      /reason = .*\? '([A-Z]\w+)'/g,
      /reason = .*: '([A-Z]\w+)'/g,
      /'((?:Key|Token)[A-Z]\w+)'/g,
      /\bno\('([A-Z]\w+)'/g,
    ];
    const wanted = reasons.flatMap((pattern) => [...all(code, pattern)]);
    expect(wanted).to.include.members(['NameTaken', 'KeyNotFound', 'KeyUnknown', 'AvailableWithRemarks']);
    expectAllIn(all(page('docs/kubernetes-troubleshooting.md'), /`([A-Z]\w+)`/g), wanted);
  });

  describe('error codes', () => {
    const tables = ['docs/api.md', 'docs/embedding.md'].map(page).join('\n');
    const rows = [...tables.matchAll(/^\| (\d{3}) \| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, status, codes = '']) =>
      [...all(codes, /`(\w+)`/g)].map((code): [string, number] => [code, Number(status)]),
    );
    const browser = new Set(
      find('cmd/gate/browser/*.ts').flatMap((path) => [...all(read(path), /editorError\('(\w+)'/g)]),
    );

    it('are all told by docs/api.md or docs/embedding.md, with their status', () => {
      expectAllIn(new Set(rows.map(([code]) => code)), Object.keys(ERRORS));
      for (const [code, status] of rows) expect(ERRORS[code as keyof typeof ERRORS]?.[0], code).to.equal(status);
    });

    it('of the browser library are told by docs/embedding.md', () => {
      expectAllIn(all(page('docs/embedding.md'), /`(\w+)`/g), browser);
    });

    it('in a table of codes are codes that there are', () => {
      const known = new Set([...Object.keys(ERRORS), ...browser]);
      for (const [path, content] of text) {
        for (const [table] of content.matchAll(/^\|(?: \w+ \|)? code \|.*\n(?:\|.*\n)+/gm)) {
          const documented = [...table.matchAll(/^\|(?: \d{3} \|)? ((?:`\w+`(?: \(\d{3}\))?(?:, )?)+) /gm)];
          const codes = documented.flatMap(([, cell = '']) => [...all(cell, /`(\w+)`/g)]);
          expect(codes, path).not.to.be.empty;
          expectAllIn(known, codes, path);
        }
      }
    });

    it('have every reason that the services give, where docs/api.md lists them', () => {
      const source = find('{cmd/docbuilder,src}/**/*.ts').map(read).join('\n');
      for (const [, code, reason = ''] of source.matchAll(/AppError\('(\w+)', \{ reason: '(\w+)'/g)) {
        const row = new RegExp(`^\\| \\d{3} \\| .*\`${code}\`.*`, 'm').exec(page('docs/api.md'))?.[0] ?? '';
        expect(row, code).to.contain(`\`${reason}\``);
      }
    });
  });

  describe('paths', () => {
    it('that programs of the shell name are there', () => {
      for (const path of find('Makefile', 'Dockerfile', 'scripts/**/{*.sh,Dockerfile}')) {
        const named = all(read(path), new RegExp(`(?<![\\w./$-])(${FOLDERS}/[\\w./-]*\\w)(?![\\w*/])`, 'g'));
        for (const file of named) expect(existsSync(join(root, file)), `${path}: ${file}`).to.equal(true);
      }
    });

    it('of code in docs/architecture.md lead to a file or a folder of one of the services', () => {
      const [, ...parts] = page('docs/architecture.md').split('```');
      const diagrams = parts.filter((_, index) => index % 2 === 0).join('\n');
      const layers =
        '(?:http|jobs|convert|source|store|engine|script|template|extract|domain|outbound|desired|reconcile|k8s)';
      const named = [
        ...all(diagrams, new RegExp(`(?<![\\w/])(${layers}/[\\w-]+)`, 'g')),
        ...all(page('docs/architecture.md'), new RegExp(`\`(${layers}/[\\w./-]*\\w)\``, 'g')),
      ];
      expect(named).to.have.length.above(50);
      const services = ['docbuilder', 'gate', 'controller'].map((service) => join(root, 'cmd', service));
      const isThere = (path: string) => services.some((folder) => existsSync(join(folder, path)));
      expect(named.filter((path) => !isThere(path) && !isThere(`${path}.ts`))).to.deep.equal([]);
    });

    it('to every page begin at docs/README.md', () => {
      const index = page('docs/README.md');
      for (const path of find('docs/*.md').filter((name) => name !== 'docs/README.md')) {
        expect(index).to.contain(`](${path.replace('docs/', '')})`);
      }
    });
  });

  it('has every member of a script in the section of its shape', () => {
    const sections = page('docs/script-reference.md').split('\n## ');
    const { definitions } = schemas.get('script.json') as unknown as { definitions: Record<string, Schema> };
    for (const { title, properties, anyOf = [] } of Object.values(definitions)) {
      const told = sections.find((section) => section.startsWith(`${title}\n`)) ?? '';
      const wanted = [properties, ...(anyOf as Schema[]).map((one) => one.properties)];
      expectAllIn(
        all(told, /`(\w+)`/g),
        wanted.flatMap((members) => Object.keys(members ?? {})),
        title,
      );
    }
  });

  it('has the numbers of both plans', () => {
    const { community, enterprise } = JSON.parse(read('schemas/plan.json')).docbuilder;
    for (const [name, value] of Object.entries(community).filter(([, limit]) => typeof limit === 'number')) {
      const [, ...cells] = new RegExp(`^\\| \`${name}\` \\| (.*) \\| (.*) \\|$`, 'm').exec(page('docs/api.md')) ?? [];
      const documented = cells.map((cell) => Number(cell.replace(',', '')));
      expect(documented[0], name).to.equal(value);
      if (typeof enterprise[name] === 'number') expect(documented[1], name).to.equal(enterprise[name]);
    }
  });

  const operations: { method: string; path: string }[] = JSON.parse(read('schemas/openapi/operations.json')).docbuilder;
  const gate = [
    ...all(read('cmd/gate/http/public.ts'), /^ {4}'(\/svc\/[\w.]+)'/gm),
    ...[...all(read('cmd/gate/http/demo.ts'), /^ {4}(?:\.route\()?'(\/[\w.]+)'/gm)].map((path) => `/svc/demo${path}`),
  ].map((path) => `GET ${path}`);
  const fields = all(page('docs/svcinstance.md'), /^(?:\| |### )`?(?:spec\.)?([\w.]+)/gm);
  const pod = ['pod', ...all(page('docs/svcinstance.md'), /^\| `(pod\.[\w.]+)/gm)];
  const known = {
    variables: new Set([
      ...[...services, ...Object.keys(frontVariables({} as never))],
      ...[...CODE, ...RECEIVERS].flatMap((path) => [...variablesRead(path)]),
    ]),
    paths: new Set([...operations.map(({ path }) => path), '/v1']),
    served: new Set([...operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`), ...gate]),
    values: all(page('charts/svc/README.md'), /^\| `([\w.]+)`/gm),
    fields: new Set([
      ...fields,
      ...['gate', 'docbuilder', 'editor', 'front'].flatMap((component) => pod.map((field) => `${component}.${field}`)),
      // Those of a PersistentVolume and its claim.
      ...['claimRef', 'volumeName'],
    ]),
    targets: all(read('Makefile'), /^([a-z0-9]+):/gm),
    scripts: new Set(Object.keys(JSON.parse(read('package.json')).scripts)),
  };
  for (const [path, content] of text) {
    it(`${path}: what it names is there, its links lead somewhere, its JSON is JSON`, () => {
      // The changelog also names what was there once.
      if (path !== 'CHANGELOG.md')
        expectAllIn(known.variables, all(content, /\b(SVC_[A-Z][A-Z0-9]*(?:_[A-Z]+)*)\b(?!_)/g));
      expectAllIn(known.paths, all(content, /(?:localhost:8080|\b(?:GET|POST) )(\/v1(?:\/[\w.{}]*[\w}])*)/g));
      expectAllIn(known.served, [...all(content, CURL)].map(operation));
      expectAllIn(known.values, all(content, /--set(?:-file)? '?([\w.]+)=/g));
      expectAllIn(known.fields, all(content, /`spec\.([a-z][\w.]*\w)/g));
      expectAllIn(known.targets, all(content, /(?:`|^)(?:[A-Z_]+=\S+ )*make ([a-z0-9]+)/gm));
      expectAllIn(known.scripts, all(content, /npm run (?:-s )?([a-z][a-z:-]*[a-z])/g));
      for (const file of all(content, new RegExp(`\`(${FOLDERS}/[\\w./-]*\\w)/?\``, 'g')))
        expect(existsSync(join(root, file)), file).to.equal(true);
      for (const json of all(content, /^ *```json\n(.*?)^ *```/gms))
        expect(() => JSON.parse(json), json).not.to.throw();
      // A value that ends at a semicolon of its own.
      expect(content).not.to.match(/-F [\w.]+='?(?![@<])[^'\s]*;/);
      const prose = content.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '');
      for (const target of all(prose, /\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [file = '', anchor] = target.split('#');
        const found = file === '' ? path : join(dirname(path), file);
        expect(existsSync(join(root, found)), target).to.equal(true);
        if (anchor !== undefined) expect([...anchors(read(found))], target).to.include(anchor);
      }
    });
  }

  it('has commands of curl to look at', () => {
    expect([...text.values()].flatMap((content) => [...all(content, CURL)])).to.have.length.above(20);
  });
});

/** Returns the operation that a curl command calls, such as `POST /v1/convert`. */
function operation(command: string): string {
  const [, path = ''] = /(?:https?:\/\/)?(?:localhost:8080|office\.example)(\/[\w./{}]*)/.exec(command) ?? [];
  const method = / (?:-F|-d|--form-string|--json) /.test(command) ? 'POST' : 'GET';
  return `${method} ${path}`;
}

/** The anchors of a page's headings, as GitHub and its likes make them. */
function anchors(content: string): Set<string> {
  const headings = content.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
