import { launchBrowser } from '../../scripts/editor-check/browser.ts';
import { startTestCluster } from '../support/controller.ts';
import { drawScreen } from './print.ts';

const STYLE = `
html { background: #0d1117; }
body { margin: 0; }
pre { margin: 0; padding: 18px 22px; color: #e6edf3; font: 14px/1.6 'DejaVu Sans Mono', monospace; }
b { color: #7ee787; font-weight: normal; }`;
const SKIP = {
  skip: () => {
    throw new Error('there is no API server: run `make test` once');
  },
} as unknown as Mocha.Context;

/** `kubectl get svcinstance`, asked of a real API server at which the controller works; this script plays the kubelet. */
export async function kubectl(): Promise<string> {
  const cluster = await startTestCluster(SKIP);
  try {
    await cluster.putSecret('svc-license', { token: await cluster.license(200) });
    await cluster.startController();
    await cluster.apply('office', { host: 'office.example.com', license: { secretName: 'svc-license' } });
    await cluster.settled('office');
    await cluster.completeDeployments();
    await cluster.settled('office', ({ status }) => status?.conditions?.some(isReady) === true);
    await cluster.apply('intranet', { host: 'docs.intranet.example.com' });
    await cluster.settled('intranet', ({ status }) => status?.plan !== undefined);
    const get = (...more: string[]) => cluster.server.kubectl(['-n', cluster.namespace, 'get', 'svcinstance', ...more]);
    return await terminal([['kubectl get svcinstance', await get()]]);
  } finally {
    await cluster.close();
  }
}

function isReady({ type, status }: { type: string; status: string }): boolean {
  return type === 'Ready' && status === 'True';
}

async function terminal(commands: readonly (readonly [command: string, output: string])[]): Promise<string> {
  const { browser, close } = await launchBrowser('chromium');
  try {
    const page = await browser.newPage();
    const text = commands.map(([command, output]) => `<b>$ ${command}</b>\n${output}`).join('\n');
    const columns = Math.max(...text.split('\n').map(({ length }) => length));
    const size = {
      width: 44 + Math.ceil(columns * 8.45),
      height: 36 + Math.ceil(text.trimEnd().split('\n').length * 22.4),
    };
    await page.setContent(`<style>${STYLE}</style><pre>${text}</pre>`);
    return await drawScreen(page, size, 'kubectl get svcinstance');
  } finally {
    await close();
  }
}
