import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import type { Job } from '../../src/common/generated/wire.ts';
import { useCanary } from '../support/canary.ts';
import { secret } from '../support/logs.ts';
import { pdfText } from '../support/pdf.ts';
import { readError, startEnterprise, startService, type TestService, useService } from '../support/service.ts';

const MARKER = secret('Hợp đồng số 17/2026/HĐ-KT');
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const BODY = [{ type: 'heading', level: 1, text: MARKER }];
const text = (...formats: string[]) => ({
  svcscript: 1,
  type: 'text',
  save: formats.map((format) => ({ format })),
  body: BODY,
});

const post = (service: TestService, body: unknown, headers?: Record<string, string>) =>
  service.post('/v1/build', body, headers);

describe('POST /v1/build', () => {
  const served: Record<string, Buffer> = {
    ...{ '/pixel.png': PIXEL, '/half.png': PIXEL.subarray(0, -20), '/text': Buffer.from('no picture') },
  };
  const answer: RequestListener = ({ url = '' }, response) =>
    void response.writeHead(served[url] ? 200 : 404).end(served[url]);
  const pictures = useCanary(answer);
  const toUrl = (name: string) => `http://127.0.0.1:${pictures.port}/${name}`;
  const service = useService(() => startEnterprise({ SVC_FETCH_ALLOW_HOSTS: `127.0.0.1:${pictures.port}` }));

  it('one format: the document itself, called tai-lieu', async () => {
    const response = await post(service, { script: text('pdf') });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/pdf');
    expect(response.headers.get('content-disposition')).to.equal('attachment; filename=tai-lieu.pdf');
    expect(await pdfText(Buffer.from(await response.arrayBuffer()))).to.contain(MARKER);
  });

  it('the script may be the whole body, also as curl -d sends it', async () => {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const response = await post(service, text('odt'), type);
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/vnd.oasis.opendocument.text');
    await response.arrayBuffer();
  });

  it('several formats: the job with each of them, under the names asked for', async () => {
    const script = {
      ...text(),
      save: [{ format: 'docx', filename: 'Hợp đồng.docx' }, { format: 'odt' }, { format: 'pdf', pdfa: true }],
    };
    const job = (await (await post(service, { script })).json()) as Job;
    expect(job).to.include({ kind: 'build', status: 'done' });
    expect(job.outputs.map(({ filename, format, pages }) => ({ filename, format, pages }))).to.deep.equal([
      { filename: 'Hợp đồng.docx', format: 'docx', pages: 1 },
      { filename: 'tai-lieu.odt', format: 'odt', pages: 1 },
      { filename: 'tai-lieu.pdf', format: 'pdf', pages: 1 },
    ]);
    const pdf = await service.call(new URL(job.outputs[2]?.url ?? '').pathname);
    expect(Buffer.from(await pdf.arrayBuffer()).toString('latin1')).to.contain('pdfaid');
  });

  it('formulas have their results where nothing shows them: in hidden sheets, fixed rows, outside of what is printed', async () => {
    const sum = { type: 'formula', formula: '=1+2', underline: true };
    const script = {
      ...{ svcscript: 1, type: 'sheet', save: [{ format: 'xlsx' }] },
      sheets: [
        // Without calculating, LibreOffice 7.4 stores 0 for this one.
        { rows: [['a', sum]], print: { area: 'A1:A1', repeat_rows: 1 } },
        { rows: [['a'], { cells: [null, sum], height: 9 }], print: { area: 'A1:A1' } },
        { rows: [[sum]], hidden: true },
      ],
    };
    const parts = unzipSync(new Uint8Array(await (await post(service, script)).arrayBuffer()));
    for (const sheet of ['sheet1', 'sheet2', 'sheet3']) {
      const xml = strFromU8(parts[`xl/worksheets/${sheet}.xml`] ?? new Uint8Array());
      expect(/<f[^>]*>1\+2<\/f><v>([^<]*)<\/v>/.exec(xml)?.[1], sheet).to.equal('3');
    }
  });

  it('async: 202, then done, with pictures from the script and from an address', async () => {
    const body = [
      { type: 'image', url: toUrl('pixel.png'), width: 20 },
      { type: 'image', base64: PIXEL.toString('base64') },
    ];
    const response = await post(service, { script: { ...text('docx'), body }, async: true });
    expect(response.status).to.equal(202);
    expect((await service.ended(((await response.json()) as Job).id)).status).to.equal('done');
  });

  it('async: pictures in the script are looked at before 202, also beside one that is to be fetched', async () => {
    const bad = { type: 'image', base64: Buffer.from('no picture').toString('base64') };
    for (const body of [[bad], [{ type: 'image', url: toUrl('pixel.png') }, bad]]) {
      const error = await readError(await post(service, { script: { ...text('pdf'), body }, async: true }));
      expect(error).to.include({ status: 422, code: 'script_error' });
      expect(error.detail['path']).to.equal(`/body/${body.length - 1}/base64`);
    }
  });

  const pictureMistakes: [string, () => string, string][] = [
    ['an address that is not allowed', () => 'http://127.0.0.2/x.png', 'url_not_allowed'],
    ['an address without a picture', () => toUrl('missing'), 'download_failed'],
    ['something that is no picture', () => toUrl('text'), 'script_error'],
    ['half a picture', () => toUrl('half.png'), 'script_error'],
  ];
  for (const [what, url, code] of pictureMistakes) {
    it(`${what}: ${code} at its place, sync and async`, async () => {
      const script = { ...text('pdf'), body: [...BODY, { type: 'image', url: url() }] };
      const error = await readError(await post(service, script));
      expect(error).to.include({ status: 422, code });
      expect(error.detail['path']).to.equal('/body/1/url');
      const job = (await (await post(service, { script, async: true })).json()) as Job;
      const ended = await service.ended(job.id);
      expect(ended.error).to.include({ code });
      expect(ended.error?.detail).to.include({ path: '/body/1/url' });
    });
  }

  it('a script that breaks the schema: script_invalid with every place', async () => {
    const script = { ...text('pdf'), body: [{ type: 'heading', level: 7, text: 'a' }, { type: 'paragraf' }] };
    const error = await readError(await post(service, { script, async: true }));
    expect(error).to.include({ status: 422, code: 'script_invalid' });
    expect(error.detail['errors']).to.have.deep.members([
      { path: '/body/0/level', message: 'phải <= 6' },
      {
        path: '/body/1/type',
        message:
          'phải là một trong các giá trị heading, paragraph, list, table, image, page_break, horizontal_rule; có phải là paragraph?',
      },
    ]);
  });

  it('a script without an envelope is one by any member of its root: script_invalid at what is missing', async () => {
    const { save, body } = text('pdf');
    for (const [script, path] of [
      [{ type: 'text', save, body }, '/svcscript'],
      [{ svcscript: 1, save, body }, '/type'],
      [{ svcscript: 1 }, '/save'],
      [{ save, async: true }, '/async'],
      [{ sheets: [] }, '/svcscript'],
      [{ slides: [] }, '/svcscript'],
    ] as const) {
      const error = await readError(await post(service, script));
      expect(error, path).to.include({ status: 422, code: 'script_invalid' });
      expect(JSON.stringify(error.detail['errors'])).to.contain(`"path":"${path}"`);
    }
  });

  it('an envelope with a mistake, JSON that does not parse, or another kind of body: bad_request', async () => {
    const script = text('pdf');
    const yaml = { 'Content-Type': 'text/yaml' };
    for (const [body, path, headers] of [
      [{}, '/script'],
      [{ script: [] }, '/script'],
      [{ script, asynch: true }, '/asynch'],
      [{ script, async: 'yes' }, '/async'],
      ['{"svcscript": 1,'],
      ['svcscript: 1', undefined, yaml],
    ] as [unknown, string?, Record<string, string>?][]) {
      const error = await readError(await post(service, body, headers));
      expect(error, JSON.stringify(body)).to.include({ status: 400, code: 'bad_request' });
      if (path) expect(error.detail['errors']).to.have.nested.property('[0].path', path);
    }
  });

  it('GET /v1/script.schema.json is the schema, for whoever asks', async () => {
    const response = await fetch(`${service.url}/v1/script.schema.json`);
    expect(response.headers.get('content-type')).to.contain('application/schema+json');
    const schema = (await response.json()) as Record<string, unknown>;
    expect(schema['$schema']).to.equal('http://json-schema.org/draft-07/schema#');
    expect(schema['properties']).to.include.keys('svcscript', 'type', 'meta', 'save', 'body', 'sheets', 'slides');
  });
});

describe('POST /v1/build in the Community plan', () => {
  const state = { now: Date.now() };
  const service = useService(() => startService({}, { clock: () => state.now }));
  afterEach(() => {
    state.now += 60_000;
  });

  it('refuses a second output and counts nothing', async () => {
    const response = await post(service, text('docx', 'pdf'));
    expect(response.headers.get('x-ratelimit-remaining')).to.equal('10');
    const detail = { feature: 'multiple_outputs', edition: 'community', limit: 1 };
    expect(await readError(response)).to.deep.equal({ status: 403, code: 'forbidden_feature', detail });
  });

  it('takes 500 units, not 501', async () => {
    const of = (units: number) => ({ ...text('docx'), body: Array(units).fill({ type: 'paragraph', text: 'a' }) });
    const built = await post(service, of(500));
    expect(built.status).to.equal(200);
    const detail = { units: 501, limit: 500 };
    const error = await readError(await post(service, of(501)));
    expect(error).to.deep.equal({ status: 422, code: 'script_too_large', detail });
  });

  it('a body over the largest file: file_too_large', async () => {
    const error = await readError(await post(service, ' '.repeat(10 * 1024 * 1024 + 1)));
    expect(error).to.deep.include({ status: 413, code: 'file_too_large', detail: { limit_mb: 10, subject: 'body' } });
  });
});
