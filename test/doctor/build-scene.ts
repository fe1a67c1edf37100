/** The cluster of the stories about builds, with the node controller, whose pool waits, and a doctor. */
import { BUILDER_LEASE, CONTROLLER_LEASE, NAMESPACE, OPERATOR_LEASE } from '../../src/api/index.ts';
import { createControllers } from '../../src/controllers/index.ts';
import { runAsLeader } from '../../src/kubernetes/client/index.ts';
import { type BuildCluster, startBuildCluster } from '../builds/build-cluster.ts';
import { type Component, controlAsLeader } from '../rollout/control.ts';
import { LEASE_SETTINGS } from '../rollout/world.ts';
import type { Running } from '../rollout/world-process.ts';
import { createDoctor, MINUTE } from './doctor-world.ts';
import type { Scene } from './run-stories.ts';

export type BuildScene = Scene & {
  readonly cluster: BuildCluster;
  /** With the Lease that it holds. */
  readonly startBuilder: () => void;
  readonly stopBuilder: () => Promise<void>;
};

const node: Component = (context) =>
  createControllers(context, { templates: new Map(), roles: [] }).filter(({ name }) => name === 'node');

export async function startBuildScene(): Promise<BuildScene> {
  const cluster = await startBuildCluster();
  const { world } = cluster;
  const lease = (name: string) => ({ name, namespace: NAMESPACE });
  world.startOther((parts) =>
    controlAsLeader(parts, {
      ...{ identity: 'controller-0_1', lease: lease(CONTROLLER_LEASE), component: node },
      settings: LEASE_SETTINGS,
    }),
  );
  // It has nothing to do here.
  const hold = (name: string): Running =>
    world.startOther(({ kube, env }) =>
      runAsLeader(
        {
          kube,
          env,
          lease: lease(name),
          identity: `${name}-0_1`,
          predecessors: '',
          settings: LEASE_SETTINGS,
        },
        ({ env: { signal } }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      ),
    );
  hold(OPERATOR_LEASE);
  const builder: Running[] = [];
  const doctor = createDoctor(world);
  const pass = (ms: number) => world.env.clock.advance(ms);
  await pass(1_000);
  return {
    ...doctor,
    ...{ cluster, pass },
    settle: () => pass(MINUTE),
    startBuilder: () => void builder.push(hold(BUILDER_LEASE), cluster.startBuilder()),
    async stopBuilder() {
      for (const one of builder.splice(0)) await one.stop();
    },
    stop: () => world.stop(),
  };
}
