/**
 * The object that a key of a controller is about, for events.
 */
import {
  CONTROLLER_CONFIG_NAME,
  clusterOperator,
  containerRuntimeConfig,
  controllerConfig,
  kubeletConfig,
  machineConfig,
  machineConfigPool,
  machineOSBuild,
  machineOSConfig,
} from '../../api/index.ts';
import type { Controller, EventSubject } from '../../kubernetes/client/index.ts';
import { apiVersionOf, nameOf } from '../../kubernetes/meta/index.ts';
import { certificateSigningRequest, node } from '../../kubernetes/types/index.ts';

type Kind = Parameters<typeof apiVersionOf>[0] & { readonly kind: string };
/** The kind of a key, or of keys that begin so; `name` where the key is not the name of the object. */
type Subject = { readonly prefix?: string; readonly kind: Kind; readonly name?: string };

const CONTROLLER_CONFIG: Subject = { kind: controllerConfig, name: CONTROLLER_CONFIG_NAME };

/** By the name of the controller; the first that fits counts. */
const SUBJECTS: { readonly [controller: string]: readonly Subject[] } = {
  operator: [{ prefix: 'node/', kind: node }, CONTROLLER_CONFIG],
  'cluster-operator': [{ kind: clusterOperator }],
  template: [CONTROLLER_CONFIG],
  registries: [CONTROLLER_CONFIG],
  'kubelet-config': [{ kind: kubeletConfig }],
  'container-runtime-config': [{ kind: containerRuntimeConfig }],
  render: [{ prefix: 'config/', kind: machineConfig }, { kind: machineConfigPool }],
  node: [{ kind: machineConfigPool }],
  drain: [{ kind: node }],
  'client-certificates': [{ kind: certificateSigningRequest }],
  'serving-certificates': [{ kind: certificateSigningRequest }],
  build: [{ kind: machineOSConfig }],
  'image-record': [{ kind: machineOSBuild }],
};

/** With the uid where a cache of the controller has the object: `kubectl describe` looks for it. */
export function subjectOf({ name: controller, caches }: Controller, key: string): EventSubject | undefined {
  const subject = (SUBJECTS[controller] ?? []).find(({ prefix = '' }) => key.startsWith(prefix));
  if (subject === undefined) return undefined;
  const { kind, prefix = '' } = subject;
  const name = subject.name ?? key.slice(prefix.length);
  const about = { apiVersion: apiVersionOf(kind), kind: kind.kind, name };
  const found = caches
    .map((cache) => cache.get({ name }))
    .find((object) => object !== undefined && object.kind === kind.kind && nameOf(object) === name);
  const uid = found?.metadata.uid;
  return uid === undefined ? about : { ...about, uid };
}
