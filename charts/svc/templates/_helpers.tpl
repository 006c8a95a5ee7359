{{/* Room for "-controller" within the 63 characters of a label. */}}
{{- define "svc.name" -}}
{{- regexReplaceAll "[-.]+$" (default .Chart.Name .Values.nameOverride | trunc 52) "" }}
{{- end }}

{{/* Room for "-controller-license-keys" within 63 characters. */}}
{{- define "svc.fullname" -}}
{{- $name := include "svc.name" . }}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- regexReplaceAll "[-.]+$" (default $full .Values.fullnameOverride | trunc 39) "" }}
{{- end }}

{{/* Of a Service, which is the one kind whose name may have no dot and must begin with a letter. */}}
{{- define "svc.testService" -}}
{{- $name := printf "%s-test" (include "svc.fullname" . | replace "." "-") }}
{{- ternary (printf "svc-%s" $name) $name (regexMatch "^[0-9]" $name) }}
{{- end }}

{{- define "svc.controller" -}}
{{ include "svc.fullname" . }}-controller
{{- end }}

{{/* Never with a version: selectors cannot change. Not named svc: an instance called as the release would take these pods for its own. */}}
{{- define "svc.selectorLabels" -}}
app.kubernetes.io/name: {{ include "svc.name" . }}-controller
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: controller
{{- end }}

{{- define "svc.labels" -}}
{{ include "svc.selectorLabels" . }}
{{ include "svc.metaLabels" . }}
{{- end }}

{{- define "svc.testLabels" -}}
app.kubernetes.io/name: {{ include "svc.name" . }}-controller
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: chart-test
{{ include "svc.metaLabels" . }}
{{- end }}

{{/* Of objects that are no part of the controller itself. */}}
{{- define "svc.metaLabels" -}}
app.kubernetes.io/part-of: svc
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "svc.serviceAccountName" -}}
{{- default (include "svc.controller" .) .Values.serviceAccount.name }}
{{- end }}

{{/* (dict "image" <of values> "context" $): registry/repository:tag, or registry/repository@digest. */}}
{{- define "svc.image" -}}
{{- $registry := default .image.registry .context.Values.global.imageRegistry }}
{{- $repository := ternary .image.repository (printf "%s/%s" (trimSuffix "/" $registry) .image.repository) (empty $registry) }}
{{- if .image.digest -}}
{{ $repository }}@{{ .image.digest }}
{{- else -}}
{{ $repository }}:{{ default .context.Chart.AppVersion .image.tag }}
{{- end }}
{{- end }}

{{- define "svc.imagePullSecrets" -}}
{{- $names := concat (default list .Values.global.imagePullSecrets) (default list .Values.imagePullSecrets) | uniq }}
{{- if $names }}
imagePullSecrets:
  {{- range $names }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The JWK Set as text, or nothing. */}}
{{- define "svc.licenseKeys" -}}
{{- if kindIs "string" .Values.license.keys }}{{ trim .Values.license.keys }}{{ else if .Values.license.keys }}{{ toPrettyJson .Values.license.keys }}{{ end }}
{{- end }}

{{- define "svc.licenseKeysConfigMap" -}}
{{- if .Values.license.existingConfigMap }}{{ .Values.license.existingConfigMap }}
{{- else if include "svc.licenseKeys" . }}{{ include "svc.controller" . }}-license-keys
{{- end }}
{{- end }}

{{/* `field=name` for each, with commas between them. */}}
{{- define "svc.allow" -}}
{{- $items := list }}
{{- range $field, $names := .Values.allow }}
{{- range $names }}{{ $items = append $items (printf "%s=%s" $field .) }}{{ end }}
{{- end }}
{{- join "," $items }}
{{- end }}

{{/* What the controller may do in a namespace that it looks after: exactly what it does, no wildcards. */}}
{{- define "svc.instanceRules" -}}
- apiGroups: [svc.internal]
  resources: [svcinstances]
  verbs: [get, list, watch]
- apiGroups: [svc.internal]
  resources: [svcinstances/status]
  verbs: [patch]
# An instance consists of these objects. Server-side apply is `patch`, and `create` where there is nothing yet.
- apiGroups: [apps]
  resources: [deployments]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: ['']
  resources: [services, serviceaccounts, configmaps]
  verbs: [get, list, watch, create, patch, delete]
# Documents are never deleted by the controller: claims go with their instance.
- apiGroups: ['']
  resources: [persistentvolumeclaims]
  verbs: [get, list, watch, create, patch{{ if .Values.rbac.adopt }}, delete{{ end }}]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies, ingresses]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [gateway.networking.k8s.io]
  resources: [httproutes]
  verbs: [get, list, watch, create, patch, delete]
# Secrets: the content of one is only ever read by its name (a licence, given secrets, the editor's password, an instance's own).
# `list` and `watch` are for noticing that one was changed: the controller asks for metadata alone, so no content travels but what
# `kubectl apply` without `--server-side` has copied into an annotation. RBAC knows no verb for metadata, and names are not known
# beforehand (they stand in each spec). Who wants no such right in the whole cluster sets `watchNamespaces`. The rest is for <instance>-secrets and <instance>-license.
- apiGroups: ['']
  resources: [secrets]
  verbs: [get, list, watch, create, patch{{ if .Values.rbac.adopt }}, delete{{ end }}]
# Pods and the warnings about them say why they do not start, for the status.
- apiGroups: ['']
  resources: [pods]
  verbs: [list]
# DocBuilder's pod gets the size of another licence while it runs.
- apiGroups: ['']
  resources: [pods/resize]
  verbs: [patch]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, list, patch]
{{- end }}
