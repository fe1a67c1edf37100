/**
 * The objects of an installation: the files of `manifests/` with values applied.
 *
 * The files hold everything that is the same in every cluster. What differs is written here, at one place per value, through
 * a `ValueSource`: the values themselves, or, for the Helm chart, marks that become its templates.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { objectAt, objectsAt, stringAt, stringsAt, valueAt } from '../base/json-fields.ts';
import type { ManifestFile } from './parse-manifests.ts';
import type { InstallValues } from './values.ts';

/** Where values come from, by their path: `daemon.port`. */
export type ValueSource = {
  /** A value as a whole. */
  readonly value: (path: string) => Json;
  /** A scalar value inside a string. */
  readonly text: (path: string) => string;
  /** A string where a value is true, else nothing. */
  readonly optional: (path: string, text: string) => readonly string[];
};

/** The files that are installed only where a value is true. */
export const OPTIONAL_FILES: { readonly [file: string]: string } = {
  'network-policies.yaml': 'networkPolicies.enabled',
  'rbac-builder.yaml': 'builder.enabled',
  'rbac-certificates.yaml': 'servingCertificates.approve',
  'workloads-builder.yaml': 'builder.enabled',
};

/** By the name of the workload, which is also that of its container. */
const WORKLOADS: { readonly [name: string]: 'operator' | 'controller' | 'builder' | 'daemon' } = {
  'machine-config-operator': 'operator',
  'machine-config-controller': 'controller',
  'machine-os-builder': 'builder',
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
  const value = (path: string) => valueAt(values as unknown as Json, ...path.split('.')) ?? null;
  return {
    value,
    text: (path) => String(value(path)),
    optional: (path, text) => (value(path) === true ? [text] : []),
  };
}

/** The object, unless it is one of the workloads, which get their values. */
export function withValues(object: JsonObject, source: ValueSource): JsonObject {
  const { kind } = object;
  if (kind !== 'Deployment' && kind !== 'DaemonSet') return object;
  const name = stringAt(object, 'metadata', 'name');
  const component = Object.hasOwn(WORKLOADS, name) ? WORKLOADS[name] : undefined;
  const spec = objectAt(object, 'spec');
  const template = objectAt(spec, 'template');
  const pod = objectAt(template, 'spec');
  if (component === undefined || pod === undefined) return object;
  const place = component === 'daemon' ? 'daemon.' : '';
  return {
    ...object,
    spec: {
      ...(component === 'daemon' ? {} : { replicas: source.value('replicas') }),
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
  component: 'operator' | 'controller' | 'builder' | 'daemon',
  source: ValueSource,
): JsonObject {
  const { name = '', command = [], args: _, ...rest } = container;
  return {
    name,
    image: source.value(component === 'builder' ? 'builderImage' : 'image'),
    imagePullPolicy: source.value('imagePullPolicy'),
    command,
    args: [...stringsAt(container, 'args'), ...argumentsOf(component, source)],
    ...(component === 'daemon' ? withPort(rest, source) : rest),
    resources: source.value(`resources.${component}`),
  };
}

function argumentsOf(
  component: 'operator' | 'controller' | 'builder' | 'daemon',
  source: ValueSource,
): readonly string[] {
  const base = `--base=${source.text('base')}`;
  if (component === 'operator') {
    return [
      base,
      ...source.optional('pauseMaster', '--pause-master'),
      `--cluster-dns=${source.text('clusterDns.address')}`,
      `--cluster-domain=${source.text('clusterDns.domain')}`,
    ];
  }
  if (component === 'controller') {
    return [base, `--approve-serving-certificates=${source.text('servingCertificates.approve')}`];
  }
  if (component === 'daemon') return [`--metrics-url=127.0.0.1:${source.text('daemon.port')}`];
  return [];
}

/** The daemon is on the network of its node, where its port must be free. */
function withPort(container: JsonObject, source: ValueSource): JsonObject {
  const port = source.value('daemon.port');
  const probe = (name: string): JsonObject => {
    const [before, httpGet] = [objectAt(container, name), objectAt(container, name, 'httpGet')];
    return isJsonObject(httpGet) ? { [name]: { ...before, httpGet: { ...httpGet, port } } } : {};
  };
  return { ...container, ...probe('livenessProbe'), ...probe('readinessProbe') };
}
