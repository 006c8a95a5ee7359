import { expect } from 'chai';
import { withContext } from '../../../src/common/context.ts';
import { createLogger, type LogLevel } from '../../../src/common/log.ts';

const SECRETS = ['authorization', 'token', 'access_token', 'password', 'secret', 'key', 'api_key', 'apiKey'];

describe('the log', () => {
  function logger(level: LogLevel) {
    const written: string[] = [];
    const log = createLogger({ service: 'gate', level, destination: { write: (line) => void written.push(line) } });
    return { log, written, lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) };
  }

  it('is one JSON object a line, with service, level, time and the request it belongs to', () => {
    const { log, written, lines } = logger('info');
    withContext({ requestId: 'req_0123456789abcdef' }, () => log.info({ document: 'doc_1' }, 'hai\ndòng'));
    log.warn('without a request');
    for (const line of written) expect(line).to.match(/^\{[^\n]*\}\n$/);
    const [first, second] = lines();
    expect(first).to.include({
      ...{ service: 'gate', level: 'info', requestId: 'req_0123456789abcdef', document: 'doc_1', msg: 'hai\ndòng' },
    });
    expect(first?.['time']).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(second).to.include({ level: 'warn' }).and.not.have.property('requestId');
  });

  it('has nothing below its level', () => {
    const { log, lines } = logger('warn');
    for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const) log[level](level);
    expect(lines().map(({ level }) => level)).to.deep.equal(['warn', 'error', 'fatal']);
  });

  it('has no key, token or password that a careless line hands it', () => {
    const { log, written, lines } = logger('info');
    for (const name of SECRETS) log.info({ [name]: 'hunter2', of: { [name]: 'hunter2' } }, 'careless');
    log.error({ err: Object.assign(new Error('failed'), { token: 'hunter2' }) }, 'careless');
    expect(lines()).to.have.lengthOf(SECRETS.length + 1);
    expect(written.join('')).to.contain('[redacted]').and.not.contain('hunter2');
  });

  it('has what an error is, without the constants of its class', () => {
    const { log, lines } = logger('info');
    log.warn({ err: Object.assign(new DOMException('too late', 'TimeoutError'), { attempt: 2 }) }, 'late');
    const [line] = lines();
    expect(line?.['err']).to.have.all.keys('type', 'message', 'stack', 'name', 'code', 'attempt');
    expect(line?.['err']).to.include({ name: 'TimeoutError', message: 'too late', attempt: 2 });
  });
});
