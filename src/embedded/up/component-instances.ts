/**
 * Which components should run in this process, derived from their pods: a component runs exactly while its container does,
 * on a machine that is up. So deleting or evicting the pod stops the component.
 */

import { NAMESPACE } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import type { Pod } from '../../kubernetes/types/index.ts';
import type { ComponentName } from '../../processes/component-process.ts';
import { bootDigits, isOfBoot } from '../controllers/index.ts';

type InstanceComponent = ComponentName | 'server' | 'daemon';

/** One run of a component. */
export type Instance = {
  /** Unique to each start of the container. */
  readonly key: string;
  /** Only one instance per slot runs at a time. */
  readonly slot: string;
  readonly component: InstanceComponent;
  readonly container: {
    readonly namespace: string;
    readonly pod: string;
    readonly podUid: string;
    readonly container: string;
    readonly restartCount: number;
  };
  readonly node: string;
};

/** By the label `k8s-app`, which is also the name of the container. */
export const COMPONENTS: { readonly [app: string]: InstanceComponent } = {
  'machine-config-operator': 'operator',
  'machine-config-controller': 'controller',
  'machine-config-server': 'server',
  'machine-config-daemon': 'daemon',
  'machine-os-builder': 'builder',
};

/** The ServiceAccount of a component. */
export function accountOf(component: InstanceComponent): string {
  return component === 'builder' ? 'machine-os-builder' : `machine-config-${component}`;
}

/** The images of Millwright in the embedded cluster; the second one also has `buildah`. */
export const MILLWRIGHT_IMAGE = 'millwright';
export const BUILDER_IMAGE = 'millwright-builder';
const OWN_IMAGES: readonly (string | undefined)[] = [MILLWRIGHT_IMAGE, BUILDER_IMAGE];

/** `bootOf` returns the boot ID of a machine; undefined if it is down. */
export function desiredInstances(
  pods: readonly Pod[],
  bootOf: (node: string) => string | undefined,
): readonly Instance[] {
  const instances = pods
    .flatMap((pod) => instanceOf(pod, bootOf) ?? [])
    .toSorted((a, b) => compareBytes(a.container.pod, b.container.pod));
  // All have the same port and caches: one of them answers, and another one when its pod is gone.
  const server = instances.find(({ component }) => component === 'server');
  return instances.filter((one) => one.component !== 'server' || one === server);
}

function instanceOf(
  { metadata, spec, status }: Pod,
  bootOf: (node: string) => string | undefined,
): Instance | undefined {
  const app = metadata.labels?.['k8s-app'] ?? '';
  const component = Object.hasOwn(COMPONENTS, app) ? COMPONENTS[app] : undefined;
  const { namespace = '', name, uid = '' } = metadata;
  const isOurs = spec.containers.some((one) => one.name === app && OWN_IMAGES.includes(one.image));
  // A terminating pod has received its signal.
  if (
    component === undefined ||
    !isOurs ||
    namespace !== NAMESPACE ||
    metadata.deletionTimestamp !== undefined
  )
    return undefined;
  const node = spec.nodeName ?? '';
  const boot = bootOf(node);
  const running = status?.containerStatuses?.find((one) => one.name === app);
  if (boot === undefined || running?.state?.running === undefined) return undefined;
  // Containers of an earlier boot no longer run, even if the pod status still says so.
  if (!isOfBoot(running, bootDigits(boot))) return undefined;
  const { restartCount, containerID = '' } = running;
  return {
    key: `${uid} ${containerID}`,
    slot: component === 'daemon' ? `${component}/${node}` : component,
    component,
    node,
    container: { namespace, pod: name, podUid: uid, container: app, restartCount },
  };
}

/**
 * Until there are nodes for pods, and in clusters without nodes, operator and controllers run without pods, like a bootstrap
 * control plane.
 */
export function installerInstance(component: ComponentName | 'server'): Instance {
  const container = accountOf(component);
  return {
    key: `installer ${component}`,
    slot: component,
    component,
    node: '',
    container: { namespace: NAMESPACE, pod: 'installer', podUid: INSTALLER_UID, container, restartCount: 0 },
  };
}

export const INSTALLER_UID = 'installer';
