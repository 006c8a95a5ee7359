import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { conditionIs } from './support/instance.ts';
import { type Office, officeFor } from './support/office.ts';
import { parseLog } from './support/release.ts';
import { type ClusterSessions, openSessions } from './support/sessions.ts';

describe('on a cluster: fails open', function () {
  this.timeout(180_000);
  let office: Office;
  let sessions: ClusterSessions;

  before(async function () {
    office = await officeFor(this);
    sessions = await openSessions(office);
  });
  after(async () => {
    await office?.kubectl('annotate', 'svcinstance/office', 'svc.internal/paused-');
    await office?.ready();
  });

  it('while the gate is away the editor page opens nevertheless, and the log of the front says so', async () => {
    const session = await sessions.create({ key: 'open' });
    // Otherwise the controller starts it again at once.
    await office.kubectl('annotate', 'svcinstance/office', 'svc.internal/paused=true');
    await conditionIs(office, 'Paused', 'True');
    await office.kubectl('scale', 'deployment/office-gate', '--replicas=0');
    await until('the gate has gone', async () => (await office.pods('gate')).length === 0, 60_000);
    await conditionIs(office, 'GateAvailable', 'False', 'ScaledToZero');

    const form = Object.entries(session.form).map(([name, value]): [string, string] => [name, String(value)]);
    // Until they end, the node leads to gates that are on their way out: some 20 s where there are several.
    const askAgain = async () => {
      const page = await sessions.call(session.editor_url, { method: 'POST', body: new URLSearchParams(form) });
      expect(page.status).to.equal(200);
      expect(await page.text()).to.include('data-uri=');
    };
    const isLogged = async () => {
      await askAgain();
      const selector = 'app.kubernetes.io/component=front';
      const lines = parseLog(await office.kubectl('logs', '--selector', selector, '--tail=-1', '--prefix=false'));
      return lines.some(({ event }) => event === 'gate_failed_open');
    };
    await until('the log says so', isLogged, 60_000);
  });
});
