/**
 * The container statuses of a simulated pod.
 */

import { formatTimestamp } from '../../../base/text/index.ts';
import type { Container, ContainerState, ContainerStatus } from '../../../kubernetes/types/index.ts';
import { digestOf } from './digest.ts';

type Terminated = NonNullable<ContainerState['terminated']>;

export type ContainerContext = { readonly podUid: string; readonly boot: string; readonly nowMs: number };

/** Statuses in the order of the spec, with defaults for new containers. */
export function statusesOf(
  containers: readonly Container[],
  statuses: readonly ContainerStatus[] | undefined,
): readonly ContainerStatus[] {
  const known = new Map((statuses ?? []).map((status) => [status.name, status]));
  return containers.map((container) => known.get(container.name) ?? waiting(container, 'ContainerCreating'));
}

export function waiting({ name, image = '' }: Container, reason: string): ContainerStatus {
  return {
    name,
    image,
    imageID: '',
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason } },
    lastState: {},
  };
}

/** Increments the restart count of a container that ran before. */
export function running(
  status: ContainerStatus,
  { podUid, boot, nowMs }: ContainerContext,
  { isReady }: { readonly isReady: boolean },
): ContainerStatus {
  const { name, image } = status;
  const restartCount = status.restartCount + (status.lastState?.terminated === undefined ? 0 : 1);
  return {
    ...status,
    restartCount,
    ready: isReady,
    started: true,
    state: { running: { startedAt: formatTimestamp(nowMs) } },
    imageID: `${repositoryOf(image)}@sha256:${digestOf(image)}`,
    containerID: containerId(boot, digestOf(podUid, name, restartCount)),
  };
}

export type End = Pick<Terminated, 'exitCode' | 'reason' | 'message'>;

export function ended(
  status: ContainerStatus,
  end: End,
  { nowMs }: Pick<ContainerContext, 'nowMs'>,
): ContainerStatus {
  if (status.state?.terminated !== undefined) return status;
  const { containerID } = status;
  const terminated: Terminated = {
    ...end,
    startedAt: status.state?.running?.startedAt ?? formatTimestamp(nowMs),
    finishedAt: formatTimestamp(nowMs),
    ...(containerID === undefined ? {} : { containerID }),
  };
  return { ...status, ready: false, started: false, state: { terminated } };
}

/** Terminated, and waiting for its restart. */
export function endedAndWaiting(
  status: ContainerStatus,
  waiting: NonNullable<ContainerState['waiting']>,
): ContainerStatus {
  const { containerID: _, state, lastState = {}, ...rest } = status;
  const terminated = state?.terminated;
  return {
    ...rest,
    ready: false,
    started: false,
    state: { waiting },
    lastState: terminated === undefined ? lastState : { terminated },
  };
}

/**
 * Container ids begin with digits of the boot ID, so that the API alone shows whether a container survived a reboot.
 */
export function isOfBoot({ containerID = '' }: ContainerStatus, boot: string): boolean {
  return containerID.startsWith(containerId(boot, ''));
}

const BOOT_DIGITS = 16;
const ID_DIGITS = 64;

/** The prefix of the container ids of a boot. */
export function bootDigits(bootID: string): string {
  return digestOf(bootID).slice(0, BOOT_DIGITS);
}

function containerId(boot: string, digest: string): string {
  return `cri-o://${`${boot}${digest}`.slice(0, ID_DIGITS)}`;
}

/** `registry:5000/app:1` → `registry:5000/app`. */
function repositoryOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
}
