/**
 * The objects of an installation: the files of `manifests/` with values applied.
 *
 * The files hold everything that is the same in every cluster. What differs is written here, at one place per value, through
 * a `ValueSource`: the values themselves, or, for the Helm chart, marks that become its templates.
 */
import { NAMESPACE } from '../api/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { objectAt, objectsAt, stringAt, stringsAt, valueAt } from '../base/json-fields.ts';
import { effectiveValue } from './implied-values.ts';
import { METRICS_PORT, withMetricsValues } from './metrics-values.ts';
import type { ManifestFile } from './parse-manifests.ts';
import type { ValueSource } from './value-source.ts';
import type { InstallValues } from './values.ts';

/** The files that are installed only where a value is true. */
export const OPTIONAL_FILES: { readonly [file: string]: string } = {
  'network-policies.yaml': 'networkPolicies.enabled',
  'prometheus-monitors.yaml': 'metrics.serviceMonitors',
  'prometheus-rules.yaml': 'metrics.rules',
  'rbac-builder.yaml': 'builder.enabled',
  'rbac-certificates.yaml': 'servingCertificates.approve',
  'rbac-client-certificates.yaml': 'clientCertificates.approve',
  'rbac-metrics.yaml': 'metrics.enabled',
  'rbac-server.yaml': 'server.enabled',
  'services-metrics.yaml': 'metrics.enabled',
  'workloads-builder.yaml': 'builder.enabled',
  'workloads-server.yaml': 'server.enabled',
};

type WorkloadName = 'operator' | 'controller' | 'builder' | 'server' | 'daemon';

/** By the name of the workload, which is also that of its container. */
const WORKLOADS: { readonly [name: string]: WorkloadName } = {
  'machine-config-operator': 'operator',
  'machine-config-controller': 'controller',
  'machine-os-builder': 'builder',
  'machine-config-server': 'server',
  'machine-config-daemon': 'daemon',
};

/** In the order of the files. */
export function installObjects(files: readonly ManifestFile[], values: InstallValues): readonly JsonObject[] {
  const source = concreteValues(values);
  return files
    .filter(({ name }) => isInstalled(name, source))
    .flatMap(({ objects }) => objects.map((object) => withValues(object, source)));
}

function isInstalled(file: string, source: ValueSource): boolean {
  const condition = Object.hasOwn(OPTIONAL_FILES, file) ? OPTIONAL_FILES[file] : undefined;
  return condition === undefined || source.value(condition) === true;
}

function concreteValues(values: InstallValues): ValueSource {
  // Values are plain data, checked by their schema.
  const given = (path: string) => valueAt(values as unknown as Json, ...path.split('.')) ?? null;
  const value = (path: string) => effectiveValue(path, given);
  return {
    value,
    text: (path) => String(value(path)),
    optional: (path, text) => (value(path) === true ? [text] : []),
  };
}

/** The object in its namespace. Workloads and what belongs to metrics get their values, too. */
export function withValues(object: JsonObject, source: ValueSource): JsonObject {
  const placed = replaceNamespace(object, source.text('namespace'), source.value('namespace'));
  return withMetricsValues(withWorkloadValues(placed as JsonObject, source), source);
}

/**
 * The files are written for the usual namespace. Nothing else in them has its name: wherever it is written, also inside user names
 * and expressions of policies, it is replaced.
 */
export function inNamespace(object: JsonObject, namespace: string): JsonObject {
  return replaceNamespace(object, namespace, namespace) as JsonObject;
}

/** `whole`: for strings that are nothing but the name. A chart has to quote a name such as `1e3`. */
function replaceNamespace(value: Json, part: string, whole: Json): Json {
  if (value === NAMESPACE) return whole;
  if (typeof value === 'string') return value.replaceAll(NAMESPACE, part);
  if (Array.isArray(value)) return value.map((one: Json) => replaceNamespace(one, part, whole));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, replaceNamespace(one, part, whole)]);
  return Object.fromEntries(entries) as JsonObject;
}

function withWorkloadValues(object: JsonObject, source: ValueSource): JsonObject {
  const { kind } = object;
  if (kind !== 'Deployment' && kind !== 'DaemonSet') return object;
  const name = stringAt(object, 'metadata', 'name');
  const component = Object.hasOwn(WORKLOADS, name) ? WORKLOADS[name] : undefined;
  const spec = objectAt(object, 'spec');
  const template = objectAt(spec, 'template');
  const pod = objectAt(template, 'spec');
  if (component === undefined || pod === undefined) return object;
  // On nodes of their own choice, and on the network of these.
  const isOnNodes = component === 'daemon' || component === 'server';
  const place = isOnNodes ? `${component}.` : '';
  return {
    ...object,
    spec: {
      ...(isOnNodes ? {} : { replicas: source.value('replicas') }),
      ...spec,
      template: {
        ...template,
        spec: {
          ...pod,
          imagePullSecrets: source.value('imagePullSecrets'),
          nodeSelector: source.value(`${place}nodeSelector`),
          tolerations: source.value(`${place}tolerations`),
          containers: objectsAt(pod, 'containers').map((one) =>
            one.name === name ? containerWithValues(one, component, source) : one,
          ),
        },
      },
    },
  };
}

function containerWithValues(
  container: JsonObject,
  component: WorkloadName,
  source: ValueSource,
): JsonObject {
  const { name = '', command = [], args: _, ...rest } = container;
  return {
    name,
    image: source.value(component === 'builder' ? 'builderImage' : 'image'),
    imagePullPolicy: source.value('imagePullPolicy'),
    command,
    args: [...stringsAt(container, 'args'), ...argumentsOf(component, source)],
    ...(component === 'daemon' || component === 'server' ? withPort(rest, component, source) : rest),
    resources: source.value(`resources.${component}`),
  };
}

function argumentsOf(component: WorkloadName, source: ValueSource): readonly string[] {
  const base = `--base=${source.text('base')}`;
  const metricsOn = (port: string) => source.optional('metrics.enabled', `--metrics-address=:${port}`);
  if (component === 'operator') {
    return [
      base,
      ...metricsOn(METRICS_PORT),
      ...source.optional('pauseMaster', '--pause-master'),
      `--cluster-dns=${source.text('clusterDns.address')}`,
      `--cluster-domain=${source.text('clusterDns.domain')}`,
      ...source.optional('server.enabled', '--config-server'),
      `--config-server-url=${source.text('server.url')}`,
      `--config-server-token=${source.text('server.requireToken')}`,
    ];
  }
  if (component === 'controller') {
    return [
      base,
      ...metricsOn(METRICS_PORT),
      `--approve-serving-certificates=${source.text('servingCertificates.approve')}`,
      `--approve-client-certificates=${source.text('clientCertificates.approve')}`,
    ];
  }
  if (component === 'server') {
    return [
      `--port=${source.text('server.port')}`,
      ...metricsOn(source.text('server.metricsPort')),
      `--apiserver-url=${source.text('server.apiServerUrl')}`,
      `--allow-source=${source.text('server.allowSources')}`,
      ...source.optional('server.requireToken', '--require-token'),
    ];
  }
  if (component === 'daemon') {
    const plain = `--metrics-url=127.0.0.1:${source.text('daemon.port')}`;
    return [plain, ...metricsOn(source.text('daemon.metricsPort'))];
  }
  return metricsOn(METRICS_PORT);
}

/** On the network of a node, where the port must be free. */
function withPort(container: JsonObject, component: 'daemon' | 'server', source: ValueSource): JsonObject {
  const port = source.value(`${component}.port`);
  const probe = (name: string): JsonObject => {
    const [before, httpGet] = [objectAt(container, name), objectAt(container, name, 'httpGet')];
    return isJsonObject(httpGet) ? { [name]: { ...before, httpGet: { ...httpGet, port } } } : {};
  };
  return { ...container, ...probe('startupProbe'), ...probe('livenessProbe'), ...probe('readinessProbe') };
}
