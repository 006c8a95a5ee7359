import { expect } from 'chai';
import fc from 'fast-check';
import type { EditorSample } from '../../../../cmd/gate/domain/ports.ts';
import { createWopiSrcReader } from '../../../../cmd/gate/domain/wopi-src.ts';
import { readDocuments } from '../../../../cmd/gate/outbound/editor/documents.ts';
import { DOC, FOREIGN, OTHER_DOC, toWopiSrc, WOPI_URL } from '../../../support/gate-openings.ts';
import { threadTime } from '../../../support/thread-time.ts';
import { documentsJson, type ListedDocument } from './admin-server.ts';

const readWopiSrc = createWopiSrcReader(WOPI_URL);
const read = (text: string, previous?: EditorSample): EditorSample | undefined =>
  readDocuments(text, { at: 5, previous, readWopiSrc });
const list = (documents: ListedDocument[]): string => `documents ${documentsJson(documents)}`;
const one = { userId: 'ses_1', id: '7' };
const view = { docId: DOC, wopiSrc: toWopiSrc(DOC), userId: 'ses_1', viewId: '7', readonly: false };

describe("the editor's list of documents", () => {
  it('gives views with document, session and permission, and which documents of ours are modified', () => {
    const sample = read(
      list([
        { wopiSrc: toWopiSrc(DOC), modified: true, views: [one, { userId: 'ses_2', id: '8', readonly: true }] },
        { wopiSrc: FOREIGN, modified: true, views: [{ userId: 'u', id: '9' }] },
      ]),
    );
    expect(sample).to.deep.equal({
      at: 5,
      documents: 2,
      modified: [DOC],
      views: [
        view,
        { ...view, userId: 'ses_2', viewId: '8', readonly: true },
        { docId: null, wopiSrc: FOREIGN, userId: 'u', viewId: '9', readonly: false },
      ],
    });
    expect(read('documents {"documents":[]}')).to.deep.equal({ at: 5, documents: 0, modified: [], views: [] });
  });

  it('leaves out phantoms: no host, no http address, no memory and long idle', () => {
    const sample = read(
      list([
        { wopiSrc: toWopiSrc(DOC), wopiHost: '', views: [one] },
        { wopiSrc: '/tmp/oc_tmp_1.pdf', views: [one] },
        { wopiSrc: toWopiSrc(DOC), memory: 0, idle: 3601, views: [one] },
        { wopiSrc: toWopiSrc(OTHER_DOC), memory: 0, idle: 3600, views: [one] },
      ]),
    );
    expect(sample?.documents).to.equal(1);
    expect(sample?.views.map(({ docId }) => docId)).to.deep.equal([OTHER_DOC]);
  });

  it('is read in spite of quotes and backslashes in names', () => {
    for (const name of ['An "Bé" Lê', 'x\\', '"', '"},{', '{"pid":', 'a","b":"c']) {
      const documents = [
        { wopiSrc: FOREIGN, views: [{ userId: 'u', id: '3', name }] },
        { wopiSrc: toWopiSrc(DOC), views: [one] },
      ];
      const sample = read(list(documents), read(list(documents.map((document) => ({ ...document, views: [] })))));
      expect(sample?.views, name).to.deep.include(view);
    }
  });

  it('is read in time that grows with it, whatever is in a name', async () => {
    for (const run of [' ', ',', ']}', '{"pid":']) {
      const name = `"${run.repeat(3_000)}x`;
      const text = list([
        { wopiSrc: FOREIGN, views: [{ userId: 'u', id: '3', name }] },
        { wopiSrc: toWopiSrc(DOC), views: [one] },
      ]);
      let sample: EditorSample | undefined;
      const taken = await threadTime(() => {
        sample = read(text);
      });
      expect(sample?.views, run).to.deep.include(view);
      expect(taken, run).to.be.below(200);
    }
  });

  it('keeps what a document had where its views cannot be told', () => {
    const before = read(list([{ wopiSrc: toWopiSrc(DOC), views: [one] }]));
    const broken = list([{ wopiSrc: toWopiSrc(DOC), views: [{ ...one, userId: 'a"b' }] }]);
    expect(() => JSON.parse(broken.slice(10))).to.throw();
    expect(read(broken, before)?.views).to.deep.equal([view]);
    expect(read(broken)?.views).to.deep.equal([]);
  });

  it('is undefined when nothing can be made of it', () => {
    for (const text of ['', 'documents', 'documents {', 'documents null', 'documents {"documents":3}', 'other {}']) {
      expect(read(text), text).to.equal(undefined);
    }
    expect(read('documents {"documents":[{"pid":1,"x')).to.equal(undefined);
  });

  it('never throws, whatever comes', () => {
    const whole = list([{ wopiSrc: toWopiSrc(DOC), views: [one] }]);
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(5), fc.string({ maxLength: 8 }), (at, cut, put) => {
        read(whole.slice(0, at) + put + whole.slice(at + cut));
      }),
      { numRuns: 3000 },
    );
    fc.assert(fc.property(fc.json(), (json) => void read(`documents {"documents":[${json}]}`)));
  });
});
