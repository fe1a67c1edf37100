/**
 * Cluster operator: writes the status of OpenShift's ClusterOperator `machine-config`, where that kind exists. Elsewhere it
 * checks from time to time whether the kind was installed.
 */

import {
  type ClusterOperator,
  type ClusterOperatorStatus,
  clusterOperator as clusterOperatorKind,
  machineConfigPool as machineConfigPoolKind,
  NAMESPACE,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { after, type Controller, done, KubeError, type Next } from '../kubernetes/client/index.ts';
import { apiVersionOf } from '../kubernetes/meta/index.ts';
import { configMap as configMapKind } from '../kubernetes/types/index.ts';
import { clusterOperatorStatus } from '../rollout/index.ts';
import type { Context } from './context.ts';
import { OS_IMAGE_CONFIG_MAP, releaseProblem } from './release-guard.ts';

const COMPONENT = 'machine-config-operator';
const NAME = 'machine-config';
const KEY = NAME;
const LOOK_AGAIN_MS = 10 * 60_000;
const NO_SUCH_KIND = 'the kind ClusterOperator does not exist';
/** Pools change often during a rollout; changes are collected for this long. */
const GATHER_MS = 1_000;

export function createClusterOperatorController(context: Context): Controller {
  const { caches, env, kube, release } = context;
  const pools = caches.of(machineConfigPoolKind);
  const configMaps = caches.of(configMapKind, {
    namespace: NAMESPACE,
    fieldSelector: `metadata.name=${OS_IMAGE_CONFIG_MAP}`,
  });
  // A server without the kind is not queried at every change of a pool.
  let lookAgainAt = 0;
  return {
    name: 'cluster-operator',
    workers: 1,
    caches: [pools, configMaps],
    watch(enqueue) {
      pools.onChange(({ before, after: now }) => {
        if (!jsonEqual(before?.status, now?.status)) enqueue(KEY, GATHER_MS);
      });
      configMaps.onChange(() => enqueue(KEY, GATHER_MS));
      enqueue(KEY);
    },
    async reconcile() {
      const waitMs = lookAgainAt - env.clock.monotonic();
      if (waitMs > 0) return after(waitMs, NO_SUCH_KIND);
      const existing = await found(() => kube.get(clusterOperatorKind, { name: NAME }));
      if (existing === 'no such kind') {
        lookAgainAt = env.clock.monotonic() + LOOK_AGAIN_MS;
        return after(LOOK_AGAIN_MS, NO_SUCH_KIND);
      }
      const object = existing ?? (await kube.create(clusterOperatorKind, EMPTY));
      const error = releaseProblem(
        configMaps.get({ name: OS_IMAGE_CONFIG_MAP, namespace: NAMESPACE }),
        release,
      );
      const status = clusterOperatorStatus({
        pools: [...pools.all()],
        version: release.releaseVersion,
        ...(error === undefined ? {} : { failure: { task: 'RenderConfig', error } }),
        ...(object.status === undefined ? {} : { before: object.status }),
        now: env.clock.now(),
      });
      if (jsonEqual(object.status, status)) return done;
      return publish(context, object, status);
    },
  };
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

/** A server that does not know the kind answers 404 without naming an object. */
async function found<T>(get: () => Promise<T | undefined>): Promise<T | undefined | 'no such kind'> {
  try {
    return await get();
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return 'no such kind';
    throw error;
  }
}
