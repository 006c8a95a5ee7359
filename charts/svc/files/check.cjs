// Run by `helm test` in the controller's image: is the CRD served, is the controller ready?
const { readFileSync } = require('node:fs');

const { API_SERVER, TOKEN_FILE, CONTROLLER } = process.env;
const api = `${API_SERVER}/apis/svc.internal/v1`;
const health = `${CONTROLLER}/readyz`;
const PATIENCE_MS = 30_000;
const headers = { Authorization: `Bearer ${readFileSync(TOKEN_FILE, 'utf8')}` };

async function check() {
  const discovery = await fetch(api, { headers, signal: AbortSignal.timeout(10_000) });
  if (!discovery.ok) throw new Error(`${api} answers ${discovery.status}: is the CRD installed (crds.enabled)?`);
  const { resources } = await discovery.json();
  const names = resources.map(({ name }) => name);
  for (const name of ['svcinstances', 'svcinstances/status']) {
    if (!names.includes(name)) throw new Error(`${api} has no ${name}, only ${names}`);
  }
  const ready = await patiently(() => fetch(health, { signal: AbortSignal.timeout(10_000) }));
  if (!ready.ok) throw new Error(`${health} answers ${ready.status}: see the controller's log`);
  return 'the CRD is served, the controller is ready';
}

// The Service of this test is as new as its pod: for a moment it leads nowhere.
async function patiently(ask) {
  for (const started = Date.now(); ; ) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() - started > PATIENCE_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

check().then(
  (message) => process.stdout.write(`${message}\n`),
  (error) => {
    process.stderr.write(`${error.message}${error.cause ? ` (${error.cause.message})` : ''}\n`);
    process.exitCode = 1;
  },
);
