/**
 * Starts the embedded controllers of the cluster: workload controllers, scheduler and simulated kubelets.
 */

import type { Env } from '../../base/env.ts';
import {
  createCaches,
  createEventRecorder,
  createInProcessTransport,
  createKube,
  type EventWriter,
  runControllers,
} from '../../kubernetes/client/index.ts';
import type { ApiServer } from '../apiserver/index.ts';
import {
  createNodeControllers,
  createWorkloadControllers,
  type MachineState,
  NODE_EVENT_NAMESPACE,
  type NodeSettings,
  type PodExecutions,
  type SimulatedNodes,
  type WorkloadSettings,
} from '../controllers/index.ts';
import { UNLIMITED } from './cluster-view.ts';

type ClusterControllersOptions = {
  readonly env: Env;
  readonly handle: ApiServer['handle'];
  readonly power: MachineState;
  readonly nodes: SimulatedNodes;
  readonly workloads: WorkloadSettings;
  readonly settings: NodeSettings;
  /** Pods that are real processes. */
  readonly executions: PodExecutions;
};

/** Time limit for the last events. */
const FLUSH_TIMEOUT_MS = 5_000;
const USER = { name: 'system:kube-controller-manager', groups: ['system:masters'] };

/** Returns a function that stops them. */
export function startClusterControllers(options: ClusterControllersOptions): () => Promise<void> {
  const ending = new AbortController();
  const env: Env = { ...options.env, signal: ending.signal };
  const { handle, power, nodes, workloads, settings, executions } = options;
  const transport = createInProcessTransport({ handle, user: USER });
  const kube = createKube({ transport, env, fieldManager: 'kube-controller-manager', limits: UNLIMITED });
  const caches = createCaches({ transport, env, limits: UNLIMITED });
  const recorders: EventWriter[] = [];
  const events = (component: string): EventWriter => {
    const recorder = createEventRecorder({ kube, env, component, namespace: NODE_EVENT_NAMESPACE });
    recorders.push(recorder);
    return recorder;
  };
  const controllers = [
    ...createWorkloadControllers({ kube, caches, env, settings: workloads }),
    ...createNodeControllers({ kube, caches, env, settings, power, nodes, events, executions }),
  ];
  const running = runControllers(controllers, { env });
  // Also rejects in the stop function.
  running.catch((error: unknown) =>
    env.log.error('the embedded controllers have failed', { error: String(error) }),
  );
  return async () => {
    ending.abort();
    await running;
    await Promise.all(recorders.map((recorder) => recorder.flush(FLUSH_TIMEOUT_MS)));
    await caches.stop();
  };
}
