import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { loggedLines } from '../support/logs.ts';
import { txt } from '../support/open-documents.ts';
import { processorTime } from '../support/processor-time.ts';
import { readError, startEnterprise, type TestService, until } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

const MB = 1024 * 1024;

describe('bad uploads', () => {
  const service = useStarted(
    () => startEnterprise({ SVC_DOCBUILDER_MAX_FILE_MB: '10' }, { uploadIdleMs: 300 }),
    async ({ convert, stop }) => {
      expect((await convert(txt(), 'healthy.txt', { to: 'pdf' })).status).to.equal(200);
      await stop();
    },
  );

  afterEach('nothing was left over', () =>
    until('temporary files are gone', async () => (await service.temporaries()).length === 0),
  );

  it('an upload that says it is 300 MB is refused before it is sent', async () => {
    const answer = await upload(service, 300 * MB, 0);
    expect(answer)
      .to.match(/^HTTP\/1\.1 413 /)
      .and.contain('file_too_large');
  });

  it('an upload that does not say so is refused on the way, and not read to its end', async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(
          Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.docx"\r\n\r\n'),
        ),
      pull: (controller) => {
        sent += MB;
        controller.enqueue(new Uint8Array(MB));
        if (sent > 300 * MB) controller.close();
      },
    });
    const init = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    };
    const outcome = await service.call('/v1/convert', init as RequestInit).then(readError, (error: Error) => error);
    // A client that keeps sending may see the connection close before it sees the answer.
    if (!(outcome instanceof Error)) expect(outcome).to.include({ status: 413, code: 'file_too_large' });
    expect(sent).to.be.below(200 * MB);
  });

  it('an upload that stops half-way: ended by the service when the client stays, forgotten when it goes', async () => {
    expect(await upload(service, 100_000, 1000))
      .to.match(/^HTTP\/1\.1 408 /)
      .and.contain('bad_request');
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.write(head(service, 100_000) + part('x'.repeat(1000)));
    await until('it arrives', async () => (await service.temporaries()).length > 0);
    socket.destroy();
  });

  it('a script that is cut off: no failure of the service', async () => {
    const logged = loggedLines().length;
    connect(Number(new URL(service.url).port), '127.0.0.1').end(
      `POST /v1/build HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"script"',
    );
    const line = await until('it is logged', async () => {
      return loggedLines().find((text, index) => index >= logged && /"request (refused|failed)"/.test(text));
    });
    expect(line).to.contain('request refused').and.contain('bad_request');
  });

  const file = (name: string, size = 90_000) => part('x'.repeat(size)).replace('"file"', `"${name}"`);
  const field = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
  const long = 'x'.repeat(70_000);
  const mistakes: [what: string, endpoint: string, parts: string[], path: string, message: RegExp][] = [
    ['a file by a wrong name first', 'convert', [field('to', 'pdf'), file('doc'), file('file')], '/doc', /tệp có tên/],
    [
      'data that is too long first',
      'template/render',
      [field('data', long), file('template')],
      '/data',
      /dưới dạng tệp/,
    ],
    ['a field that is too long first', 'extract/text', [field('from', long), file('file')], '/from', /dài hơn 65536/],
    ['a file twice', 'convert', [file('file'), file('file')], '/file', /hai lần/],
    ['a part without a name', 'convert', [file('file'), field('', '').replace('; name=""', '')], '', /không có tên/],
  ];
  it('a form with a mistake is answered at once, wherever it is', async () => {
    for (const [what, endpoint, parts, path, message] of mistakes) {
      const body = [...parts, '--b--\r\n'].join('\r\n');
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
      const post = () => service.call(`/v1/${endpoint}`, { method: 'POST', body, headers });
      // Again and again: much depends on how the form's pieces happen to arrive.
      for (let run = 0; run < 10; run++) {
        const { status, code, detail } = await readError(await post());
        expect({ status, code }, what).to.deep.equal({ status: 400, code: 'bad_request' });
        const [error] = detail['errors'] as { path: string; message: string }[];
        expect(error?.path, what).to.equal(path);
        expect(error?.message, what).to.match(message);
      }
    }
  });

  it('a client that ends its side after a part of the form has one answer, not two', async () => {
    const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket.setEncoding('utf8').on('data', (piece) => {
      answer += piece;
    });
    socket.write(`${head(service, 1_000_000)}${field('from', long)}\r\n--b\r\n`);
    await until('it is refused', () => answer.includes('request_id'));
    socket.end();
    await once(socket, 'close');
    expect(answer.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 400']);
  });

  it('a compressed body is called that; a coding that is none is not looked at', async () => {
    const script = '{"svcscript":1,"type":"text","save":[{"format":"odt"}],"body":[{"type":"paragraph","text":"a"}]}';
    const build = (coding: string, body: Uint8Array<ArrayBuffer> | string) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': coding };
      return service.call('/v1/build', { method: 'POST', body, headers });
    };
    const { status, detail } = await readError(await build('gzip', Uint8Array.from(gzipSync(script))));
    expect(status).to.equal(400);
    expect(detail['errors']).to.deep.equal([
      { path: '', message: 'Content-Encoding không được hỗ trợ: hãy gửi nội dung không nén' },
    ]);
    for (const coding of ['identity', 'utf-8']) expect((await build(coding, script)).status, coding).to.equal(200);
  });

  it('a form without files, as many programs send it, is told the kind of form that is due', async () => {
    const post = (body: string) =>
      service.call('/v1/convert', {
        ...{ method: 'POST', body },
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
    const { detail } = await readError(await post('to=pdf&file=%40report.docx'));
    expect(JSON.stringify(detail)).to.contain('hãy gửi multipart/form-data có tệp');
    const { detail: ofJson } = await readError(await post('\ufeff{"to":"pdf", "url":"="'));
    expect(JSON.stringify(ofJson)).to.contain('không phải JSON hợp lệ');
  });

  it('a form that is cut off, no form at all, or a part with a name or headers that never end', async () => {
    const named = (name: string) => `Content-Disposition: form-data; name="file"; filename="${name}"`;
    const whole = (lines: string) => `${field('to', 'pdf')}\r\n--b\r\n${lines}\r\n\r\nabc\r\n--b--\r\n`;
    const bounded = 'multipart/form-data; boundary=b';
    const forms: [what: string, body: string, type?: string][] = [
      ['cut off', `${field('to', 'pdf')}\r\n--b\r\nContent-Disp`],
      ['no form', 'nothing of the kind'],
      ['no boundary', 'no boundary', 'multipart/form-data'],
      ['nothing', ''],
      ['a long name', whole(named(`a${'.'.repeat(2000)}x.txt`))],
      ['a name that is cut off', whole(named(`a${' '.repeat(70_000)}x.txt`))],
      ['a name without end', whole(named('a'.repeat(300_000)))],
      ['padding before it', whole(`X-Pad: ${'x'.repeat(20_000)}\r\n${named('a.txt')}`)],
    ];
    for (const [what, body, type = bounded] of forms) {
      const spent = processorTime();
      const response = await service.call('/v1/convert', { method: 'POST', body, headers: { 'Content-Type': type } });
      expect(await readError(response), what).to.include({ status: 400, code: 'bad_request' });
      expect(spent(), what).to.be.lessThan(2000);
    }
  });
});

function head(service: TestService, length: number): string {
  return `POST /v1/convert HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n`;
}

function part(content: string): string {
  return `--b\r\nContent-Disposition: form-data; name="file"; filename="a.docx"\r\n\r\n${content}`;
}

/** Announces an upload of `length` bytes, sends `send` of them, and gives back what the service says to that. */
function upload(service: TestService, length: number, send: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => {
      socket.write(head(service, length) + (send > 0 ? part('x'.repeat(send)) : ''));
    });
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}
