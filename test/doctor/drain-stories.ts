/** Drains that do not end, and nodes that may not go. */
import { podDisruptionBudget as budgetKind, pod as podKind } from '../../src/kubernetes/types/index.ts';
import { runPod, startReaper } from '../rollout/pod-reaper.ts';
import {
  cordonAsAdmin,
  createAccount,
  GUARDED,
  HOUR,
  NAMESPACE,
  newTarget,
  setBudget,
} from '../rollout/story-steps.ts';
import type { World } from '../rollout/world.ts';
import type { Running } from '../rollout/world-process.ts';
import { type DoctorWorld, MINUTE, refusal, startScriptedWorld } from './doctor-world.ts';
import { forbid } from './forbid.ts';
import type { Story } from './run-stories.ts';

export async function startDrainWorld(): Promise<DoctorWorld> {
  const scene = await startScriptedWorld();
  await createAccount(scene.world);
  // Pods called slow take ten minutes to end.
  startReaper(scene.world, { endsAfterMs: (name) => (name.startsWith('slow') ? 10 * MINUTE : 5_000) });
  return scene;
}

let changes = 0;
/** Sends the first node. */
export async function change({ world }: DoctorWorld): Promise<void> {
  await newTarget(world, 'worker', `change ${changes++}`);
}

async function removePod({ kube }: World, name: string): Promise<void> {
  await kube.delete(podKind, { name, namespace: NAMESPACE }, { gracePeriodSeconds: 0 });
}

const WORKERS = ['worker-0', 'worker-1', 'worker-2'];
let lift: () => Promise<unknown> = async () => undefined;
let intruder: Running | undefined;

export const DRAIN_STORIES: readonly Story<DoctorWorld>[] = [
  {
    id: 'S3-14',
    async produce(scene) {
      await runPod(scene.world, 'web-0', 'worker-0', GUARDED);
      await setBudget(scene.world, 0);
      await change(scene);
    },
    mend: ({ world }) => setBudget(world, 1),
    says: /PodDisruptionBudget web allows no eviction of pod default\/web-0/,
  },
  {
    id: 'S3-15',
    async produce(scene) {
      await runPod(scene.world, 'web-0', 'worker-0', GUARDED);
      await setBudget(scene.world, 0);
      await change(scene);
      await scene.pass(2 * HOUR);
    },
    mend: ({ world }) => setBudget(world, 1),
    says: /blocked for more than 1 hour/,
  },
  {
    id: 'M-11',
    async produce(scene) {
      const { kube } = scene.world;
      await runPod(scene.world, 'web-0', 'worker-0', GUARDED);
      await setBudget(scene.world, 1);
      const place = { name: 'second', namespace: NAMESPACE };
      const { metadata } = await kube.create(budgetKind, {
        ...{ apiVersion: 'policy/v1', kind: budgetKind.kind, metadata: place },
        spec: { minAvailable: 0, selector: { matchLabels: GUARDED.labels } },
      });
      const status = {
        ...{ disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 0, expectedPods: 1 },
        observedGeneration: metadata.generation,
      };
      await kube.patch(budgetKind, place, { type: 'merge', body: { status } }, { subresource: 'status' });
      await change(scene);
    },
    mend: async ({ world }) => {
      await world.kube.delete(budgetKind, { name: 'second', namespace: NAMESPACE });
      await setBudget(world, 1);
    },
    says: /several PodDisruptionBudgets \(second, web\)/,
  },
  {
    id: 'M-12',
    async produce(scene) {
      // The embedded API server has no webhooks.
      const message = 'admission webhook "guard.example.com" denied the request: not in this cluster';
      scene.interference.answer = ({ path }) => (path.endsWith('/eviction') ? refusal(message) : undefined);
      await runPod(scene.world, 'free-0', 'worker-0');
      await change(scene);
    },
    mend: async ({ interference }) => {
      delete interference.answer;
    },
    says: /refuses to evict pod default\/free-0: .*not in this cluster/,
  },
  {
    id: 'M-13',
    async produce(scene) {
      await runPod(scene.world, 'kept-0', 'worker-0', { finalizers: ['example.com/backup'] });
      await change(scene);
    },
    mend: async ({ world }) => {
      const body = { metadata: { finalizers: null } };
      await world.kube.patch(podKind, { name: 'kept-0', namespace: NAMESPACE }, { type: 'merge', body });
      await removePod(world, 'kept-0').catch(() => undefined);
    },
    says: /finalizer example\.com\/backup keeps it/,
  },
  {
    id: 'M-14',
    async produce(scene) {
      lift = await forbid(scene.world, {
        ...{ name: 'no-cordon', group: '', resource: 'nodes', operation: 'UPDATE' },
        expression: '!has(object.spec.unschedulable) || !object.spec.unschedulable',
      });
      await change(scene);
    },
    mend: () => lift(),
  },
  {
    id: 'S3-17',
    async produce(scene) {
      lift = await forbid(scene.world, {
        ...{ name: 'no-uncordon', group: '', resource: 'nodes', operation: 'UPDATE' },
        expression:
          '!has(oldObject.spec.unschedulable) || !oldObject.spec.unschedulable || (has(object.spec.unschedulable) && object.spec.unschedulable)',
      });
      await change(scene);
    },
    mend: () => lift(),
  },
  {
    id: 'S3-16',
    async produce(scene) {
      await runPod(scene.world, 'slow-0', 'worker-0');
      intruder = startUncordoning(scene.world);
      await change(scene);
    },
    async mend({ world }) {
      await intruder?.stop();
      await removePod(world, 'slow-0');
    },
  },
  {
    id: 'S3-18',
    async produce(scene) {
      for (const name of WORKERS) await cordonAsAdmin(scene.world, name, true);
      await change(scene);
    },
    mend: async ({ world }) => {
      for (const name of WORKERS) await cordonAsAdmin(world, name, false);
    },
    says: /worker-0, worker-1 and worker-2 were cordoned by another client, and 3 nodes are left/,
  },
];

/** Another controller, which wants all nodes schedulable. */
function startUncordoning(world: World): Running {
  return world.startOther(async ({ env }) => {
    while (!env.signal.aborted) {
      for (const name of WORKERS) await cordonAsAdmin(world, name, false);
      await new Promise<void>((resolve) => {
        env.clock.after(2_000, resolve);
        env.signal.addEventListener('abort', () => resolve());
      });
    }
  });
}
