import { expect } from 'chai';
import { desired } from '../../../../cmd/controller/desired/index.ts';
import { pods } from './objects.ts';
import { type Options, situationOf } from './situation.ts';

describe('Secrets for private registries', () => {
  /** Of all pods together. */
  function namesWith(pullSecrets: string[], options: Options = {}): string[] {
    const situation = situationOf(options);
    const objects = desired({ ...situation, settings: { ...situation.settings, pullSecrets } });
    const found = [...pods(objects).values()].map(({ spec }) => JSON.stringify(spec?.imagePullSecrets ?? []));
    expect(found).to.have.length(4);
    return [...new Set(found)];
  }

  it("are the controller's in every pod where an instance names none", () => {
    expect(namesWith([])).to.deep.equal(['[]']);
    expect(namesWith(['mirror', 'own'])).to.deep.equal(['[{"name":"mirror"},{"name":"own"}]']);
  });

  it('are those of the instance where it names some', () => {
    const spec = { images: { pullSecrets: [{ name: 'ours' }] } };
    expect(namesWith(['mirror'], { spec })).to.deep.equal(['[{"name":"ours"}]']);
  });
});
