/**
 * Kubelets, modelled: they register their Node, report whether it is ready, and end pods that are to end. Leases and resources are left out;
 * nothing of ours reads them.
 */
import type { Random } from '../../base/env.ts';
import { formatTimestamp } from '../../base/text/index.ts';
import type { StoreEvent } from '../../embedded/apiserver/index.ts';
import { KubeError } from '../../kubernetes/client/index.ts';
import { type Node, node as nodeKind, type Pod, pod as podKind } from '../../kubernetes/types/index.ts';
import { between, randomOf } from '../seeded-random.ts';
import { JOB_NAME_LABEL } from './build-pod-inputs.ts';
import { changeStored } from './change-stored.ts';
import type { Ground } from './ground.ts';

/** A machine, or what stands for one. */
type PoweredMachine = {
  readonly name: string;
  readonly isUp: boolean;
  /** Its reports go into the store directly: see `ModelledNodes`. */
  readonly isModelled?: boolean;
  onPower(listener: (isUp: boolean) => void): void;
};

/** Of kube-controller-manager: until a silent node is Unknown. */
const GRACE_MS = 40_000;
const RETRY_MS = 1_000;

export class Kubelets {
  readonly #ground: Ground;
  readonly #random: Random;
  readonly #machines = new Map<string, PoweredMachine>();
  /** Pods by key, as the store has them. */
  readonly pods = new Map<string, Pod>();

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#random = randomOf(ground.seed, 'kubelets');
    ground.store.subscribe({ prefix: '/pods/', from: ground.store.revision() }, (event) =>
      this.#onPod(event),
    );
  }

  /** Registers the node of a machine that is up. */
  async add(machine: PoweredMachine, labels: Node['metadata']['labels']): Promise<void> {
    this.#machines.set(machine.name, machine);
    await this.#ground.kube.create(nodeKind, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: machine.name, labels: { 'kubernetes.io/os': 'linux', ...labels } },
      spec: {},
      status: { conditions: [readiness('True', this.#ground.clock.now())], nodeInfo: NODE_INFO },
    });
    this.adopt(machine);
  }

  /** Of a machine whose node is registered. */
  adopt(machine: PoweredMachine): void {
    this.#machines.set(machine.name, machine);
    machine.onPower((isUp) => this.#onPower(machine, isUp));
  }

  remove(name: string): void {
    this.#machines.delete(name);
    for (const pod of this.#podsOn(name)) this.#delete(pod);
  }

  isUp(name: string): boolean {
    return this.#machines.get(name)?.isUp === true;
  }

  #onPower(machine: PoweredMachine, isUp: boolean): void {
    const { clock, pace } = this.#ground;
    const later = isUp ? between(this.#random, pace.kubeletStartMs) : GRACE_MS;
    clock.after(later, () => {
      if (machine.isUp !== isUp || !this.#machines.has(machine.name)) return;
      this.#report(machine, isUp ? 'True' : 'Unknown');
      for (const pod of this.#podsOn(machine.name)) {
        if (pod.metadata.deletionTimestamp !== undefined) {
          if (isUp) this.#endLater(pod);
        } else if (!isOfJob(pod)) this.#setPodReady(pod, isUp);
      }
    });
  }

  #report({ name, isModelled = false }: PoweredMachine, status: 'True' | 'Unknown'): void {
    const ready = readiness(status, this.#ground.clock.now());
    const body = { status: { conditions: [ready] } };
    this.#write(async () => {
      if (isModelled) {
        await changeStored<Node>(this.#ground.store, `/${nodeKind.plural}/${name}`, (node) =>
          withReadiness(node, ready),
        );
        return;
      }
      await this.#ground.kube.patch(
        nodeKind,
        { name },
        { type: 'strategic', body },
        { subresource: 'status' },
      );
    });
  }

  #onPod(event: StoreEvent): void {
    if (event.kind === 'delete') {
      this.pods.delete(event.key);
      return;
    }
    // The store holds what the server wrote.
    const pod = JSON.parse(new TextDecoder().decode(event.value)) as Pod;
    const before = this.pods.get(event.key);
    this.pods.set(event.key, pod);
    const isEnding = pod.metadata.deletionTimestamp !== undefined;
    if (isEnding && before?.metadata.deletionTimestamp === undefined) this.#endLater(pod);
    if (before === undefined && !isEnding) this.#startLater(pod);
  }

  #startLater(pod: Pod): void {
    const { clock, pace } = this.#ground;
    clock.after(between(this.#random, pace.podStartMs), () => {
      if (this.isUp(pod.spec.nodeName ?? '')) this.#setPodReady(pod, true);
    });
  }

  #endLater(pod: Pod): void {
    const { clock, pace } = this.#ground;
    clock.after(between(this.#random, pace.podEndMs(pod)), () => {
      // A machine that is down ends nothing; the next boot does.
      if (this.isUp(pod.spec.nodeName ?? '')) this.#delete(pod);
    });
  }

  #delete({ metadata: { name, namespace = '', uid = '' } }: Pod): void {
    this.#write(async () => {
      await this.#ground.kube.delete(podKind, { name, namespace }, { gracePeriodSeconds: 0, uid });
    });
  }

  #setPodReady(pod: Pod, isUp: boolean): void {
    const { name, namespace = '' } = pod.metadata;
    const { becomesReady = () => true } = this.#ground.pace;
    const ready = { type: 'Ready', status: isUp && becomesReady(pod) ? 'True' : 'False' };
    const body = { status: { phase: 'Running', conditions: [ready] } };
    this.#write(async () => {
      await this.#ground.kube.patch(
        podKind,
        { name, namespace },
        { type: 'strategic', body },
        { subresource: 'status' },
      );
    });
  }

  /** What is gone meanwhile needs no report. */
  #write(write: () => Promise<void>): void {
    write().catch((error: unknown) => {
      if (error instanceof KubeError && (error.code === 404 || error.code === 409)) return;
      this.#ground.clock.after(RETRY_MS, () => this.#write(write));
    });
  }

  #podsOn(name: string): readonly Pod[] {
    return [...this.pods.values()].filter(({ spec }) => spec.nodeName === name);
  }
}

/** Its pods do not run again: see `BuildPods`. */
function isOfJob({ metadata }: Pod): boolean {
  return metadata.labels?.[JOB_NAME_LABEL] !== undefined;
}

const NODE_INFO = {
  ...{
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: '',
    kubeProxyVersion: '',
    kubeletVersion: '',
  },
  ...{ osImage: 'CentOS Stream CoreOS 9', containerRuntimeVersion: 'cri-o://1.33.1' },
  ...{ operatingSystem: 'linux', architecture: 'amd64' },
};

function withReadiness(node: Node, ready: ReturnType<typeof readiness>): Node {
  const others = (node.status?.conditions ?? []).filter(({ type }) => type !== ready.type);
  return { ...node, status: { ...node.status, conditions: [...others, ready] } };
}

function readiness(status: 'True' | 'Unknown', nowMs: number) {
  return {
    type: 'Ready',
    status,
    lastTransitionTime: formatTimestamp(nowMs),
    reason: status === 'True' ? 'KubeletReady' : 'NodeStatusUnknown',
    message: status === 'True' ? 'kubelet is posting ready status' : 'Kubelet stopped posting node status.',
  };
}
