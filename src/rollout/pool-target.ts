/**
 * The target of a pool, and whether a node has been sent there.
 */

import { annotations, type MachineConfigPool } from '../api/index.ts';
import { stringAt } from '../base/json-fields.ts';
import { annotationOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { builtConfig, imageOf, type Layering } from './layering.ts';
import { isDone } from './node-state.ts';

export type PoolTarget = {
  /** The rendered MachineConfig of the pool; empty until there is one. */
  readonly config: string;
  /** Absent for pools that build no images. */
  readonly layered?: {
    /** The rendered MachineConfig that is built into the image; empty while there is no build. */
    readonly config: string;
    /** Empty while there is none. */
    readonly image: string;
  };
};

export function targetOf(pool: MachineConfigPool, layering?: Layering): PoolTarget {
  const config = stringAt(pool.spec?.configuration, 'name');
  if (layering === undefined) return { config };
  const { build } = layering;
  return {
    config,
    layered: { config: build === undefined ? '' : builtConfig(build), image: imageOf(layering) },
  };
}

export function isSameTarget(a: PoolTarget, b: PoolTarget): boolean {
  return (
    a.config === b.config &&
    (a.layered === undefined) === (b.layered === undefined) &&
    a.layered?.config === b.layered?.config &&
    a.layered?.image === b.layered?.image
  );
}

/**
 * Whether the node has been sent to the target. In a pool without images even an empty annotation `desiredImage` means
 * that it has not: removing it is what leads a node out of image mode.
 */
export function isTargeted(node: Node, { config, layered }: PoolTarget): boolean {
  const desiredConfig = annotationOf(node, annotations.desiredConfig) ?? '';
  const desiredImage = annotationOf(node, annotations.desiredImage);
  if (layered === undefined) return desiredConfig === config && desiredImage === undefined;
  return layered.image !== '' && desiredImage === layered.image && desiredConfig === layered.config;
}

/** Whether the node has the target configuration. */
export function isUpdated(node: Node, target: PoolTarget): boolean {
  return (
    isDone(node) &&
    annotationOf(node, annotations.desiredConfig) === target.config &&
    isTargeted(node, target)
  );
}

/**
 * The annotations that send a node to the target; `null` removes one. They belong in one write: a node must never get a
 * new configuration with an old image.
 */
export function desiredAnnotations({ config, layered }: PoolTarget): {
  readonly [key: string]: string | null;
} {
  return {
    [annotations.desiredConfig]: layered?.config ?? config,
    [annotations.desiredImage]: layered === undefined || layered.image === '' ? null : layered.image,
    // From here on the image is the node's own matter.
    [annotations.fetchImage]: null,
  };
}

/** The target as it is named in conditions. */
export function targetLine({ config, layered }: PoolTarget): string {
  const image = layered?.image ?? '';
  return image === '' ? `MachineConfig ${config}` : `MachineConfig ${config} / Image ${image}`;
}
