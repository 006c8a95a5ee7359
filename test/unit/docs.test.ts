import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { ERRORS } from '../../src/common/error-catalogue.ts';
import { frontVariables } from '../../src/common/front.ts';
import { schemas } from '../../src/common/schema.ts';

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
const missing = (wanted: Iterable<string>, there: ReadonlySet<string>) =>
  [...new Set(wanted)].filter((name) => !there.has(name));

/** What a program asks of its environment, by what it is written in. */
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
    const known = new Set([
      ...services,
      ...Object.keys(frontVariables({} as never)),
      ...[...CODE, ...RECEIVERS].flatMap((path) => [...variablesRead(path)]),
    ]);

    // The changelog also names what was there once.
    for (const [path, content] of [...text].filter(([name]) => name !== 'CHANGELOG.md')) {
      it(`${path} names none that nothing reads`, () => {
        expect(missing(all(content, /\b(SVC_[A-Z][A-Z0-9]*(?:_[A-Z]+)*)\b(?!_)/g), known)).to.deep.equal([]);
      });
    }

    it('of services and front are all in docs/configuration.md', () => {
      const told = all(page('docs/configuration.md'), /^\| `([A-Z0-9_]+)`/gm);
      const wanted = services.filter((name) => !name.endsWith('_FILE'));
      expect(missing([...wanted, ...Object.keys(frontVariables({} as never))], told)).to.deep.equal([]);
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
      expect(missing(variablesRead('compose.yaml'), all(compose, /`([A-Z_]+)`/g))).to.deep.equal([]);
      const local = find('cmd/local/*.ts').flatMap((path) => [...variablesRead(path)]);
      expect(missing(local, all(compose, /\b([A-Z_]+)\b/g))).to.deep.equal([]);
      const receivers = all(page('examples/receivers/README.md'), /^\| `([A-Z0-9_]+)`/gm);
      for (const path of RECEIVERS) expect(missing(variablesRead(path), receivers), path).to.deep.equal([]);
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
    expect(missing(wanted, all(page('docs/kubernetes-troubleshooting.md'), /`([A-Z]\w+)`/g))).to.deep.equal([]);
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
      expect(missing(Object.keys(ERRORS), new Set(rows.map(([code]) => code)))).to.deep.equal([]);
      for (const [code, status] of rows) expect(ERRORS[code as keyof typeof ERRORS]?.[0], code).to.equal(status);
    });

    it('of the browser library are told by docs/embedding.md', () => {
      expect(missing(browser, all(page('docs/embedding.md'), /`(\w+)`/g))).to.deep.equal([]);
    });

    it('in a table of codes are codes that there are', () => {
      const known = new Set([...Object.keys(ERRORS), ...browser]);
      for (const [path, content] of text) {
        for (const [table] of content.matchAll(/^\|(?: \w+ \|)? code \|.*\n(?:\|.*\n)+/gm)) {
          const told = [...table.matchAll(/^\|(?: \d{3} \|)? ((?:`\w+`(?: \(\d{3}\))?(?:, )?)+) /gm)];
          const codes = told.flatMap(([, cell = '']) => [...all(cell, /`(\w+)`/g)]);
          expect(codes, path).not.to.be.empty;
          expect(missing(codes, known), path).to.deep.equal([]);
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
    const { docbuilder } = JSON.parse(read('schemas/openapi/operations.json')) as {
      docbuilder: { method: string; path: string }[];
    };

    it('of the API are those of the OpenAPI document', () => {
      const known = new Set([...docbuilder.map(({ path }) => path), '/v1']);
      for (const [path, content] of text) {
        const told = [...all(content, /(?:localhost:8080|\b(?:GET|POST) )(\/v1(?:\/[\w.{}]*[\w}])*)/g)];
        expect(missing(told, known), path).to.deep.equal([]);
      }
    });

    it('that curl asks are served, by the method that curl uses', () => {
      const gate = [...all(read('cmd/gate/http/public.ts'), /^ {4}'(\/svc\/[\w.]+)'/gm)].map((path) => `GET ${path}`);
      const served = new Set([...docbuilder.map(({ method, path }) => `${method.toUpperCase()} ${path}`), ...gate]);
      const asked = [...text].flatMap(([, content]) => [...all(content, CURL)].map(operation));
      expect(asked.length).to.be.greaterThan(20);
      expect(missing(asked, served)).to.deep.equal([]);
    });

    for (const [path, content] of text) {
      it(`${path}: every link leads somewhere`, () => {
        const prose = content.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '');
        for (const target of all(prose, /\]\(([^)\s]+)\)/g)) {
          if (/^https?:/.test(target)) continue;
          const [file = '', anchor] = target.split('#');
          const found = file === '' ? path : join(dirname(path), file);
          expect(existsSync(join(root, found)), target).to.equal(true);
          if (anchor !== undefined) expect([...anchors(read(found))], target).to.include(anchor);
        }
      });

      it(`${path}: files, targets of make and scripts of npm that it names are there`, () => {
        const { scripts } = JSON.parse(read('package.json'));
        for (const file of all(content, new RegExp(`\`(${FOLDERS}/[\\w./-]*\\w)/?\``, 'g')))
          expect(existsSync(join(root, file)), file).to.equal(true);
        const targets = all(read('Makefile'), /^([a-z0-9]+):/gm);
        const made = all(content, /(?:`|^)(?:[A-Z_]+=\S+ )*make ([a-z0-9]+)/gm);
        expect(missing(made, targets)).to.deep.equal([]);
        expect(
          missing(all(content, /npm run (?:-s )?([a-z][a-z:-]*[a-z])/g), new Set(Object.keys(scripts))),
        ).to.deep.equal([]);
      });
    }

    it('that programs of the shell name are there', () => {
      for (const path of find('Makefile', 'Dockerfile', 'scripts/**/{*.sh,Dockerfile}')) {
        const named = all(read(path), new RegExp(`(?<![\\w./$-])(${FOLDERS}/[\\w./-]*\\w)(?![\\w*/])`, 'g'));
        for (const file of named) expect(existsSync(join(root, file)), `${path}: ${file}`).to.equal(true);
      }
    });

    it('to every page begin at docs/README.md', () => {
      const index = page('docs/README.md');
      for (const path of find('docs/*.md').filter((name) => name !== 'docs/README.md')) {
        expect(index).to.contain(`](${path.replace('docs/', '')})`);
      }
    });
  });

  it('has the numbers of both plans', () => {
    const { community, enterprise } = JSON.parse(read('schemas/plan.json')).docbuilder;
    for (const [name, value] of Object.entries(community).filter(([, limit]) => typeof limit === 'number')) {
      const [, ...cells] = new RegExp(`^\\| \`${name}\` \\| (.*) \\| (.*) \\|$`, 'm').exec(page('docs/api.md')) ?? [];
      const told = cells.map((cell) => Number(cell.replace(',', '')));
      expect(told[0], name).to.equal(value);
      if (typeof enterprise[name] === 'number') expect(told[1], name).to.equal(enterprise[name]);
    }
  });

  it('names only values that the chart has and fields that an instance has', () => {
    const values = all(page('charts/svc/README.md'), /^\| `([\w.]+)`/gm);
    const fields = all(page('docs/svcinstance.md'), /^(?:\| |### )`?(?:spec\.)?([\w.]+)/gm);
    const pod = [...all(page('docs/svcinstance.md'), /^\| `(pod\.[\w.]+)/gm)];
    for (const component of ['gate', 'docbuilder', 'editor', 'front']) {
      for (const field of ['pod', ...pod]) fields.add(`${component}.${field}`);
    }
    // Those of a PersistentVolume and its claim.
    for (const field of ['claimRef', 'volumeName']) fields.add(field);
    for (const [path, content] of text) {
      expect(missing(all(content, /--set(?:-file)? '?([\w.]+)=/g), values), path).to.deep.equal([]);
      expect(missing(all(content, /`spec\.([a-z][\w.]*\w)/g), fields), path).to.deep.equal([]);
    }
  });

  it('has JSON that is JSON', () => {
    for (const [path, content] of text) {
      for (const json of all(content, /^ *```json\n(.*?)^ *```/gms))
        expect(() => JSON.parse(json), path).not.to.throw();
    }
  });

  it('has no value in curl’s -F that ends at a semicolon of its own', () => {
    for (const [path, content] of text) {
      expect([...content.matchAll(/-F [\w.]+='?(?![@<])[^'\s]*;.*/g)].map(String), path).to.deep.equal([]);
    }
  });
});

/** What a command of curl asks, such as `POST /v1/convert`. */
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
