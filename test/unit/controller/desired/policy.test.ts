import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { notAllowed, parsePolicy } from '../../../../cmd/controller/desired/policy.ts';
import type { Policy, PolicyField } from '../../../../cmd/controller/desired/types.ts';
import { makeSituation, type PartialSpec } from './situation.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../../docs/examples');
const NGINX = 'nginx.ingress.kubernetes.io';

const ingress = (name: string): PartialSpec => ({ ingress: { annotations: { [name]: 'x' } } });
const service = (name: string): PartialSpec => ({ front: { service: { annotations: { [name]: 'x' } } } });
const params = (...extraParams: string[]): PartialSpec => ({ editor: { extraParams } });
const role = (name: string): PartialSpec => ({
  storage: { s3: { bucket: 'documents', serviceAccountAnnotations: { [name]: 'x' } } },
});
const pod = (overrides: object): PartialSpec => ({ docbuilder: { pod: overrides } });
const tolerating = (key: string) => pod({ tolerations: [{ ...(key !== '*' && { key }), operator: 'Exists' }] });

/** Rights beyond an author's: the member of `allow` that grants each, a spec that uses it, and its names. */
const WIDENING: readonly [field: PolicyField, make: (name: string) => PartialSpec, names: string][] = [
  [
    'ingressAnnotations',
    (name) => ingress(`${NGINX}/${name}`),
    `server-snippet configuration-snippet auth-snippet stream-snippet modsecurity-snippet server-alias auth-url
     auth-signin auth-secret auth-tls-secret satisfy default-backend custom-http-errors mirror-target permanent-redirect
     rewrite-target upstream-vhost canary backend-protocol proxy-ssl-secret enable-access-log`,
  ],
  [
    'ingressAnnotations',
    ingress,
    `nginx.org/server-snippets haproxy-ingress.github.io/config-backend konghq.com/plugins
     traefik.ingress.kubernetes.io/router.middlewares alb.ingress.kubernetes.io/group.name
     external-dns.alpha.kubernetes.io/hostname cert-manager.io/common-name of.somebody/server-snippet`,
  ],
  ['serviceAnnotations', service, 'metallb.universe.tf/allow-shared-ip external-dns.alpha.kubernetes.io/hostname'],
  [
    'podAnnotations',
    (name) => pod({ annotations: { [name]: 'x' } }),
    `container.apparmor.security.beta.kubernetes.io/docbuilder seccomp.security.alpha.kubernetes.io/pod
     k8s.v1.cni.cncf.io/networks cdi.k8s.io/gpu iam.amazonaws.com/role sidecar.istio.io/userVolume
     vault.hashicorp.com/role io.kubernetes.cri-o.Devices`,
  ],
  ['podLabels', (name) => pod({ labels: { [name]: 'x' } }), 'app aadpodidbinding sidecar.istio.io/inject'],
  ['priorityClasses', (name) => pod({ priorityClassName: name }), 'system-node-critical system-cluster-critical'],
  ['serviceAccountAnnotations', role, 'eks.amazonaws.com/role-arn'],
  ['tolerations', tolerating, '* node-role.kubernetes.io/control-plane'],
  [
    'editorParams',
    (setting) => params(`--o:${setting}`),
    `logging.level=trace logging.level=debug logging.level=information logging[0].level=trace
     logging.level=warning;trace logging.protocol=true logging.anonymize.anonymize_user_data=false
     security.seccomp=false security.capabilities=false security.enable_macros_execution=true
     net.lok_allow.host[0]=.* net[@x=y].lok_allow.host=.* trace[@enable]=true languagetool.base_url=http://x
     remote_font_config.url=http://x indirection_endpoint.url=http://x browser_logging=true welcome.path=/etc
     monitors.monitor[0]=wss://x file_server_root_path=/ of_the_future=1`,
  ],
];

const violations = (spec: PartialSpec, policy: Policy = {}) =>
  notAllowed(makeSituation({ spec }).instance.spec, policy);

describe('what a spec may not have unless the administrator allows it', () => {
  for (const [field, make, names] of WIDENING) {
    it(`is violations with what to do, and allowed by its name: ${field} such as ${names.split(/\s+/)[0]}`, () => {
      for (const written of names.split(/\s+/)) {
        const spec = make(written);
        const [message, ...others] = violations(spec);
        const [, name] = / has (\S+), which/.exec(message ?? '') ?? [];
        expect(others, written).to.deep.equal([]);
        expect(message).to.match(
          /^spec\.[A-Za-z0-9.]+ has \S+, which the administrator of this cluster has not allowed: /,
        );
        expect(message).to.include(`: remove it, or have it added to allow.${field} in the values`);
        const plain = written.replace(/=(?![^[]*\]).*$/s, '').replaceAll(/\[[^\]]*\]/g, '');
        expect(name).to.be.oneOf([plain, `${NGINX}/${plain}`]);
        expect(violations(spec, { [field]: [name] })).to.deep.equal([]);
        expect(violations(spec, { [field]: ['*'] })).to.deep.equal([]);
        expect(violations(spec, { [field]: [`${name}x`] })).to.deep.equal([message]);
      }
    });
  }

  it('is no value of a setting: it may be a secret', () => {
    expect(violations(params('--o:deepl.auth_key=s3cret'))[0]).not.to.include('s3cret');
  });

  it('is told once for each part of the spec', () => {
    const spec = { ingress: { annotations: { 'a.b/c': '', 'd.e/f': '' } }, gate: { pod: { labels: { a: '' } } } };
    expect(violations(spec).map((message) => message.split(', which')[0])).to.deep.equal([
      'spec.ingress.annotations has a.b/c, d.e/f',
      'spec.gate.pod.labels has a',
    ]);
  });
});

describe('what every instance may have', () => {
  for (const name of readdirSync(EXAMPLES)) {
    it(`is what docs/examples/${name} has`, () => {
      expect(
        violations((load(readFileSync(join(EXAMPLES, name), 'utf8')) as { spec: PartialSpec }).spec),
      ).to.deep.equal([]);
    });
  }

  it('is what changes neither security nor routing', () => {
    for (const spec of [
      ingress('cert-manager.io/cluster-issuer'),
      ingress(`${NGINX}/whitelist-source-range`),
      ingress('kubernetes.io/ingress.class'),
      service('service.beta.kubernetes.io/azure-load-balancer-internal'),
      pod({ annotations: { 'prometheus.io/scrape': 'false' }, priorityClassName: 'office' }),
      pod({ tolerations: [{ key: 'example.com/pool', operator: 'Exists' }] }),
      params('--o:logging.level=warning', '--o:user_interface.mode=notebookbar', '--o:watermark[0].text=a=b'),
      params('--o:per_document.view_limit=5', '--o:zotero.enable=false', '--o:memproportion=50'),
    ]) {
      expect(violations(spec), JSON.stringify(spec)).to.deep.equal([]);
    }
  });
});

describe('what the administrator allows', () => {
  it('is given as field=name', () => {
    expect(parsePolicy(['podLabels=team', 'podLabels=cost-centre', 'editorParams=logging.level=debug'])).to.deep.equal({
      podLabels: ['team', 'cost-centre'],
      editorParams: ['logging.level=debug'],
    });
  });

  it('may be one value of a setting', () => {
    const policy = { editorParams: ['logging.level=debug'] };
    expect(violations(params('--o:logging.level=debug'), policy)).to.deep.equal([]);
    expect(violations(params('--o:logging.level=trace'), policy)).to.have.lengthOf(1);
  });
});
