import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { expect } from 'chai';

const root = resolve(import.meta.dirname, '../..');
const document = JSON.parse(readFileSync(join(root, 'schemas/openapi/docbuilder.json'), 'utf8'));
const ADDRESS = 'https://example.com/a.docx';

/** The OpenAPI document as clients and checkers made of it take it. */
describe('the OpenAPI document', () => {
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');

  /** Compiles the schema that the document gives a request's body of this media type. */
  function body(path: string, type: string): ValidateFunction {
    const pointer = ['paths', path, 'post', 'requestBody', 'content', type, 'schema']
      .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
      .map(encodeURIComponent)
      .join('/');
    return ajv.getSchema(`openapi#/${pointer}`) as ValidateFunction;
  }

  it('takes as a body of /v1/build an envelope, and a script by itself', () => {
    const check = body('/v1/build', 'application/json');
    for (const path of globSync('examples/*.json', { cwd: root })) {
      const script = JSON.parse(readFileSync(join(root, path), 'utf8'));
      expect(check(script), path).to.equal(true);
      expect(check({ script, async: true }), path).to.equal(true);
    }
    expect(check({ svcscript: 1, type: 'text' })).to.equal(false);
  });

  for (const [path, file, rest] of [
    ['/v1/convert', 'file', { to: 'pdf' }],
    ['/v1/extract/text', 'file', {}],
    ['/v1/extract/meta', 'file', {}],
    ['/v1/extract/thumbnail', 'file', {}],
    ['/v1/template/render', 'template', { data: {} }],
  ] as const) {
    it(`says that ${path} needs a file in a form and an address in JSON`, () => {
      const [json, form] = [body(path, 'application/json'), body(path, 'multipart/form-data')];
      expect([json({ ...rest, url: ADDRESS }), form({ ...rest, [file]: 'bytes' })]).to.deep.equal([true, true]);
      expect([json(rest), form(rest)]).to.deep.equal([false, false]);
      expect([json({ ...rest, [file]: 'bytes' }), form({ ...rest, url: ADDRESS })]).to.deep.equal([false, false]);
    });
  }

  it('has options as fields of a form', () => {
    expect(body('/v1/convert', 'multipart/form-data')({ file: '', to: 'pdf', 'options.pages': '1' })).to.equal(true);
  });

  it('says of every work request what is posted when its job has ended', () => {
    for (const [path, { post }] of Object.entries<{ post?: { callbacks?: object } }>(document.paths)) {
      const called = { '{$request.body#/callback_url}': { $ref: '#/components/pathItems/jobEnded' } };
      if (post) expect(post.callbacks, path).to.deep.equal({ jobEnded: called });
    }
  });

  it('has types at the top, where generators look for them, and says which value chooses which', () => {
    const { schemas } = document.components;
    for (const [name, schema] of Object.entries<{ definitions?: object }>(schemas)) {
      expect(schema.definitions, name).to.equal(undefined);
    }
    const { discriminator, oneOf } = schemas.ScriptBlock;
    expect(discriminator.mapping).to.include({ heading: '#/components/schemas/ScriptHeading' });
    expect(Object.keys(discriminator.mapping)).to.have.length(oneOf.length);
  });

  it('names first a type of bytes that generators know, wherever an answer is a file', () => {
    const contents = Object.values<Record<string, { responses: Record<string, { content?: object }> }>>(document.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ responses }) => Object.values(responses))
      .map(({ content = {} }) => Object.keys(content))
      .filter((types) => types.includes('*/*'));
    expect(contents).to.have.length(6);
    for (const types of contents) expect(types[0]).to.equal('application/octet-stream');
  });

  it('has no type without a name that contains itself, which generators cannot make', () => {
    expect(document.components.schemas.ScriptListItem.anyOf).to.deep.include({
      $ref: '#/components/schemas/ScriptListItemObject',
    });
  });

  it('refers to nothing that it does not have, and has nothing that nothing refers to', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, found = '']) => found);
    for (const reference of references) {
      const found = reference.split('/').reduce((node, part) => node?.[part], document);
      expect(found, reference).to.be.an('object');
    }
    for (const kind of ['headers', 'schemas', 'pathItems']) {
      for (const name of Object.keys(document.components[kind])) {
        expect(
          references.some((one) => `${one}/`.startsWith(`components/${kind}/${name}/`)),
          name,
        ).to.equal(true);
      }
    }
  });
});
