/**
 * Cluster operator: writes the status of OpenShift's ClusterOperator `machine-config`, where that kind exists. Elsewhere it
 * checks from time to time whether the kind was installed.
 */

import {
  type ClusterOperator,
  type ClusterOperatorStatus,
  CONTROLLER_CONFIG_NAME,
  clusterOperator as clusterOperatorKind,
  controllerConfig as controllerConfigKind,
  machineConfigPool as machineConfigPoolKind,
  OS_IMAGE_CONFIG_MAP,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { releaseProblem } from '../config/render/index.ts';
import { after, type Controller, done, getIfServed, type Next } from '../kubernetes/client/index.ts';
import { apiVersionOf } from '../kubernetes/meta/index.ts';
import { configMap as configMapKind } from '../kubernetes/types/index.ts';
import { clusterOperatorStatus } from '../rollout/index.ts';
import type { Context } from './context.ts';
import type { FailingReconciles, ReconcileFailure } from './failures/failing-reconciles.ts';
import { failureText, reportedFailure } from './failures/failure-status.ts';

const COMPONENT = 'machine-config-operator';
const NAME = 'machine-config';
const KEY = NAME;
const LOOK_AGAIN_MS = 10 * 60_000;
const NO_SUCH_KIND = 'the kind ClusterOperator does not exist';
/** Pools change often during a rollout; changes are collected for this long. */
const GATHER_MS = 1_000;

export function createClusterOperatorController(context: Context, failing: FailingReconciles): Controller {
  const { caches, env, kube, release } = context;
  const { namespace } = context.settings;
  const pools = caches.of(machineConfigPoolKind);
  const configMaps = caches.of(configMapKind, {
    namespace,
    fieldSelector: `metadata.name=${OS_IMAGE_CONFIG_MAP}`,
  });
  const controllerConfigs = caches.of(controllerConfigKind);
  // A server without the kind is not queried at every change of a pool.
  let lookAgainAt = 0;
  return {
    name: 'cluster-operator',
    workers: 1,
    caches: [pools, configMaps, controllerConfigs],
    watch(enqueue) {
      pools.onChange(({ before, after: now }) => {
        if (!jsonEqual(before?.status, now?.status)) enqueue(KEY, GATHER_MS);
      });
      configMaps.onChange(() => enqueue(KEY, GATHER_MS));
      controllerConfigs.onChange(() => enqueue(KEY, GATHER_MS));
      failing.onChange(() => enqueue(KEY, GATHER_MS));
      enqueue(KEY);
    },
    async reconcile() {
      const waitMs = lookAgainAt - env.clock.monotonic();
      if (waitMs > 0) return after(waitMs, NO_SUCH_KIND);
      const existing = await getIfServed(() => kube.get(clusterOperatorKind, { name: NAME }));
      if (existing === 'no such kind') {
        lookAgainAt = env.clock.monotonic() + LOOK_AGAIN_MS;
        return after(LOOK_AGAIN_MS, NO_SUCH_KIND);
      }
      const object = existing ?? (await kube.create(clusterOperatorKind, EMPTY));
      const failure = syncFailure({
        release: releaseProblem(configMaps.get({ name: OS_IMAGE_CONFIG_MAP, namespace }), release),
        own: failing.first(),
        controllers: reportedFailure(controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME })),
      });
      const status = clusterOperatorStatus({
        namespace,
        pools: [...pools.all()],
        version: release.releaseVersion,
        ...(failure === undefined ? {} : { failure }),
        ...(object.status === undefined ? {} : { before: object.status }),
        now: env.clock.now(),
      });
      if (jsonEqual(object.status, status)) return done;
      return publish(context, object, status);
    },
  };
}

type SyncInputs = {
  readonly release: string | undefined;
  /** Of the operator itself. */
  readonly own: ReconcileFailure | undefined;
  readonly controllers: string | undefined;
};

/** The failure that is shown, with upstream's task of the operator. */
export function syncFailure({ release, own, controllers }: SyncInputs) {
  if (release !== undefined) return { task: 'RenderConfig', error: release };
  // That of this controller itself could only be shown if it did not fail.
  if (own !== undefined && own.key !== KEY) return { task: taskOf(own.key), error: failureText(own) };
  return controllers === undefined ? undefined : { task: 'MachineConfigController', error: controllers };
}

/** By the keys of the operator controller. */
function taskOf(key: string): string {
  if (key.startsWith('node/')) return 'MachineConfigNode';
  if (key === 'pools') return 'MachineConfigPools';
  return key === 'machineconfiguration' ? 'MachineConfiguration' : 'RenderConfig';
}

async function publish(
  { kube, eventsOf }: Context,
  object: ClusterOperator,
  status: ClusterOperatorStatus,
): Promise<Next> {
  const body = { metadata: { uid: object.metadata.uid }, status };
  await kube.patch(clusterOperatorKind, { name: NAME }, { type: 'merge', body }, { subresource: 'status' });
  const degraded = (one: ClusterOperatorStatus | undefined) =>
    one?.conditions?.find(({ type }) => type === 'Degraded');
  const [before, now] = [degraded(object.status), degraded(status)];
  const isNews =
    before?.status !== 'True' || before.message !== now?.message || before.reason !== now?.reason;
  if (now?.status === 'True' && isNews) {
    const about = {
      apiVersion: apiVersionOf(clusterOperatorKind),
      kind: clusterOperatorKind.kind,
      name: NAME,
    };
    eventsOf(COMPONENT).warning(about, `OperatorDegraded: ${now.reason}`, now.message ?? '');
  }
  return done;
}

const EMPTY: ClusterOperator = {
  apiVersion: apiVersionOf(clusterOperatorKind),
  kind: clusterOperatorKind.kind,
  metadata: { name: NAME },
  spec: {},
};
