/**
 * Pods that were evicted come back on another node, as their controllers and the scheduler see to it: on one that is up, not cordoned, whose
 * taints they tolerate and whose labels they select. Where there is none, they wait.
 */
import type { Random } from '../../base/env.ts';
import type { StoreEvent } from '../../embedded/apiserver/index.ts';
import { isTolerated } from '../../embedded/controllers/index.ts';
import { KubeError } from '../../kubernetes/client/index.ts';
import { type Node, type Pod, pod as podKind } from '../../kubernetes/types/index.ts';
import type { SimulatedCluster } from '../cluster/cluster.ts';
import { between, randomOf } from '../seeded-random.ts';

const PODS = '/pods/';
/** Until its controller has noticed that a pod ends, or is gone. */
const NOTICED_MS = 50;
/** Between looks for a node that takes a pod. */
const RETRY_MS = 5_000;
/** More candidates make no difference to how long a drain takes. */
const MOST_CANDIDATES = 8;
const decoder = new TextDecoder();

type MovedPodsOptions = {
  readonly cluster: SimulatedCluster;
  readonly names: readonly string[];
  readonly node: (name: string) => Node | undefined;
  /** Uids of controllers that replace a pod only once it is gone. */
  readonly replacedOnceGone: ReadonlySet<string>;
};

export class MovedPods {
  readonly #cluster: SimulatedCluster;
  readonly #names: readonly string[];
  readonly #node: (name: string) => Node | undefined;
  readonly #replacedOnceGone: ReadonlySet<string>;
  readonly #random: Random;
  readonly #pods = new Map<string, Pod>();
  /** By node. */
  readonly #load = new Map<string, number>();
  #count = 0;

  constructor({ cluster, names, node, replacedOnceGone }: MovedPodsOptions) {
    this.#cluster = cluster;
    this.#names = names;
    this.#node = node;
    this.#replacedOnceGone = replacedOnceGone;
    this.#random = randomOf(cluster.seed, 'moved pods');
  }

  onStored(event: StoreEvent): void {
    if (!event.key.startsWith(PODS)) return;
    const known = this.#pods.get(event.key);
    if (event.kind === 'put') {
      // The store holds what the server wrote.
      const pod = JSON.parse(decoder.decode(event.value)) as Pod;
      this.#pods.set(event.key, pod);
      if (known === undefined) this.#count1(pod, 1);
      if (isEnding(pod) && (known === undefined || !isEnding(known)) && !this.#isReplacedOnceGone(pod))
        this.#replaceSoon(pod);
      return;
    }
    this.#pods.delete(event.key);
    if (known === undefined) return;
    this.#count1(known, -1);
    if (this.#isReplacedOnceGone(known) || !isEnding(known)) this.#replaceSoon(known);
  }

  #isReplacedOnceGone(pod: Pod): boolean {
    return this.#replacedOnceGone.has(controllerOf(pod)?.uid ?? '');
  }

  #replaceSoon(pod: Pod): void {
    const controller = controllerOf(pod);
    if (controller === undefined || controller.kind === 'DaemonSet') return;
    this.#cluster.clock.after(NOTICED_MS, () => this.#replace(pod));
  }

  #count1({ spec: { nodeName = '' } }: Pod, by: number): void {
    this.#load.set(nodeName, (this.#load.get(nodeName) ?? 0) + by);
  }

  #replace(pod: Pod): void {
    const { clock, kube } = this.#cluster;
    const again = () => clock.after(RETRY_MS, () => this.#replace(pod));
    const nodeName = this.#chooseNode(pod);
    if (nodeName === undefined) {
      again();
      return;
    }
    this.#count += 1;
    const { namespace = '', labels, annotations, ownerReferences = [] } = pod.metadata;
    const [owner] = ownerReferences;
    const created: Pod = {
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: {
        ...{ name: `${owner?.name ?? 'pod'}-r${this.#count}`, namespace, ownerReferences },
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
      },
      spec: { ...pod.spec, nodeName },
    };
    kube.create(podKind, created).catch((error: unknown) => {
      if (!(error instanceof KubeError)) throw error;
      again();
    });
  }

  /** Of some that take it, the one with the fewest pods. */
  #chooseNode(pod: Pod): string | undefined {
    const count = this.#names.length;
    if (count === 0) return undefined;
    const from = between(this.#random, [0, count - 1]);
    const found: string[] = [];
    for (let step = 0; step < count && found.length < MOST_CANDIDATES; step++) {
      const name = this.#names[(from + step) % count] ?? '';
      if (this.#takes(name, pod)) found.push(name);
    }
    const load = (name: string) => this.#load.get(name) ?? 0;
    return found.toSorted((a, b) => load(a) - load(b))[0];
  }

  #takes(name: string, { spec }: Pod): boolean {
    const node = this.#node(name);
    if (node === undefined || node.spec.unschedulable === true || !this.#cluster.kubelets.isUp(name))
      return false;
    const labels = node.metadata.labels ?? {};
    const isSelected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
    const barring = (node.spec.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
    return isSelected && barring.every((taint) => isTolerated(spec.tolerations ?? [], taint));
  }
}

function isEnding({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function controllerOf({ metadata }: Pod) {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
