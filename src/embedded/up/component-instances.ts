/**
 * Which parts of this process should run, seen from the pods that stand for them: a part runs exactly while its container
 * does, on a machine that is up. So whatever happens to the pod happens to the part.
 */

import { NAMESPACE } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import type { Pod } from '../../kubernetes/types/index.ts';
import type { ComponentName } from '../../processes/component-process.ts';
import { bootDigits, isOfBoot } from '../controllers/index.ts';

type PartName = ComponentName | 'daemon';

/** One run of a part. */
export type Instance = {
  /** Another one after every start of the container. */
  readonly key: string;
  /** Of those with the same slot one at a time runs. */
  readonly slot: string;
  readonly part: PartName;
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
export const PARTS: { readonly [app: string]: PartName } = {
  'machine-config-operator': 'operator',
  'machine-config-controller': 'controller',
  'machine-config-daemon': 'daemon',
};

/** What the manifests call the image of Millwright. */
const OWN_IMAGE = 'millwright';

/** `bootOf`: what a machine has booted; undefined for one that is down. */
export function wantedInstances(
  pods: readonly Pod[],
  bootOf: (node: string) => string | undefined,
): readonly Instance[] {
  return pods
    .flatMap((pod) => instanceOf(pod, bootOf) ?? [])
    .toSorted((a, b) => compareBytes(a.container.pod, b.container.pod));
}

function instanceOf(
  { metadata, spec, status }: Pod,
  bootOf: (node: string) => string | undefined,
): Instance | undefined {
  const app = metadata.labels?.['k8s-app'] ?? '';
  const part = Object.hasOwn(PARTS, app) ? PARTS[app] : undefined;
  const { namespace = '', name, uid = '' } = metadata;
  const isOurs = spec.containers.some((one) => one.name === app && one.image === OWN_IMAGE);
  // A pod that was asked to go has got its signal.
  if (part === undefined || !isOurs || namespace !== NAMESPACE || metadata.deletionTimestamp !== undefined)
    return undefined;
  const node = spec.nodeName ?? '';
  const boot = bootOf(node);
  const running = status?.containerStatuses?.find((one) => one.name === app);
  if (boot === undefined || running?.state?.running === undefined) return undefined;
  // What ran before the machine went down does not run any more, whatever the pod still says.
  if (!isOfBoot(running, bootDigits(boot))) return undefined;
  const { restartCount, containerID = '' } = running;
  return {
    key: `${uid} ${containerID}`,
    slot: part === 'daemon' ? `${part}/${node}` : part,
    ...{ part, node, container: { namespace, pod: name, podUid: uid, container: app, restartCount } },
  };
}

/**
 * Before there are nodes on which pods could run, and where there will be none, operator and controllers run by themselves,
 * as on the machine from which a cluster is installed.
 */
export function installerInstance(part: ComponentName): Instance {
  const container = `machine-config-${part}`;
  return {
    ...{ key: `installer ${part}`, slot: part, part, node: '' },
    container: { namespace: NAMESPACE, pod: 'installer', podUid: INSTALLER_UID, container, restartCount: 0 },
  };
}

export const INSTALLER_UID = 'installer';
