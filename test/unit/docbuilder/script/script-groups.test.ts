import { expect } from 'chai';
import { scriptGroups } from '../../../../cmd/docbuilder/script/script-groups.ts';
import { processorTime } from '../../../support/processor-time.ts';

describe('groups of scripts in a text', () => {
  const cases: [text: string, pieces: string[], before?: string][] = [
    ['', ['']],
    ['(xem) “Điều 5” – 12,50 đ', ['(xem) “Điều 5” – 12,50 đ']],
    ['chào 漢字 ok', ['chào ', '漢字 ', 'ok']],
    ['हिन्दी, tiếng ไทย', ['हिन्दी', ', ', 'tiếng ', 'ไทย']],
    ['مرحبا 12 hết', ['مرحبا ', '12', ' ', 'hết']],
    ['שלום 50% ]]> a', ['שלום ', '50', '%', ' ', ']]> ', 'a']],
    ['مرحبا 50%%)', ['مرحبا ', '50', '%%', ')']],
    ['مرحبا ٥٠ 5 ٥٠%', ['مرحبا ', '٥٠', ' ', '5', ' ', '٥٠', '%']],
    ['a ٥٠', ['a ', '٥٠']],
    ['שלום &$5', ['שלום ', '&', '$', '5']],
    ['12 abc', ['12', ' ', 'abc'], '漢字'],
  ];
  for (const [text, pieces, before] of cases) {
    it(`${JSON.stringify(text)}${before ? ` behind ${before}` : ''}: ${pieces.length}`, () => {
      expect(scriptGroups(text, before)).to.deep.equal(pieces);
    });
  }

  it('of a long one are found at once', () => {
    const spent = processorTime();
    expect(scriptGroups('ก่'.repeat(2_500_000))).to.have.lengthOf(1);
    expect(spent()).to.be.lessThan(3000);
  });
});
