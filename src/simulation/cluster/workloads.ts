/**
 * Applications, modelled: each keeps a number of pods on nodes that take them, some with a disruption budget. The status of budgets is
 * written by the disruption controller of the embedded cluster; evictions are decided by the API server.
 */
import type { Random } from '../../base/env.ts';
import { silentLog } from '../../base/env.ts';
import { createDisruptionBudgetController, workloadSettings } from '../../embedded/controllers/index.ts';
import { createCaches, createKube, runControllers, type Transport } from '../../kubernetes/client/index.ts';
import {
  podDisruptionBudget as budgetKind,
  node as nodeKind,
  type Pod,
  pod as podKind,
  replicaSet as replicaSetKind,
} from '../../kubernetes/types/index.ts';
import { randomOf, shuffled } from '../seeded-random.ts';
import type { Ground } from './ground.ts';
import type { Kubelets } from './kubelets.ts';

export type Workload = {
  readonly name: string;
  readonly replicas: number;
  /** Of its PodDisruptionBudget; without one where it is absent. */
  readonly minAvailable?: number;
};

const WORKLOAD_NAMESPACE = 'default';
const APP = 'app';
/** Between looks at what is missing. */
const LOOK_MS = 3_000;
const UNLIMITED = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };

export class Workloads {
  readonly #ground: Ground;
  readonly #kubelets: Kubelets;
  readonly #workloads = new Map<string, Workload>();
  /** Uids of the ReplicaSets by name. */
  readonly #owners = new Map<string, string>();
  readonly #random: Random;
  #count = 0;
  #isBusy: boolean = false;

  constructor(ground: Ground, kubelets: Kubelets) {
    this.#ground = ground;
    this.#kubelets = kubelets;
    this.#random = randomOf(ground.seed, 'workloads');
  }

  /** Follows the pods of all applications, and their budgets. */
  start(transport: Transport): void {
    const { clock, seed, signal } = this.#ground;
    const env = { clock, random: randomOf(seed, 'budgets'), log: silentLog, signal };
    const kube = createKube({ transport, env, fieldManager: 'kube-controller-manager', limits: UNLIMITED });
    const caches = createCaches({ transport, env, limits: UNLIMITED });
    const settings = workloadSettings({ authorityPem: '' });
    runControllers([createDisruptionBudgetController({ kube, caches, env, settings })], { env }).catch(
      this.#ground.onBug,
    );
    this.#lookAgain();
  }

  async add(workload: Workload): Promise<void> {
    const { kube } = this.#ground;
    const { name, replicas, minAvailable } = workload;
    const labels = { [APP]: name };
    const metadata = { name, namespace: WORKLOAD_NAMESPACE };
    const template = { metadata: { labels }, spec: { containers: [{ name: APP, image: APP }] } };
    const { metadata: created } = await kube.create(replicaSetKind, {
      ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata },
      spec: { replicas, selector: { matchLabels: labels }, template },
    });
    if (minAvailable !== undefined) {
      await kube.create(budgetKind, {
        ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata },
        spec: { minAvailable, selector: { matchLabels: labels } },
      });
    }
    // Without a garbage collector any other will do.
    if (this.#ground.isImageMode) this.#owners.set(name, created.uid ?? '');
    this.#workloads.set(name, workload);
    await this.#fill();
  }

  async setMinAvailable(name: string, minAvailable: number): Promise<void> {
    const place = { name, namespace: WORKLOAD_NAMESPACE };
    const body = { spec: { minAvailable } };
    await this.#ground.kube.patch(budgetKind, place, { type: 'merge', body });
  }

  #lookAgain(): void {
    this.#ground.clock.after(LOOK_MS, () => {
      this.#fill()
        .catch((error: unknown) => this.#ground.trace.add(`workloads: ${String(error)}`))
        .finally(() => this.#lookAgain());
    });
  }

  async #fill(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (const workload of this.#workloads.values()) await this.#fillOne(workload);
    } finally {
      this.#isBusy = false;
    }
  }

  async #fillOne({ name, replicas }: Workload): Promise<void> {
    const pods = [...this.#kubelets.pods.values()].filter(
      ({ metadata }) => metadata.labels?.[APP] === name && metadata.deletionTimestamp === undefined,
    );
    if (pods.length >= replicas) return;
    const { kube } = this.#ground;
    const { items } = await kube.list(nodeKind);
    const feasible = items.filter(
      ({ metadata, spec }) =>
        spec.unschedulable !== true &&
        this.#kubelets.isUp(metadata.name) &&
        metadata.labels?.['node-role.kubernetes.io/master'] === undefined,
    );
    const load = (node: string) => pods.filter(({ spec }) => spec.nodeName === node).length;
    const [best] = shuffled(this.#random, feasible).toSorted(
      (a, b) => load(a.metadata.name) - load(b.metadata.name),
    );
    if (best === undefined) return;
    await kube.create(podKind, this.#podOf(name, best.metadata.name));
  }

  #podOf(name: string, nodeName: string): Pod {
    this.#count += 1;
    const owner = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name,
      uid: this.#owners.get(name) ?? `uid-of-${name}`,
      controller: true,
    };
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-${this.#count}`,
        namespace: WORKLOAD_NAMESPACE,
        labels: { [APP]: name },
        ownerReferences: [owner],
      },
      spec: { nodeName, containers: [{ name: APP, image: APP }] },
    };
  }
}
