/** What differs between clusters in the objects of metrics: Services, ServiceMonitors, alerts. */
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { objectAt, objectsAt, stringAt } from '../base/json-fields.ts';
import type { ValueSource } from './value-source.ts';

/** Of pods that have a network of their own. */
export const METRICS_PORT = '9001';

/** The beginning of links to runbooks, as monitoring/alerts.yaml has them. */
const RUNBOOKS = 'docs/troubleshooting.md#';
/** By the name of their Service: those on the network of nodes, where each needs a port of its own. */
const PORTS: { readonly [service: string]: string } = {
  'machine-config-daemon': 'daemon.metricsPort',
  'machine-config-server': 'server.metricsPort',
};
/** Their subject is the account of Prometheus. */
const OF_PROMETHEUS = ['machine-config-prometheus', 'machine-config-metrics-reader'];

export function withMetricsValues(object: JsonObject, source: ValueSource): JsonObject {
  const name = stringAt(object, 'metadata', 'name');
  switch (object.kind) {
    case 'Service':
      return withPort(object, source, Object.hasOwn(PORTS, name) ? PORTS[name] : undefined);
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      return OF_PROMETHEUS.includes(name) ? { ...object, subjects: [prometheus(source)] } : object;
    case 'ServiceMonitor':
      return labelled(object, source);
    case 'PrometheusRule':
      return withRunbooks(labelled(object, source), source.text('metrics.runbooks')) as JsonObject;
    default:
      return object;
  }
}

function withPort(service: JsonObject, source: ValueSource, path: string | undefined): JsonObject {
  if (path === undefined) return service;
  const targetPort = source.value(path);
  const ports = objectsAt(service, 'spec', 'ports').map((port) => ({ ...port, targetPort }));
  return { ...service, spec: { ...objectAt(service, 'spec'), ports } };
}

function prometheus(source: ValueSource): JsonObject {
  return {
    kind: 'ServiceAccount',
    name: source.value('metrics.prometheus.serviceAccount'),
    namespace: source.value('metrics.prometheus.namespace'),
  };
}

function labelled(object: JsonObject, source: ValueSource): JsonObject {
  return {
    ...object,
    metadata: { ...objectAt(object, 'metadata'), labels: source.value('metrics.labels') },
  };
}

function withRunbooks(value: Json, address: string): Json {
  if (typeof value === 'string' && value.startsWith(RUNBOOKS))
    return `${address}#${value.slice(RUNBOOKS.length)}`;
  if (Array.isArray(value)) return value.map((one: Json) => withRunbooks(one, address));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withRunbooks(one, address)]),
  ) as JsonObject;
}
