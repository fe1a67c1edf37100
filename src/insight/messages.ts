/**
 * Messages shared by the status and the changes.
 */
import { printable } from '../base/text/index.ts';
import type { Phase } from './node-phase.ts';
import type { Blockage, NodeFailure } from './node-summary.ts';
import type { Overdue } from './overdue-reboot.ts';
import type { PinnedImages } from './pinned-images.ts';
import type { PoolProblem } from './pool-summary.ts';

export const PHASE_MESSAGES: { readonly [phase in Phase]: string } = {
  joining: 'joining: its daemon has not reported yet',
  starting: 'starting',
  preparing: 'preparing',
  cordoning: 'cordoning',
  draining: 'draining',
  'pulling-image': 'pulling its OS image',
  'applying-files': 'applying files',
  'applying-os': 'applying the OS',
  'applying-files-and-os': 'applying files and OS',
  'post-action': 'running post-config actions',
  rebooting: 'rebooting',
  resuming: 'resuming',
  uncordoning: 'uncordoning',
  finishing: 'finishing',
  working: 'working',
};

/** For problems without a message of their own. */
const PROBLEM_MESSAGES: { readonly [kind in PoolProblem['kind']]: string } = {
  render: 'cannot be rendered',
  nodes: 'has degraded nodes',
  'image-build': 'its OS image cannot be built',
  'pinned-images': 'its pinned images cannot be pulled',
  spec: 'its spec is invalid',
};

export const RESOLVED_MESSAGES: { readonly [kind in PoolProblem['kind']]: string } = {
  render: 'can be rendered again',
  nodes: 'no longer has degraded nodes',
  'image-build': 'its OS image can be built again',
  'pinned-images': 'its pinned images can be pulled again',
  spec: 'its spec is valid again',
};

export function problemText({ kind, message }: PoolProblem): string {
  return message === '' ? PROBLEM_MESSAGES[kind] : message;
}

export function nodesText(count: number): string {
  return count === 1 ? '1 node' : `${count} nodes`;
}

/** `pod shop/web-0 is protected by PodDisruptionBudget web` */
export function blockageText({ pod, budget, message }: Blockage): string {
  if (pod === undefined) return message;
  const subject = `pod ${pod.namespace}/${pod.name}`;
  return budget === undefined
    ? `${subject} could not be evicted: ${message}`
    : `${subject} is protected by PodDisruptionBudget ${budget}`;
}

/** The error of a node, with its duration if known. */
export function failureText({ kind, message }: NodeFailure, duration?: string): string {
  const what = kind === 'unreconcilable' ? 'unable to apply its configuration' : 'degraded';
  return `${what}${duration === undefined ? '' : ` for ${duration}`}: ${message}`;
}

/** A node that has not come back from its reboot: for how long, and where to look. */
export function overdueText(overdue: Overdue, duration = ''): string {
  return overdue === 'machine'
    ? `has not come back from its reboot for ${duration}: look at its console`
    : `is Ready, but its daemon has not reported the end of its reboot for ${duration}: look at its pod machine-config-daemon`;
}

/** A single line: line breaks become spaces, control characters are escaped. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' ').trim());
}

/** What a node does with the images that it should keep, in one line. */
export function pinnedImagesText(images: PinnedImages, duration?: string): string {
  const lasting = duration === undefined ? '' : ` for ${duration}`;
  if (images.kind === 'prefetching') return `prefetching pinned images${lasting}`;
  const more = images.others === 0 ? '' : ` (and ${images.others} more)`;
  return oneLine(`pinned images failing${lasting}: PinnedImageSet ${images.set}: ${images.error}${more}`);
}
