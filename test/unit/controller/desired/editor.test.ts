import type { V1Deployment } from '@kubernetes/client-node';
import { expect } from 'chai';
import fc from 'fast-check';
import { editorArguments, editorObjects } from '../../../../cmd/controller/desired/editor.ts';
import { QUARANTINE_SCRIPT } from '../../../../src/common/quarantine-script.ts';
import { container, objectsOf } from './objects.ts';
import { situationOf } from './situation.ts';

const argumentsWith = (...extraParams: string[]) =>
  editorArguments(situationOf({ spec: { editor: { extraParams } } }).instance.spec);

describe('extraParams of the editor', () => {
  it('that are no setting are refused', () => {
    for (const parameter of [
      ...['--config-file=/tmp/x', '--o:a', '-o', 'a=b', '', ' --o:a=b', '--o:=b', '--o:a b=c', '--O:a=b'],
      ...['--o:a=x\n--o:b=y', '--o:a=\ty', '--o:a=\0', '--o:a=\u2028b', '--o:a=b\r'],
    ]) {
      expect(() => argumentsWith(parameter), JSON.stringify(parameter)).to.throw(TypeError, 'editor.extraParams');
    }
  });

  it('come last, one argument each, as they were written: neither a shell nor the kubelet puts anything in', () => {
    const anything = fc.string({
      unit: fc.constantFrom('$', '(', ')', '{', '`', ';', '#', ' ', '"', "'", '\\', '=', '-', ' --o:', 'password'),
    });
    fc.assert(
      fc.property(anything, (value) => {
        const args = argumentsWith(`--o:a=${value}`, '--o:b=1').map(expand);
        expect(args.slice(-2)).to.deep.equal([`--o:a=${value}`, '--o:b=1']);
      }),
    );
  });
});

describe('the pod of the editor', () => {
  it('names the gate and the WOPI hosts of the spec, each in a group of its own, as expressions that fit nothing else', () => {
    const wopiHosts = ['https://files.example', 'http://nextcloud.files:8080'];
    const { env } = container(objectsOf({ spec: { editor: { wopiHosts } } }), 'editor');
    expect(env?.filter(({ name }) => name.startsWith('aliasgroup'))).to.deep.equal([
      { name: 'aliasgroup1', value: 'http://office-gate-internal:8081' },
      { name: 'aliasgroup2', value: String.raw`https://files\.example` },
      { name: 'aliasgroup3', value: String.raw`http://nextcloud\.files:8080` },
    ]);
  });

  it('has beside it the script that hands the gate the unsaved, of its own image, so that no release of ours starts it again', () => {
    const deployment = editorObjects(situationOf()).find(
      ({ kind }) => kind === 'Deployment',
    ) as unknown as V1Deployment;
    const [editor, keeper] = deployment.spec?.template.spec?.containers ?? [];
    expect(keeper?.image).to.equal(editor?.image);
    expect(expand(keeper?.command?.at(-1) ?? '')).to.equal(QUARANTINE_SCRIPT);
  });
});

/** The kubelet makes `$` of `$$`, and of `$(NAME)` the value of a variable that there is. */
function expand(text: string): string {
  return text.replaceAll(/\$(\$|\((username|password)\))/g, (_, next: string) => (next === '$' ? '$' : 'SECRET'));
}
