/**
 * The part of a change that lasts. Controllers restore what is theirs within moments: base configs, generated configs, rendered
 * configs that a pool targets, and the built-in pools. The rest of a plan must not count with the moment in between.
 */
import {
  builtInPool,
  CONTROLLER_CONFIG_NAME,
  controllerConfig as controllerConfigKind,
  type MachineConfig,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../../api/index.ts';
import { jsonEqual } from '../../base/json.ts';
import { isGenerated } from '../../config/generate/index.ts';
import { isRendered } from '../../config/render/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { Deletion, SnapshotChange } from '../snapshot/change-snapshot.ts';
import type { ClusterSnapshot, SnapshotObject } from '../snapshot/cluster-snapshot.ts';
import type { PlanProblem } from './plan-types.ts';

type LastingChange = {
  readonly change: SnapshotChange;
  /** What is undone. */
  readonly warnings: readonly PlanProblem[];
};

export function lastingChange(present: ClusterSnapshot, change: SnapshotChange): LastingChange {
  // Manifests alone have no controllers.
  if (present.get(controllerConfigKind, { name: CONTROLLER_CONFIG_NAME }) === undefined) {
    return { change, warnings: [] };
  }
  const undoneApplied = change.applied.filter((object) => isRestored(present, object.kind, nameOf(object)));
  const undoneDeleted = change.deleted.filter(({ kind, name }) => isRestored(present, kind, name));
  const pools = change.deleted.flatMap((deletion) => recreatedPool(present, deletion) ?? []);
  const changed = undoneApplied.filter((object) => hasAnotherSpec(present, object));
  return {
    change: {
      applied: [...without(change.applied, undoneApplied), ...pools],
      deleted: without(change.deleted, undoneDeleted),
    },
    warnings: [
      ...changed.map(({ kind, metadata }) => ({
        object: `${kind}/${metadata.name}`,
        message: 'belongs to the controllers, which undo the change',
      })),
      ...undoneDeleted.map(({ kind, name }) => ({
        object: `${kind}/${name}`,
        message: 'belongs to the controllers, which create it again',
      })),
      ...pools.map(({ kind, metadata }) => ({
        object: `${kind}/${metadata.name}`,
        message: 'is built in: the operator creates it again, without what was changed in it',
      })),
    ],
  };
}

function without<T>(list: readonly T[], others: readonly T[]): readonly T[] {
  return list.filter((one) => !others.includes(one));
}

/** Those of others, and 99-ROLE-ssh, stay as users leave them. */
function isRestored(present: ClusterSnapshot, kind: string, name: string): boolean {
  if (kind !== machineConfigKind.kind) return false;
  const found = present.get(machineConfigKind, { name });
  if (found === undefined) return false;
  return isBase(found) || isGenerated(found) || isTargeted(present, found);
}

function isBase({ metadata }: MachineConfig): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind === controllerConfigKind.kind);
}

function isTargeted(present: ClusterSnapshot, config: MachineConfig): boolean {
  if (!isRendered(config.metadata)) return false;
  return present.all(machineConfigPoolKind).some(({ spec }) => spec.configuration?.name === nameOf(config));
}

/** Applying what is there already undoes nothing. */
function hasAnotherSpec(present: ClusterSnapshot, object: SnapshotObject): boolean {
  const found = present.get(machineConfigKind, { name: nameOf(object) });
  // Only MachineConfigs are restored.
  const { spec } = object as unknown as MachineConfig;
  return !jsonEqual(found?.spec, spec);
}

const BUILT_IN = ['master', 'worker'] as const;

function recreatedPool(present: ClusterSnapshot, { kind, name }: Deletion): SnapshotObject | undefined {
  const role = BUILT_IN.find((one) => one === name);
  if (kind !== machineConfigPoolKind.kind || role === undefined) return undefined;
  return present.get(machineConfigPoolKind, { name }) === undefined ? undefined : builtInPool(role);
}
