/**
 * What things are called, on the screen and in the news alike.
 */
import { printable } from '../base/text/index.ts';
import type { Blockage, NodeFailure } from './node-overview.ts';
import type { Phase } from './node-phase.ts';
import type { PoolTrouble } from './pool-overview.ts';

export const PHASE_WORDS: { readonly [phase in Phase]: string } = {
  joining: 'joining: its daemon has not spoken yet',
  starting: 'starting',
  preparing: 'preparing',
  cordoning: 'cordoning',
  draining: 'draining',
  'pulling-image': 'pulling its OS image',
  'applying-files': 'applying files',
  'applying-os': 'applying the OS',
  'applying-files-and-os': 'applying files and OS',
  'post-action': 'acting on the change',
  rebooting: 'rebooting',
  resuming: 'resuming',
  uncordoning: 'uncordoning',
  finishing: 'finishing',
  working: 'working',
};

/** For troubles that come without words of their own. */
const TROUBLE_WORDS: { readonly [kind in PoolTrouble['kind']]: string } = {
  render: 'cannot be rendered',
  nodes: 'has degraded nodes',
  'image-build': 'its OS image cannot be built',
  'pinned-images': 'its pinned images cannot be had',
  spec: 'its spec makes no sense',
};

export const MENDED_WORDS: { readonly [kind in PoolTrouble['kind']]: string } = {
  render: 'can be rendered again',
  nodes: 'has no degraded nodes any more',
  'image-build': 'its OS image can be built again',
  'pinned-images': 'its pinned images can be had again',
  spec: 'its spec makes sense again',
};

export function troubleText({ kind, message }: PoolTrouble): string {
  return message === '' ? TROUBLE_WORDS[kind] : message;
}

export function nodesText(count: number): string {
  return count === 1 ? '1 node' : `${count} nodes`;
}

/** `pod shop/web-0 is kept by disruption budget web: Cannot evict …` */
export function blockageText({ pod, budget, message }: Blockage): string {
  if (pod === undefined) return message;
  const whom = `pod ${pod.namespace}/${pod.name}`;
  return budget === undefined
    ? `${whom} was not let go: ${message}`
    : `${whom} is kept by disruption budget ${budget}`;
}

/** What a failing node says, and for how long where that is known. */
export function failureText({ kind, message }: NodeFailure, duration?: string): string {
  const what = kind === 'unreconcilable' ? 'unable to follow its configuration' : 'degraded';
  return `${what}${duration === undefined ? '' : ` for ${duration}`}: ${message}`;
}

/** One line, whatever stands in it: spaces for breaks, escapes for what could steer a terminal. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' ').trim());
}

/** No longer than that, by characters. What is left out is in the middle: daemons say the cause at the end. */
export function cutInside(text: string, maxChars: number): string {
  const characters = [...text];
  if (characters.length <= maxChars) return text;
  const head = Math.floor((maxChars - GAP.length) / 3);
  const tail = maxChars - GAP.length - head;
  return `${characters.slice(0, head).join('')}${GAP}${characters.slice(-tail).join('')}`;
}

const GAP = ' ... ';
