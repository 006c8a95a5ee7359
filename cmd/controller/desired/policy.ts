import type { SvcInstanceSpec } from '../../../src/common/generated/wire.ts';
import { COMPONENTS } from './names.ts';
import type { Policy, PolicyField } from './types.ts';

/** @param items `field=name`, as the configuration's schema has checked them */
export function parsePolicy(items: readonly string[]): Policy {
  const parsed = items.map((item) => item.split(/=(.*)/s, 2) as [PolicyField, string]);
  const byField = Object.groupBy(parsed, ([field]) => field);
  return Object.fromEntries(Object.entries(byField).map(([field, pairs]) => [field, pairs.map(([, name]) => name)]));
}

/** A part of a spec that must be allowed. */
interface Asked {
  /** Such as `spec.ingress.annotations`. */
  path: string;
  field: PolicyField;
  names: readonly string[];
}

/** Every instance may have these. Other annotations may command a controller of the cluster. */
const HARMLESS: Policy = {
  ingressAnnotations: [
    ...named('cert-manager.io', 'issuer', 'cluster-issuer', 'issuer-kind', 'issuer-group', 'duration', 'renew-before'),
    ...named('cert-manager.io', 'private-key-algorithm', 'private-key-size', 'private-key-rotation-policy'),
    ...named('kubernetes.io', 'ingress.class', 'tls-acme'),
    ...named('nginx.ingress.kubernetes.io', 'ssl-redirect', 'force-ssl-redirect', 'preserve-trailing-slash'),
    ...named('nginx.ingress.kubernetes.io', 'whitelist-source-range', 'denylist-source-range'),
    ...named('nginx.ingress.kubernetes.io', 'limit-connections', 'limit-rps', 'limit-rpm', 'limit-burst-multiplier'),
  ],
  serviceAnnotations: [
    ...named('service.beta.kubernetes.io', 'aws-load-balancer-type', 'aws-load-balancer-nlb-target-type'),
    ...named('service.beta.kubernetes.io', 'aws-load-balancer-scheme', 'aws-load-balancer-internal'),
    ...named('service.beta.kubernetes.io', 'azure-load-balancer-internal'),
    ...named('networking.gke.io', 'load-balancer-type'),
    ...named('service.kubernetes.io', 'topology-mode'),
    'prometheus.io/*',
  ],
  podAnnotations: [
    ...named('kubectl.kubernetes.io', 'default-container', 'restartedAt'),
    ...['prometheus.io/*', 'cluster-autoscaler.kubernetes.io/*', 'karpenter.sh/*', 'checksum/*'],
  ],
  // These change the look of pages and the resources of documents, or switch something off.
  editorParams: [
    ...sections('accessibility', 'extra_export_formats', 'feature_lock', 'fonts_missing', 'home_mode', 'per_view'),
    ...sections('overwrite_mode', 'per_document', 'user_interface', 'watermark', 'zotero'),
    ...['allowed_languages', 'default_language', 'allow_update_popup', 'fetch_update_check', 'help_url'],
    ...['product_name', 'restricted_commands', 'mount_jail_tree', 'memproportion', 'num_prespawn_children'],
    ...['tile_cache_persistent', 'net.connection_timeout_secs', 'welcome.enable'],
    // From `information` on the log has tokens.
    ...['none', 'fatal', 'critical', 'error', 'warning', 'notice'].map((level) => `logging.level=${level}`),
  ],
};

/** Returns a sentence for each part of a spec with something that is not allowed. Secrets are checked elsewhere (`permissionTrouble`). */
export function notAllowed(spec: SvcInstanceSpec, policy: Policy): string[] {
  return asked(spec).flatMap(({ path, field, names }) => {
    const refused = names.filter((name) => !isAllowed(policy, field, name)).map(withoutValue);
    if (refused.length === 0) return [];
    return [
      `${path} has ${refused.join(', ')}, which the administrator of this cluster has not allowed: ` +
        `remove it, or have it added to allow.${field} in the values of the controller's chart.`,
    ];
  });
}

/** @param name of an annotation, a label or the like; of a setting of the editor `name=value` */
export function isAllowed(policy: Policy, field: PolicyField, name: string): boolean {
  const patterns = [...(HARMLESS[field] ?? []), ...(policy[field] ?? [])];
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : [name, withoutValue(name)].includes(pattern),
  );
}

function asked(spec: SvcInstanceSpec): Asked[] {
  const { ingress, front, editor, storage } = spec;
  const ask = (path: string, field: PolicyField, names: readonly string[]): Asked => ({ path, field, names });
  return [
    ask('spec.ingress.annotations', 'ingressAnnotations', Object.keys(ingress.annotations)),
    ask('spec.front.service.annotations', 'serviceAnnotations', Object.keys(front.service.annotations)),
    ask(
      'spec.storage.s3.serviceAccountAnnotations',
      'serviceAccountAnnotations',
      Object.keys(storage.s3?.serviceAccountAnnotations ?? {}),
    ),
    ask('spec.editor.extraParams', 'editorParams', editor.extraParams.map(toSetting)),
    ...COMPONENTS.flatMap((component) => {
      const { annotations = {}, labels = {}, priorityClassName = '', tolerations = [] } = spec[component].pod;
      const path = `spec.${component}.pod`;
      // Without a key a toleration is of all taints.
      const keys = tolerations.map(({ key = '*' }) => key);
      return [
        ask(`${path}.annotations`, 'podAnnotations', Object.keys(annotations)),
        // Services and network policies of others select pods by them.
        ask(`${path}.labels`, 'podLabels', Object.keys(labels)),
        ask(`${path}.priorityClassName`, 'priorityClasses', [priorityClassName].filter(isOfTheSystem)),
        ask(`${path}.tolerations`, 'tolerations', keys.filter(isOfTheControlPlane)),
      ];
    }),
  ];
}

function isOfTheSystem(priorityClass: string): boolean {
  return priorityClass.startsWith('system-');
}

function isOfTheControlPlane(taint: string): boolean {
  return taint === '*' || taint.startsWith('node-role.kubernetes.io/');
}

/** `--o:per_document[0].x[@y]=z` as `per_document.x=z`: indexes and attributes are parts of the setting that they stand at. */
function toSetting(parameter: string): string {
  const [, path = '', value = ''] = /^--o:((?:[^=[]|\[[^\]]*\])*)=(.*)$/su.exec(parameter) ?? [];
  return `${path.replaceAll(/\[[^\]]*\]/g, '')}=${value}`;
}

function withoutValue(name: string): string {
  return name.split('=', 1).join();
}

function named(domain: string, ...names: readonly string[]): string[] {
  return names.map((name) => `${domain}/${name}`);
}

function sections(...names: readonly string[]): string[] {
  return names.map((name) => `${name}.*`);
}
