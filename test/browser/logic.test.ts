import { expect } from 'chai';
import { createQueue } from '../../cmd/gate/browser/async.ts';
import { checkConfig, getLabels, getServerOrigin } from '../../cmd/gate/browser/config.ts';
import { readMessage } from '../../cmd/gate/browser/frame.ts';
import { textsFor } from '../../cmd/gate/browser/texts.ts';

const ORIGIN = 'https://office.example.com';
const FRAME = {};

it('SVC.Editor: messages are read from the right origin and the right window only', () => {
  const data = JSON.stringify({ MessageId: 'Doc_ModifiedStatus', SendTime: 1, Values: { Modified: true } });
  const from = (origin: string, source: unknown) => readMessage({ origin, source, data }, ORIGIN, FRAME);
  expect(from(ORIGIN, FRAME)).to.deep.equal({ MessageId: 'Doc_ModifiedStatus', Values: { Modified: true } });
  for (const origin of [
    ...['null', '', 'http://office.example.com', 'https://office.example.com:8443'],
    ...['https://office.example.com.evil.example', 'https://OFFICE.example.com'],
  ])
    expect(from(origin, FRAME), origin).to.equal(undefined);
  for (const source of [null, undefined, {}, globalThis]) expect(from(ORIGIN, source)).to.equal(undefined);
  for (const posted of ['{', 'null', '{"MessageId":7}', { MessageId: 'UI_Save' }])
    expect(readMessage({ origin: ORIGIN, source: FRAME, data: posted }, ORIGIN, FRAME)).to.equal(undefined);
  // There is no frame.
  for (const none of [null, undefined])
    expect(readMessage({ origin: ORIGIN, source: none, data }, ORIGIN, none)).to.equal(undefined);
});

describe('SVC.Editor: configuration', () => {
  it('may come in a token only', () => {
    expect(() => checkConfig({ token: 'x.y.z' })).to.not.throw();
    for (const wrong of [undefined, null, 'x', [], {}, { document: {} }, { token: 'x', events: { onReady: 1 } }]) {
      expect(() => checkConfig(wrong))
        .to.throw()
        .with.property('code', 'invalid_config');
    }
  });

  it('has its title and its language in the token when it is signed', () => {
    const signed = (payload: unknown) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.sig`;
    const document = { url: 'https://a', fileType: 'docx', key: 'k', title: 'Plain' } as const;
    const plain: SVC.Config = { document, editor: { lang: 'en' } };
    expect(getLabels(plain)).to.deep.equal({ title: 'Plain', lang: 'en' });
    const token = signed({ document: { title: 'Báo cáo ế 😀' }, editor: { lang: 'en-GB' } });
    expect(getLabels({ token })).to.deep.equal({ title: 'Báo cáo ế 😀', lang: 'en-GB' });
    expect(getLabels({ ...plain, token: signed({}) })).to.deep.equal({ title: undefined, lang: 'vi' });
    for (const wrong of ['', 'x', 'a.%.c', 'a..c', signed(null), signed([]), signed('x')]) {
      expect(getLabels({ ...plain, token: wrong }), wrong).to.deep.equal({ title: 'Plain', lang: 'en' });
    }
    expect(getLabels({ token: signed({ document: { title: 7 }, editor: 'x' }) })).to.deep.equal({
      title: undefined,
      lang: 'vi',
    });
  });

  it('finds the service where the script came from, or where it is told', () => {
    expect(getServerOrigin(undefined, `${ORIGIN}/svc/api.js?x`)).to.equal(ORIGIN);
    expect(getServerOrigin('http://localhost:8080/', `${ORIGIN}/svc/api.js`)).to.equal('http://localhost:8080');
    for (const wrong of ['javascript:alert(1)', 'data:text/html,x', '/svc', '', 'file:///x']) {
      expect(() => getServerOrigin(wrong, ORIGIN), wrong)
        .to.throw()
        .with.property('code', 'invalid_config');
    }
    expect(() => getServerOrigin(undefined, undefined)).to.throw(/serverUrl/);
  });
});

it('SVC.Editor: texts are Vietnamese but for English', () => {
  const [vietnamese, english] = [textsFor('vi'), textsFor('en')];
  expect(vietnamese).to.not.equal(english);
  for (const lang of ['en-GB', 'en_US', 'EN']) expect(textsFor(lang), lang).to.equal(english);
  expect(textsFor('vi-VN')).to.equal(vietnamese);
  // The editor's own messages are in that language.
  for (const lang of ['fr', 'enq', 'vii'])
    expect(textsFor(lang), lang).to.deep.equal({ ...vietnamese, editorMessages: {} });
});

it('SVC.Editor: works wait for each other, and go on after one that failed', async () => {
  const inTurn = createQueue();
  const seen: string[] = [];
  const work = (name: string, end: () => unknown) =>
    inTurn(async () => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve));
      seen.push(`${name} ends`);
      return end();
    });
  const ends = await Promise.allSettled([work('a', () => Promise.reject(new Error('a'))), work('b', () => 'b')]);
  expect(ends.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled']);
  expect(seen).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends']);
});
