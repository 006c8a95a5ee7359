import { dump } from 'js-yaml';
import { instanceSchemas, type Node, structural } from './instance.ts';

const GROUP = 'svc.internal';
const PLURAL = 'svcinstances';
const NAME = `${PLURAL}.${GROUP}`;
const NOTE = '# Made from schemas/ by `npm run generate`. Do not edit.';

/** Columns of `kubectl get svcinstance`; those of priority 1 only with `-o wide`. */
const COLUMNS = [
  column('Ready', 'string', 'Whether the service works.', '.status.conditions[?(@.type=="Ready")].status'),
  column('Reason', 'string', 'Why it does or does not.', '.status.conditions[?(@.type=="Ready")].reason'),
  column('Edition', 'string', 'Edition in force.', '.status.edition'),
  column('Connections', 'integer', 'Concurrent editing connections.', '.status.plan.connections'),
  column('Workers', 'integer', "DocBuilder's workers.", '.status.docbuilder.workers'),
  column('Host', 'string', 'Public name.', '.spec.host'),
  column('License', 'string', 'State of the licence.', '.status.license.state', 1),
  // Not `date`: that is shown as an age, which a time to come has not.
  column('Expires', 'string', 'When the licence expires.', '.status.license.expiresAt', 1),
  column('Version', 'string', 'Version of the product.', '.status.version', 1),
  column('Editor', 'string', 'Image of the editor.', '.status.images.editor', 1),
  column('Age', 'date', 'Time since it was made.', '.metadata.creationTimestamp'),
];

/** For autoscalers and `kubectl scale`: of all parts only the front may have any number of pods. */
const SCALE = {
  specReplicasPath: '.spec.front.replicas',
  statusReplicasPath: '.status.replicas.front.ready',
  labelSelectorPath: '.status.frontSelector',
};

/** metadata of an instance; names of its objects are made from it, and some of those must be DNS labels. */
const NAME_RULES = [
  {
    rule: 'self.metadata.name.size() <= 40',
    fieldPath: '.metadata.name',
    message:
      'metadata.name must have at most 40 characters: names of other objects are made from it; choose a shorter one',
  },
  {
    rule: "self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$')",
    fieldPath: '.metadata.name',
    message: 'metadata.name must begin with a letter and have lower case letters, digits and dashes only, no dots',
  },
  // A broken licence in the controller's own copy would leave no good one that counts on.
  notMade('license', 'secretName', 'license'),
  notMade('secrets', 'secretName', 'secrets'),
  notMade('editor', 'adminSecretName', 'secrets'),
];

/** That a Secret which the spec names is none of those that the controller makes. */
function notMade(part: string, field: string, made: 'license' | 'secrets'): Node {
  const path = `${part}.${field}`;
  return {
    rule: `!has(self.spec.${part}) || !has(self.spec.${path}) || self.spec.${path} != self.metadata.name + '-${made}'`,
    fieldPath: `.spec.${path}`,
    message: `${path} may not be the Secret <name>-${made} of an instance <name>, which the controller makes itself: call yours otherwise`,
  };
}

/** `crds/svcinstances.svc.internal.yaml`, for kubectl and GitOps. */
export function crdFile(): string {
  return `${NOTE}\n${yaml({ ...HEAD, metadata: { name: NAME }, spec: spec() })}`;
}

/** The chart's template of the same: in templates/, because Helm never upgrades what is in a chart's crds/. */
export function crdTemplate(): string {
  return [
    NOTE,
    '{{- if .Values.crds.enabled }}',
    yaml(HEAD).trimEnd(),
    'metadata:',
    `  name: ${NAME}`,
    '  labels:',
    '    {{- include "svc.metaLabels" . | nindent 4 }}',
    '  {{- if .Values.crds.keep }}',
    '  annotations:',
    '    helm.sh/resource-policy: keep',
    '  {{- end }}',
    verbatim(yaml({ spec: spec() })).trimEnd(),
    '{{- end }}',
    '',
  ].join('\n');
}

const HEAD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

function spec(): Node {
  return {
    group: GROUP,
    scope: 'Namespaced',
    names: {
      kind: 'SvcInstance',
      listKind: 'SvcInstanceList',
      plural: PLURAL,
      singular: 'svcinstance',
      shortNames: ['svci'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: COLUMNS,
        subresources: { status: {}, scale: SCALE },
        schema: { openAPIV3Schema: root() },
      },
    ],
  };
}

function root(): Node {
  return {
    description: 'Document editing and document processing under one host name.',
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    'x-kubernetes-validations': NAME_RULES,
    properties: {
      apiVersion: { type: 'string', description: `Always ${GROUP}/v1.` },
      kind: { type: 'string', description: 'Always SvcInstance.' },
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
      spec: structural(instanceSchemas.spec),
      // Until a controller has looked. Without it kstatus, and so Flux and `helm --wait`, takes a new instance for ready.
      status: { ...structural(instanceSchemas.status), default: { observedGeneration: -1 } },
    },
  };
}

function column(name: string, type: string, description: string, jsonPath: string, priority = 0): Node {
  return { name, type, description, jsonPath, ...(priority > 0 && { priority }) };
}

function yaml(value: unknown): string {
  return dump(value, { noRefs: true, lineWidth: 120 });
}

/** Text that Helm leaves as it is. */
function verbatim(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}
