/**
 * How the containers of a simulated pod are, from one step of their life to the next.
 */

import { formatTimestamp } from '../../../base/text/index.ts';
import type { Container, ContainerState, ContainerStatus } from '../../../kubernetes/types/index.ts';
import { digestOf } from './digest.ts';

type Terminated = NonNullable<ContainerState['terminated']>;

/** Whose container it is, in which boot of the machine, and when. */
export type ContainerContext = { readonly podUid: string; readonly boot: string; readonly nowMs: number };

/** Statuses in the order of the spec, made up for containers that have none yet. */
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

/** A container that ran before counts one restart more. */
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

/** It has ended, and is to start again. */
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
 * The id of a container begins with the boot in which it runs: so everybody can see, from the API alone, that a container
 * did not survive a reboot.
 */
export function isOfBoot({ containerID = '' }: ContainerStatus, boot: string): boolean {
  return containerID.startsWith(containerId(boot, ''));
}

const BOOT_DIGITS = 16;
const ID_DIGITS = 64;

/** What stands for a boot in the ids of its containers. */
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
