/**
 * Durations of simulated pods: from their annotations and spec, else from the settings.
 */
import { annotations } from '../../../api/index.ts';
import { formatGoDuration } from '../../../base/text/index.ts';
import type { ContainerStatus, Pod } from '../../../kubernetes/types/index.ts';
import type { NodeSettings } from '../node-settings.ts';
import { fractionOf } from './digest.ts';
import type { PodContext } from './pod-step.ts';

/** Images are pulled before the first start only. */
export function startDelayMs({ pod, step, settings }: PodContext): number {
  const { podPullMs, podStartMs, podJitter } = settings;
  const isFirst =
    (step.inits.length === 0 || step.initIndex === 0) &&
    [...step.inits, ...step.containers].every(({ lastState }) => lastState?.terminated === undefined);
  const factor = 1 + podJitter * (2 * fractionOf(pod.metadata.uid ?? '', 'start') - 1);
  return Math.round(((isFirst ? podPullMs : 0) + podStartMs) * factor);
}

/** A container is ready as soon as its readiness probe may first succeed. */
export function readyDelayMs({ spec }: Pod, container: string, { speed }: NodeSettings): number {
  const probe = spec.containers.find(({ name }) => name === container)?.readinessProbe;
  return ((probe?.initialDelaySeconds ?? 0) * 1000) / speed;
}

export function endsByItself(pod: Pod): boolean {
  return (
    (pod.spec.restartPolicy ?? 'Always') !== 'Always' || secondsIn(pod, 'simulatedRunSeconds') !== undefined
  );
}

export function podRunMs(pod: Pod, { podRunMs: usualMs, speed }: NodeSettings): number {
  const seconds = secondsIn(pod, 'simulatedRunSeconds');
  return seconds === undefined ? usualMs : (seconds * 1000) / speed;
}

export function exitCodeOf(pod: Pod): number {
  const code = Number(pod.metadata.annotations?.[annotations.simulatedExitCode] ?? 0);
  return Number.isInteger(code) && code >= 0 && code <= 255 ? code : 0;
}

/** `isKilled`: the grace period ended first. */
export function podEndMs(
  pod: Pod,
  { podEndMs: usualMs, speed }: NodeSettings,
): { readonly endMs: number; readonly isKilled: boolean } {
  const graceMs = ((pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000) / speed;
  const seconds = secondsIn(pod, 'simulatedTerminationSeconds');
  const requestedMs = seconds === undefined ? usualMs : (seconds * 1000) / speed;
  return requestedMs < graceMs ? { endMs: requestedMs, isKilled: false } : { endMs: graceMs, isKilled: true };
}

/** The first restart is immediate. */
export function crashRetryMs({ step, settings }: Pick<PodContext, 'step' | 'settings'>): number {
  const restarts = Math.max(0, ...step.containers.map(({ restartCount }) => restartCount));
  return crashDelayMs(restarts, settings);
}

/** The message of a kubelet, with the delay in force. */
export function crashText({ pod, settings }: PodContext, { name, restartCount }: ContainerStatus): string {
  const { name: podName, namespace = '', uid = '' } = pod.metadata;
  const delay = formatGoDuration(crashDelayMs(restartCount, settings));
  return `back-off ${delay} restarting failed container=${name} pod=${podName}_${namespace}(${uid})`;
}

function crashDelayMs(restarts: number, { crashRetryMs: firstMs, crashRetryLimitMs }: NodeSettings): number {
  return restarts === 0 ? 0 : Math.min(firstMs * 2 ** (restarts - 1), crashRetryLimitMs);
}

function secondsIn(
  { metadata }: Pod,
  which: 'simulatedRunSeconds' | 'simulatedTerminationSeconds',
): number | undefined {
  const text = metadata.annotations?.[annotations[which]];
  const seconds = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 && text?.trim() !== '' ? seconds : undefined;
}
