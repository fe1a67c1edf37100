/**
 * The codes of the doctor beside the pools of a status: what holds each one up, by the same rules.
 *
 * A status is made of fewer objects than a diagnosis. Where a rule would have to look at others, the pool has no code, or that of
 * the next cause; `millwright doctor` says the rest.
 */
import {
  controllerConfig as controllerConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
} from '../api/index.ts';
import { apiVersionOf, nameOf } from '../kubernetes/meta/index.ts';
import { node as nodeKind } from '../kubernetes/types/index.ts';
import { diagnose } from './doctor/diagnose.ts';
import type { FleetSnapshot, FleetStatus } from './fleet-status.ts';
import {
  type ClusterSnapshot,
  clusterSnapshot,
  kindKey,
  type SnapshotObject,
} from './snapshot/cluster-snapshot.ts';

export function withCauses(status: FleetStatus, fleet: FleetSnapshot): FleetStatus {
  const { leaders } = fleet;
  const { top, others } = diagnose(snapshotOf(fleet), {
    // For evidence alone, which a status does not show.
    namespace: leaders?.namespace ?? '',
    leaders,
  });
  const blocking = [...(top === undefined ? [] : [top]), ...others].filter(
    ({ severity }) => severity === 'blocks',
  );
  const ofCluster = blocking.find(({ stage }) => stage === 'cluster');
  return {
    ...status,
    pools: status.pools.map((pool) => {
      const cause = blocking.find(({ pools }) => pools.includes(pool.name));
      return { ...pool, ...(cause && { cause: cause.code }) };
    }),
    ...(ofCluster && { cause: ofCluster.code }),
  };
}

type AnyKind = { readonly group: string; readonly version: string; readonly kind: string };

/** Leases and workloads are not in it: a status knows only some of them. */
function snapshotOf(fleet: FleetSnapshot): ClusterSnapshot {
  const lists: readonly (readonly [AnyKind, Iterable<object> | undefined])[] = [
    [machineConfigPoolKind, fleet.pools],
    [nodeKind, fleet.nodes],
    [machineConfigNodeKind, fleet.machineConfigNodes],
    [machineOSConfigKind, fleet.machineOSConfigs],
    [machineOSBuildKind, fleet.machineOSBuilds],
    [controllerConfigKind, fleet.controllerConfigs],
  ];
  const objects = lists.flatMap(([kind, list]) =>
    [...(list ?? [])]
      .filter(isNamed)
      .map((object) => ({ ...object, apiVersion: apiVersionOf(kind), kind: kind.kind })),
  );
  const kinds = lists.flatMap(([kind, list]) => (list === undefined ? [] : [kindKey(kind)]));
  return clusterSnapshot({ nowMs: fleet.nowMs, objects, kinds });
}

/** Objects may be malformed. */
function isNamed(object: object): object is SnapshotObject {
  return nameOf(object) !== '';
}
