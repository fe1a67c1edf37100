/** The controllers of `src/embedded/controllers` as one more process: kubelets, scheduler, workloads, disruption budgets. */

import type { Env } from '../../src/base/env.ts';
import {
  createNodeControllers,
  createWorkloadControllers,
  nodeSettings,
  workloadSettings,
} from '../../src/embedded/controllers/index.ts';
import { runControllers } from '../../src/kubernetes/client/index.ts';
import { SimulatedMachines } from '../support/simulated-machines.ts';
import type { World } from './build-world.ts';
import type { Machine } from './scripted-daemons.ts';
import { cachesFor } from './world-process.ts';

/** Returns the simulated machines, which the daemons reboot. */
export async function startEmbeddedControllers(world: World<Env>, speed: number): Promise<Machine> {
  const power = new SimulatedMachines(world.env.random);
  const nodes = (await world.nodes()).map(({ metadata }) => ({ name: metadata.name }));
  world.startOther(async (parts) => {
    const { kube, env } = parts;
    const caches = cachesFor(parts);
    const context = { kube, caches, env };
    await runControllers(
      [
        ...createWorkloadControllers({ ...context, settings: workloadSettings({ authorityPem: '', speed }) }),
        ...createNodeControllers({ ...context, settings: nodeSettings({ speed }), power, nodes }),
      ],
      { env },
    );
    await caches.stop();
  });
  return {
    isUp: ({ metadata }) => power.isUp(metadata.name),
    goDown: async ({ metadata }) => power.switchOff(metadata.name),
    comeUp: async ({ metadata }) => power.switchOn(metadata.name),
  };
}
