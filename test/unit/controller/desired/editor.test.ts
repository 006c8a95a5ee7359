import type { V1Deployment } from '@kubernetes/client-node';
import { expect } from 'chai';
import fc from 'fast-check';
import { editorObjects } from '../../../../cmd/controller/desired/editor.ts';
import { editorArguments, frameAncestors } from '../../../../cmd/controller/desired/editor-params.ts';
import { QUARANTINE_SCRIPT } from '../../../../src/common/quarantine-script.ts';
import { editorOptions } from '../../../e2e/cluster/editor/parameters.ts';
import { type Options, type PartialSpec, situationOf } from './situation.ts';

describe('the editor', () => {
  it('knows its public address without the port of the scheme, and its one WOPI host', () => {
    expect(environmentOf({})).to.include({
      server_name: 'office.example',
      aliasgroup1: 'http://office-gate-internal:8081',
    });
    expect(environmentOf({ port: 443 })['server_name']).to.equal('office.example');
    expect(environmentOf({ port: 8443 })['server_name']).to.equal('office.example:8443');
    expect(environmentOf({ tls: { mode: 'Disabled' }, port: 80 })['server_name']).to.equal('office.example');
    expect(environmentOf({ tls: { mode: 'Disabled' }, port: 443 })['server_name']).to.equal('office.example:443');
  });

  it('has its password from the Secret, and nowhere else', () => {
    const { env = [] } = containerOf({});
    expect(env.filter(({ valueFrom }) => valueFrom)).to.deep.equal([
      { name: 'username', valueFrom: { secretKeyRef: { name: 'office-secrets', key: 'editor-admin-username' } } },
      { name: 'password', valueFrom: { secretKeyRef: { name: 'office-secrets', key: 'editor-admin-password' } } },
    ]);
    const given = { admin: { username: 'root', password: 'correct horse' } };
    expect(JSON.stringify(editorObjects(situationOf({ given })))).not.to.match(/correct horse|"root"/);
  });

  it('starts anew with another password, and not with another secret', () => {
    const template = (given: Options['given']) => JSON.stringify(deploymentOf(given ? { given } : {}).spec?.template);
    expect(template({ admin: { username: 'a', password: 'b' } })).not.to.equal(template(undefined));
    expect(template({ values: { 'embed-jwt-secret': 'another one, and long enough' } })).to.equal(template(undefined));
  });

  it('is told all this in a way that an image understands', () => {
    const env = { ...environmentOf({}), username: 'admin', password: 'secret' };
    const args = (containerOf({ embed: { allowedOrigins: ['https://portal.example'] } }).args ?? []).map((argument) =>
      expanded(argument),
    );
    expect(editorOptions(env, args)).to.deep.include({
      serverName: 'office.example',
      wopiAllow: ['office-gate-internal:8081'],
      limitStoreFailures: 0,
      sslTermination: true,
      frameAncestors: ['office.example', 'portal.example'],
    });
  });

  describe('extraParams', () => {
    it('come last, so that they count', () => {
      const parameters = ['--o:logging.level=debug', '--o:x[@y]=1'];
      expect(containerOf({ editor: { extraParams: parameters } }).args?.slice(-2)).to.deep.equal(parameters);
      expect(settingsOf({ editor: { extraParams: parameters } })['logging.level']).to.equal('debug');
    });

    it('are one setting each, whatever blanks, quotes and shell words are in them', () => {
      const evil = [
        '--o:a=x --o:ssl.enable=true',
        '--o:a="x" --o:storage.wopi.host=evil',
        "--o:a='; reboot #",
        '--o:a=`id`$HOME\\',
      ];
      const args = containerOf({ editor: { extraParams: evil } }).args ?? [];
      expect(args.slice(-evil.length).map((argument) => expanded(argument))).to.deep.equal(evil);
      expect(environmentOf({ editor: { extraParams: evil } })).not.to.have.property('extra_params');
    });

    it('that are no setting are refused', () => {
      const wrong = [
        '--config-file=/tmp/x',
        '--o:a',
        '-o',
        'a=b',
        '',
        ' --o:a=b',
        '--o:=b',
        '--o:a b=c',
        '--o:a=x\n--o:b=y',
      ];
      for (const parameter of [...wrong, '--o:a=\ty', '--o:a=\0', '--o:a=\u2028b', '--O:a=b', '--o:a=b\r']) {
        const spec = situationOf({ spec: { editor: { extraParams: [parameter] } } }).instance.spec;
        expect(() => editorArguments(spec), JSON.stringify(parameter)).to.throw(TypeError, 'editor.extraParams');
      }
    });

    it('reach the editor as they were written: the kubelet puts no variable in', () => {
      const anything = fc.string({
        unit: fc.constantFrom('$', '(', ')', '{', 'p', ' ', '"', "'", '\\', '=', '-', 'password'),
      });
      fc.assert(
        fc.property(anything, (value) => {
          const parameter = `--o:a=${value}`;
          const args = editorArguments(situationOf({ spec: { editor: { extraParams: [parameter] } } }).instance.spec);
          expect(expanded(args.at(-1) ?? '', { password: 'SECRET', p: 'SECRET' })).to.equal(parameter);
        }),
      );
    });
  });

  describe('frame-ancestors', () => {
    const ancestors = (spec: PartialSpec) => frameAncestors(situationOf({ spec }).instance.spec);
    const embed = (...allowedOrigins: string[]) => ({ embed: { allowedOrigins } });

    it('are the service itself, and the pages that may embed as bare hosts', () => {
      expect(ancestors({})).to.deep.equal(['office.example']);
      expect(ancestors({ port: 8443, ...embed('https://portal.example', 'https://a.example:444') })).to.deep.equal([
        'office.example:8443',
        'portal.example',
        'a.example:444',
      ]);
      expect(ancestors(embed('https://office.example'))).to.deep.equal(['office.example']);
    });

    it('have a page over http twice, where the editor is over https', () => {
      expect(ancestors(embed('http://localhost:8000'))).to.deep.equal([
        'office.example',
        'localhost:8000',
        'http://localhost:8000',
      ]);
      expect(ancestors({ tls: { mode: 'Disabled' }, ...embed('http://localhost:8000') })).to.deep.equal([
        'office.example',
        'localhost:8000',
      ]);
    });

    it('are everybody with *', () => {
      expect(ancestors(embed('*'))).to.deep.equal(['*', '*:*']);
    });

    it('fit the expression that the editor makes of each', () => {
      // As Map.WOPI.js of 25.04 does: `:*` becomes `:?.*`, and the scheme is set before it.
      const fits = (origin: string, sources: string[]) =>
        sources.some((source) => new RegExp(`^(http|https)://${source.replaceAll(':*', ':?.*')}$`).test(origin));
      expect(fits('https://anybody.example:8443', ancestors(embed('*')))).to.equal(true);
      expect(fits('http://localhost:8000', ancestors(embed('http://localhost:8000')))).to.equal(true);
      expect(fits('https://evil.example', ancestors(embed('https://portal.example')))).to.equal(false);
    });
  });

  describe('pod', () => {
    it('has beside it what hands the gate the unsaved, of its own image, so that no release of ours starts it again', () => {
      const keeper = deploymentOf({}).spec?.template.spec?.containers[1];
      const editor = containerOf({});
      expect(keeper).to.include({ name: 'quarantine', image: editor.image });
      expect(keeper?.volumeMounts).to.deep.equal(editor.volumeMounts);
      const [, , script = ''] = keeper?.command ?? [];
      expect(expanded(script, { username: 'x', password: 'x' })).to.equal(QUARANTINE_SCRIPT);
      expect(keeper?.env?.map(({ name, value }) => [name, value])).to.deep.equal([
        ['QUARANTINE_DIR', '/quarantine'],
        ['GATE_URL', 'http://office-gate-internal:8081'],
        ['username', undefined],
        ['password', undefined],
      ]);
      expect(keeper?.securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    });
  });
});

function deploymentOf(options: Options): V1Deployment {
  return editorObjects(situationOf(options)).find(({ kind }) => kind === 'Deployment') as unknown as V1Deployment;
}

function containerOf(spec: PartialSpec) {
  const [container] = deploymentOf({ spec }).spec?.template.spec?.containers ?? [];
  if (!container) throw new Error('no container');
  return container;
}

/** Variables that have a value of their own. */
function environmentOf(spec: PartialSpec): Record<string, string> {
  return Object.fromEntries(
    (containerOf(spec).env ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [[name, expanded(value)]])),
  );
}

/** Settings as the editor has them: of two the later one. */
function settingsOf(spec: PartialSpec): Record<string, string> {
  return Object.fromEntries(
    (containerOf(spec).args ?? []).map((argument) => {
      const [, name = '', value = ''] = /^--o:([^=]*(?:\[[^\]]*\][^=]*)?)=(.*)$/.exec(expanded(argument)) ?? [];
      return [name, value];
    }),
  );
}

/** What the kubelet makes of an argument or a variable: `$$` is `$`, `$(NAME)` the value of a variable that there is. */
function expanded(text: string, variables: Record<string, string> = {}): string {
  return text.replaceAll(/\$(\$|\(([^)]*)\))/g, (found, next: string, name: string) =>
    next === '$' ? '$' : (variables[name] ?? found),
  );
}
