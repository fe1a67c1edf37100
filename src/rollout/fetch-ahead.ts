/**
 * Which nodes of a pool download the OS image of its target ahead of their update (`fetch-image`), so that they can be drained as
 * soon as it is their turn.
 *
 * It is no target: nothing counts it, and nothing waits for it. Each node gets it once for a target. It goes with the write that
 * sends the node, or where it is no longer right: the pool is paused, or has another image.
 */
import { annotations, type MachineConfig } from '../api/index.ts';
import { stringAt } from '../base/json-fields.ts';
import { annotationOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import type { Contribution } from './contribution.ts';
import { isTargeted, type PoolTarget } from './pool-target.ts';

/** Nodes of a pool that download at the same time: a registry serves them besides those that are being updated. */
const NODES_AHEAD = 3;
/** How many candidates are looked at. In an update without another image none of them needs it. */
const MAX_CONSIDERED = 20;

type FetchInput = {
  readonly target: PoolTarget;
  readonly isPaused: boolean;
  /** Nodes that may be sent, in that order. */
  readonly candidates: Iterable<Contribution>;
  /** Nodes with the annotation. */
  readonly fetching: Iterable<Contribution>;
  readonly machineConfig: (name: string) => MachineConfig | undefined;
};

/** The annotation of a node; `null` removes it. */
type FetchChange = { readonly name: string; readonly image: string | null };

export function fetchChanges(input: FetchInput): readonly FetchChange[] {
  const { target, isPaused, machineConfig } = input;
  const image = isPaused ? '' : targetImage(target, machineConfig);
  const isNeeded = (node: Node) => image !== '' && bootedImage(node, machineConfig) !== image;
  const fetching = [...input.fetching];
  const kept = fetching.filter(
    ({ node, fetchImage }) => fetchImage === image && isNeeded(node) && !isTargeted(node, target),
  );
  const removed = fetching.filter((node) => !kept.includes(node));
  const added: Contribution[] = [];
  let considered = 0;
  for (const candidate of image === '' ? [] : input.candidates) {
    if (kept.length + added.length >= NODES_AHEAD || considered >= MAX_CONSIDERED) break;
    considered += 1;
    // The daemon of a degraded node tries its own update; one that is joining has other things to do.
    const isIdle = !candidate.isDegraded && !candidate.isJoining;
    if (isIdle && !kept.includes(candidate) && isNeeded(candidate.node)) added.push(candidate);
  }
  const set = added.map(({ name }) => ({ name, image }));
  const names = new Set(added.map(({ name }) => name));
  return [
    ...removed.filter(({ name }) => !names.has(name)).map(({ name }) => ({ name, image: null })),
    ...set,
  ];
}

/** Empty where the target has none, or its MachineConfig is not known. */
function targetImage({ config, layered }: PoolTarget, machineConfig: FetchInput['machineConfig']): string {
  return layered === undefined ? osImage(machineConfig(config)) : layered.image;
}

/** Empty where it is not known; the daemon knows, and downloads nothing that it runs. */
function bootedImage(node: Node, machineConfig: FetchInput['machineConfig']): string {
  const built = annotationOf(node, annotations.currentImage) ?? '';
  return built === '' ? osImage(machineConfig(annotationOf(node, annotations.currentConfig) ?? '')) : built;
}

function osImage(config: MachineConfig | undefined): string {
  return stringAt(config?.spec, 'osImageURL');
}
