import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Outcome } from '../../../scripts/editor-check/day.ts';
import { chooseDays, DAYS } from '../../../scripts/editor-check/days.ts';
import { type Line, openLine } from '../../../scripts/editor-check/line.ts';
import { readOptions } from '../../../scripts/editor-check/options.ts';
import { report } from '../../../scripts/editor-check/report.ts';
import { portOf } from '../../support/listen.ts';

describe('the editor check', () => {
  describe('options', () => {
    for (const [given, message] of [
      ['--online-url https://office', /--online-url https:\/\/office must be an address such as/],
      ['--online-url http://office/x', /must be an address such as/],
      ['--browser safari', /chromium or firefox/],
      ['--repeat many', /--repeat many is not a whole number/],
      ['--repeat -1', /repeat/],
      ['--nonsense', /nonsense/],
      ['socket-cut', /socket-cut/],
    ] as const) {
      it(`refuses ${given}`, () => {
        expect(() => readOptions(given.split(' '))).to.throw(RangeError, message);
      });
    }

    it('has fewer rounds when it is to be quick, unless told', () => {
      expect(readOptions([])).to.include({ repeat: 3, openings: 10, port: 8080, browser: 'chromium' });
      expect(readOptions(['--quick'])).to.include({ repeat: 1, openings: 3 });
      expect(readOptions(['--quick', '--repeat', '100'])).to.include({ repeat: 100 });
    });

    it('chooses days by their names, which are all different', () => {
      expect(chooseDays([])).to.have.length(new Set(DAYS.map(({ name }) => name)).size);
      expect(chooseDays(['print', 'sleep']).map(({ name }) => name)).to.deep.equal(['sleep', 'print']);
      expect(() => chooseDays(['doomsday'])).to.throw(RangeError, /there is no such day/);
    });
  });

  it('tells of each day what was lost, how soon save() works and what the page told', () => {
    const day = { name: 'cut', about: 'a | cut', play: async () => {} };
    const tally = {
      rounds: 3,
      typed: 6,
      lost: ['x'],
      faults: [],
      back: [2.04, 9, undefined],
      told: new Set(['onReady', 'onError a']),
    };
    const outcomes: Outcome[] = [
      { day, tally: { ...tally, notes: ['a note'] }, verdict: 'failed', reasons: ['1 edits lost'] },
      { day, tally: { ...tally, notes: [], back: [], told: new Set() }, verdict: 'left out', reasons: ['no way'] },
    ];
    expect(report(outcomes, true).split('\n').slice(2)).to.deep.equal([
      '| cut | a \\| cut | 3 | 1 of 6 | 5.5 s, at most 9.0 s; never: 1 | onError a | failed; 1 edits lost; a note |',
      '| cut | a \\| cut |  |  |  |  | left out; no way |',
    ]);
    expect(report(outcomes, false)).to.match(/^day {2}what was done {2}rounds .*\ncut {2}a \| cut +3 +1 of 6/);
  });

  describe('line', () => {
    const BYTES = 30_000;
    let server: Server;
    let line: Line;
    beforeEach(async () => {
      server = createServer((socket) => socket.on('error', () => {}).end(Buffer.alloc(BYTES))).listen(0, '127.0.0.1');
      line = await openLine(0, await portOf(server));
    });
    afterEach(async () => {
      await line.close();
      server.close();
    });
    const fetchAll = () => buffer(connect(line.port, '127.0.0.1'));

    it('passes all bytes on, and slowly when it is slow', async () => {
      expect(await fetchAll()).to.have.length(BYTES);
      line.setSlowness({ bytesPerSecond: 100_000, delayMs: 100 });
      const began = performance.now();
      expect(await fetchAll()).to.have.length(BYTES);
      expect(performance.now() - began).to.be.greaterThan(395);
    });

    it('lets nothing through while it is lost, and resets what waited when it is back', async () => {
      line.lose('silently');
      const waiting = connect(line.port, '127.0.0.1');
      let heard = 0;
      waiting.on('data', ({ length }) => {
        heard += length;
      });
      await once(waiting, 'connect');
      await new Promise((resolve) => setTimeout(resolve, 100));
      const reset = once(waiting, 'error');
      line.recover();
      expect((await reset)[0]).to.include({ code: 'ECONNRESET' });
      expect(heard).to.equal(0);
      expect(await fetchAll()).to.have.length(BYTES);
    });

    it('refuses connections while it is lost openly', async () => {
      line.lose('openly');
      expect(await fetchAll().catch(({ code }) => code)).to.equal('ECONNRESET');
    });
  });
});
