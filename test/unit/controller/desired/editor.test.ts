import { expect } from 'chai';
import fc from 'fast-check';
import { editorArguments } from '../../../../cmd/controller/desired/editor.ts';
import { makeSituation } from './situation.ts';

const argumentsWith = (...extraParams: string[]) =>
  editorArguments(makeSituation({ spec: { editor: { extraParams } } }).instance.spec);

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

/** The kubelet makes `$` of `$$`, and of `$(NAME)` the value of a variable that there is. */
function expand(text: string): string {
  return text.replaceAll(/\$(\$|\((username|password)\))/g, (_, next: string) => (next === '$' ? '$' : 'SECRET'));
}
