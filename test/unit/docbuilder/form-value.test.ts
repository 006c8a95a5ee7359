import { expect } from 'chai';
import { formValue } from '../../../cmd/docbuilder/http/form-value.ts';

const SHAPE = { booleans: ['async', 'options.pdfa'], integers: [], json: [] };

describe('fields of a form', () => {
  for (const [text, value] of [
    ...(['true', 'True', 'TRUE', '1'] as const).map((one) => [one, true] as const),
    ...(['false', 'False', '0'] as const).map((one) => [one, false] as const),
    ...(['yes', '', 'true '] as const).map((one) => [one, one] as const),
  ]) {
    it(`reads ${JSON.stringify(text)} as ${JSON.stringify(value)} where a boolean is due`, () => {
      const fields = new Map([
        ['async', text],
        ['options.pdfa', text],
        ['to', text],
      ]);
      expect({ ...formValue(fields, SHAPE) }).to.deep.equal({ async: value, to: text, options: { pdfa: value } });
    });
  }
});
