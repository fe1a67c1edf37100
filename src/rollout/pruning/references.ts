/**
 * What refers to rendered configs: pools, builds, MachineConfigNodes, nodes and their disks.
 */
import {
  annotations,
  type MachineConfigNode,
  type MachineConfigPool,
  type MachineOSBuild,
} from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import { objectsAt, stringAt } from '../../base/json-fields.ts';
import { annotationOf, nameOf, type ObjectMeta } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { drainState } from '../drain-state.ts';
import { membershipOf } from '../membership.ts';
import { annotatedConfigs, diskReportOf } from './disk-configs.ts';

export type ReferringObjects = {
  readonly pools: readonly MachineConfigPool[];
  readonly builds: readonly MachineOSBuild[];
  readonly machineConfigNodes: readonly MachineConfigNode[];
  readonly nodes: readonly Node[];
};

/** A rendered config, as far as it matters here. */
export type RenderedConfig = { readonly metadata: ObjectMeta };

/** In the order in which they are given as reasons. */
const KINDS = [
  'target',
  'status',
  'current',
  'desired',
  'first',
  'drain',
  'disk',
  'record',
  'build',
] as const;
type Kind = (typeof KINDS)[number];

const TEXTS: { readonly [kind in Kind]: (who: string, isOne: boolean) => string } = {
  target: (who) => `pool ${who}'s target`,
  status: (who) => `the status of pool ${who} refers to it`,
  current: (who, isOne) => `${who} ${isOne ? 'runs' : 'run'} it`,
  desired: (who, isOne) => `${who} ${isOne ? 'is' : 'are'} to be updated to it`,
  first: (who) => `its pool's labels are still to be given to ${who}, installed with it`,
  drain: (who) => `the drain of ${who} refers to it`,
  disk: (who) => `the disk of ${who} refers to it`,
  record: (who, isOne) => `MachineConfigNode ${who} ${isOne ? 'refers' : 'refer'} to it`,
  build: (who) => `MachineOSBuild ${who}`,
};

export class References {
  readonly #kinds = new Map<string, Map<Kind, Set<string>>>();
  /** Node and config. */
  readonly #pairs = new Set<string>();

  constructor(
    configs: readonly RenderedConfig[],
    { pools, builds, machineConfigNodes, nodes }: ReferringObjects,
  ) {
    for (const pool of pools) {
      this.#add(stringAt(pool.spec, 'configuration', 'name'), 'target', nameOf(pool));
      this.#add(stringAt(pool.status, 'configuration', 'name'), 'status', nameOf(pool));
    }
    for (const build of builds)
      this.#add(stringAt(build.spec, 'machineConfig', 'name'), 'build', nameOf(build));
    const ownerOf = new Map(configs.map((config) => [nameOf(config), ownerName(config)]));
    for (const node of nodes) this.#addNode(node, ownerOf);
    for (const record of machineConfigNodes) {
      this.#addOnce(stringAt(record.spec, 'configVersion', 'desired'), 'record', nameOf(record));
      this.#addOnce(stringAt(record.status, 'configVersion', 'desired'), 'record', nameOf(record));
      this.#addOnce(stringAt(record.status, 'configVersion', 'current'), 'record', nameOf(record));
    }
  }

  #addNode(node: Node, ownerOf: ReadonlyMap<string, string>): void {
    const name = nameOf(node);
    for (const { name: config, as } of annotatedConfigs(node)) this.#addOnce(config, as, name);
    this.#addOnce(drainState(node).request?.config ?? '', 'drain', name);
    for (const config of diskReportOf(node)?.configs ?? []) this.#addOnce(config, 'disk', name);
    const first = annotationOf(node, annotations.firstPivotConfig) ?? '';
    // Its owner tells which custom pool the node was installed for (`booted-pool.ts`), until it has the labels.
    const isOfCustomPool = !['', 'master', 'worker'].includes(ownerOf.get(first) ?? '');
    const hasLabels = annotationOf(node, annotations.customPoolLabelsApplied) !== undefined;
    if (isOfCustomPool && !hasLabels) this.#addOnce(first, 'first', name);
  }

  /** A node and its MachineConfigNode: the first reason is enough. */
  #addOnce(config: string, kind: Kind, node: string): void {
    const pair = `${node}/${config}`;
    if (!this.#pairs.has(pair)) this.#add(config, kind, node);
    this.#pairs.add(pair);
  }

  #add(config: string, kind: Kind, subject: string): void {
    if (config === '') return;
    const kinds = this.#kinds.get(config) ?? new Map<Kind, Set<string>>();
    this.#kinds.set(config, kinds.set(kind, (kinds.get(kind) ?? new Set()).add(subject)));
  }

  /** Why the config is needed. Of many nodes with the same reason one is named. */
  reasonsFor(config: string): readonly string[] {
    const kinds = this.#kinds.get(config);
    return KINDS.flatMap((kind) => {
      const subjects = [...(kinds?.get(kind) ?? [])].toSorted(compareBytes);
      return subjects.length === 0 ? [] : [TEXTS[kind](some(subjects), subjects.length === 1)];
    });
  }
}

function some([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** The pool that the config was rendered for; '' where there is none. */
export function ownerName({ metadata }: RenderedConfig): string {
  const owner = objectsAt(metadata, 'ownerReferences').find((one) => one.kind === 'MachineConfigPool');
  return stringAt(owner, 'name');
}

/**
 * By pool: a node whose disk may refer to any of its configs, because its daemon has not reported since the node has booted. The
 * pools of a node are those that select it, and those whose configs it names.
 */
export function unreportedNodes(
  configs: readonly RenderedConfig[],
  { pools, nodes }: ReferringObjects,
): ReadonlyMap<string, readonly string[]> {
  const ownerOf = new Map(configs.map((config) => [nameOf(config), ownerName(config)]));
  const found = new Map<string, string[]>();
  for (const node of nodes) {
    if (diskReportOf(node)?.isOfThisBoot === true) continue;
    const named = annotatedConfigs(node).map(({ name }) => ownerOf.get(name) ?? '');
    for (const pool of new Set([...poolsOf(node, pools), ...named])) {
      if (pool !== '') found.set(pool, [...(found.get(pool) ?? []), nameOf(node)]);
    }
  }
  return found;
}

function poolsOf(node: Node, pools: readonly MachineConfigPool[]): readonly string[] {
  const membership = membershipOf(node, pools);
  switch (membership.kind) {
    case 'member':
      return [membership.primary, ...membership.also].map(nameOf);
    case 'conflict':
      return membership.pools.map(nameOf);
    case 'none':
    case 'windows':
      return [];
  }
}
