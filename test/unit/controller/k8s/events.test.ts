import { expect } from 'chai';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { EventRecorder } from '../../../../cmd/controller/k8s/events.ts';
import { testLogger } from '../../../support/logs.ts';
import { refuse, useStandIn } from './stand-in.ts';

const PATH = '/apis/events.k8s.io/v1/namespaces/one/events';
const OFFICE: KubernetesObject = {
  apiVersion: 'svc.internal/v1',
  kind: 'SvcInstance',
  metadata: { namespace: 'one', name: 'office', uid: 'u1', resourceVersion: '7' },
};
const EXPIRES = { type: 'Warning', reason: 'LicenseExpires', note: 'The licence expires in 7 days.' } as const;

type Event = KubernetesObject & { note: string };

describe('k8s: events', () => {
  const at = useStandIn(300);
  let recorder: EventRecorder;
  let now: number;

  beforeEach(async () => {
    now = Date.parse('2026-05-01T00:00:00Z');
    recorder = new EventRecorder({
      client: at.client,
      controller: 'svc.internal/controller',
      instance: 'pod-1',
      clock: () => now,
      log: testLogger(),
      retryMs: 5,
    });
  });

  afterEach(() => recorder.stop());

  const written = (): Event[] => at.server.objects(PATH) as Event[];

  it('are written with all that the API asks for', async () => {
    recorder.record(OFFICE, EXPIRES);
    await recorder.flushed();
    const [{ metadata, ...event } = {} as Event] = written();
    expect(metadata.name).to.match(/^office\.[0-9a-f]{16}$/);
    expect(event).to.deep.equal({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      eventTime: '2026-05-01T00:00:00.000000Z',
      ...EXPIRES,
      action: 'Reconcile',
      reportingController: 'svc.internal/controller',
      reportingInstance: 'pod-1',
      regarding: {
        apiVersion: 'svc.internal/v1',
        kind: 'SvcInstance',
        namespace: 'one',
        name: 'office',
        uid: 'u1',
        resourceVersion: '7',
      },
    });
  });

  it('are written once in five minutes, however often they come, each time with a name of its own', async () => {
    for (let count = 0; count < 50; count += 1) recorder.record(OFFICE, EXPIRES);
    await recorder.flushed();
    now += 299_999;
    recorder.record(OFFICE, EXPIRES);
    await recorder.flushed();
    expect(at.server.requests).to.have.lengthOf(1);
    now += 1;
    recorder.record(OFFICE, EXPIRES);
    await recorder.flushed();
    expect(written()).to.have.lengthOf(2);
  });

  it('are others about another object, of another reason or with another note', async () => {
    recorder.record(OFFICE, EXPIRES);
    recorder.record(OFFICE, { ...EXPIRES, note: 'The licence expires in 1 day.' });
    recorder.record(OFFICE, { ...EXPIRES, reason: 'Other' });
    recorder.record({ ...OFFICE, metadata: { ...OFFICE.metadata, uid: 'u2' } }, EXPIRES);
    await recorder.flushed();
    expect(written()).to.have.lengthOf(4);
  });

  it('wait for an API server that has trouble, and are given up where that is hopeless', async () => {
    let refused = 0;
    at.server.fault = (request, response) => {
      refused += 1;
      if (refused === 1) request.socket.resetAndDestroy();
      else if (refused < 4) refuse(response, 503, 'ServiceUnavailable');
      return refused < 4;
    };
    recorder.record(OFFICE, EXPIRES);
    await recorder.flushed();
    expect(written()).to.have.lengthOf(1);
    at.server.fault = (_, response) => refuse(response, 403, 'Forbidden');
    const before = at.server.requests.length;
    recorder.record(OFFICE, { ...EXPIRES, reason: 'Other' });
    await recorder.flushed();
    expect(at.server.requests.length - before).to.equal(1);
  });

  it('never throw and take bounded memory and requests while nothing can be written', async () => {
    at.server.fault = () => true;
    for (let count = 0; count < 700; count += 1) recorder.record(OFFICE, { ...EXPIRES, note: `note ${count}` });
    at.server.fault = undefined;
    await recorder.flushed();
    expect(written().length).to.be.within(500, 502);
    expect(written().at(-1)?.note).to.equal('note 699');
    const { length } = written();
    for (const note of ['note 699', 'note 0']) recorder.record(OFFICE, { ...EXPIRES, note });
    await recorder.flushed();
    expect(written().length - length, 'the oldest are forgotten').to.equal(1);
  });

  it('have notes of 1,024 bytes at most, of whole characters', async () => {
    recorder.record(OFFICE, { ...EXPIRES, note: 'ä'.repeat(1000) });
    recorder.record(OFFICE, { ...EXPIRES, note: `x${'ä'.repeat(1000)}` });
    await recorder.flushed();
    for (const { note } of written()) {
      expect(Buffer.byteLength(note)).to.be.within(1020, 1024);
      expect(note).to.match(/^x?ä+…$/);
    }
  });
});
