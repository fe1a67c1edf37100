/**
 * The daemons of many nodes without machines: they follow the annotation protocol and write MachineConfigNodes, and the
 * work on the machine is a configurable delay.
 *
 *     desiredConfig or desiredImage moves → Working → desiredDrain drain-X → (drained) → apply, reboot → currentConfig
 *                                     → desiredDrain uncordon-X → (in service) → Done
 *
 * The progress of a daemon is on its node, so a restarted one continues.
 */
import {
  annotations,
  type MachineConfigNode,
  type MachineConfigPool,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
} from '../../src/api/index.ts';
import type { Env } from '../../src/base/env.ts';
import { jsonEqual } from '../../src/base/json.ts';
import {
  after,
  type Cache,
  type Caches,
  type Controller,
  done,
  type Kube,
  type Next,
  type Selection,
} from '../../src/kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { membershipOf } from '../../src/rollout/index.ts';

export type DaemonScript = {
  /** Writing files and the OS image. */
  readonly applyMs: number;
  /** From the last write before the reboot to the first after it; meanwhile the node is not ready. */
  readonly rebootMs: number;
  /** Why a node cannot apply a config, or the image of image mode. Undefined where it can. Retried after a while. */
  readonly failure?: (node: string, config: string, image: string) => string | undefined;
  /** The same, only after the drain. */
  readonly failureOnApply?: (node: string, config: string, image: string) => string | undefined;
  /** Delay before a failing daemon or a held machine retries. */
  readonly retryMs?: number;
  /** Machines that do not complete their reboot while this holds. */
  readonly isHeld?: (node: string) => boolean;
  /** How a machine goes down and comes back. By default only the Ready condition of its node changes. */
  readonly machine?: Machine;
};

export type Machine = {
  readonly isUp: (node: Node) => boolean;
  readonly goDown: (node: Node) => Promise<void>;
  readonly comeUp: (node: Node) => Promise<void>;
};

export type DaemonContext = {
  /** With the identity of the daemons. */
  readonly kube: Kube;
  readonly caches: Caches;
  /** The nodes of the daemons; all by default. */
  readonly selection?: Selection;
  /** With the identity of an installer, which knows the configs of pools. */
  readonly installer: Caches;
  /** With the identity of the kubelets, which write the Ready condition. */
  readonly kubelet: Kube;
  readonly env: Pick<Env, 'clock'>;
};

/** Realistic durations, for virtual time. */
export const DEFAULT_SCRIPT: DaemonScript = { applyMs: 20_000, rebootMs: 60_000 };

type Snapshot = {
  readonly nodes: Cache<Node>;
  readonly pools: Cache<MachineConfigPool>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
  /** When a node began to apply or to boot. */
  readonly busySince: Map<string, { readonly step: string; readonly ms: number }>;
  /** The booted config and image of the machine; the cached Node may be older. */
  readonly booted: Map<string, BootedOs>;
  readonly machine: Machine;
};

/** `image`: that of image mode, or empty. */
type BootedOs = { readonly config: string; readonly image: string };

/** As annotations; without an image there is none, not an empty one. */
function currentOs({ config, image }: BootedOs): Changes {
  return { [annotations.currentConfig]: config, [annotations.currentImage]: image === '' ? null : image };
}

type Changes = { readonly [key: string]: string | null };

export function createScriptedDaemons(context: DaemonContext, script: DaemonScript): Controller {
  const { caches, selection } = context;
  const snapshot: Snapshot = {
    nodes: caches.of(nodeKind, selection),
    pools: context.installer.of(machineConfigPoolKind),
    machineConfigNodes: caches.of(machineConfigNodeKind, selection),
    busySince: new Map(),
    booted: new Map(),
    machine: script.machine ?? readyMachine(context),
  };
  return {
    name: 'scripted-daemons',
    workers: 50,
    caches: [snapshot.nodes, snapshot.pools, snapshot.machineConfigNodes],
    watch(enqueue) {
      snapshot.nodes.onChange(({ after: node }) => node !== undefined && enqueue(node.metadata.name));
      snapshot.machineConfigNodes.onChange(({ before, after: next }) => {
        if (next !== undefined && !jsonEqual(before?.spec, next.spec)) enqueue(next.metadata.name);
      });
      // A node that has never had a configuration waits for the first one of its pool.
      snapshot.pools.onChange(({ before, after: pool }) => {
        if (pool === undefined || (before?.spec.configuration?.name ?? '') !== '') return;
        for (const { metadata } of snapshot.nodes.all()) enqueue(metadata.name);
      });
    },
    async reconcile(name) {
      const node = snapshot.nodes.get({ name });
      if (node === undefined) return done;
      const next = await step(context, snapshot, { node, script });
      await report(context, snapshot, name);
      return next;
    },
  };
}

type Step = { readonly node: Node; readonly script: DaemonScript };

async function step(context: DaemonContext, snapshot: Snapshot, { node, script }: Step): Promise<Next> {
  const { name } = node.metadata;
  const annotation = (key: string) => node.metadata.annotations?.[key] ?? '';
  const write = async (changes: Changes): Promise<Next> => {
    await context.kube.patch(
      nodeKind,
      { name },
      { type: 'merge', body: { metadata: { annotations: changes } } },
    );
    return done;
  };
  const [current, desired] = [annotation(annotations.currentConfig), annotation(annotations.desiredConfig)];
  if (current === '') return join(snapshot, node, write);
  const [image, target] = [annotation(annotations.currentImage), annotation(annotations.desiredImage)];
  const booted = snapshot.booted.get(name) ?? { config: current, image };
  if (booted.config !== current || booted.image !== image) return write(currentOs(booted));
  const state = annotation(annotations.state);
  const [asked, answered] = [annotation(annotations.desiredDrain), annotation(annotations.lastAppliedDrain)];
  if (current === desired && image === target) {
    const uncordon = `uncordon-${desired}`;
    if (asked !== uncordon) return write({ [annotations.desiredDrain]: uncordon });
    if (answered !== uncordon) return done;
    return state === 'Done' ? done : write({ [annotations.state]: 'Done', [annotations.reason]: '' });
  }
  const drain = `drain-${desired}`;
  const isDrained = asked === drain && answered === drain;
  const failure =
    script.failure?.(name, desired, target) ??
    (isDrained ? script.failureOnApply?.(name, desired, target) : undefined);
  if (failure !== undefined) {
    if (annotation(annotations.reason) !== failure || state !== 'Degraded') {
      await write({ [annotations.state]: 'Degraded', [annotations.reason]: failure });
    }
    return after(script.retryMs ?? 1000, 'until the retry');
  }
  if (state !== 'Working') return write({ [annotations.state]: 'Working', [annotations.reason]: '' });
  if (asked !== drain) return write({ [annotations.desiredDrain]: drain });
  if (answered !== drain) return done;
  return work(context, snapshot, { node, script, desired, image: target, write });
}

/** A new machine is installed with the config of its pool. */
function join(
  { pools, booted }: Snapshot,
  node: Node,
  write: (changes: Changes) => Promise<Next>,
): Promise<Next> | Next {
  const membership = membershipOf(node, pools.all());
  const config = membership.kind === 'member' ? (membership.primary.spec.configuration?.name ?? '') : '';
  if (config === '') return done;
  booted.delete(node.metadata.name);
  return write({
    [annotations.currentConfig]: config,
    [annotations.desiredConfig]: config,
    [annotations.state]: 'Done',
    [annotations.desiredDrain]: `uncordon-${config}`,
  });
}

type Work = Step & {
  readonly desired: string;
  readonly image: string;
  readonly write: (changes: Changes) => Promise<Next>;
};

async function work(
  context: DaemonContext,
  snapshot: Snapshot,
  { node, script, desired, image, write }: Work,
): Promise<Next> {
  const { name } = node.metadata;
  const { clock } = context.env;
  const remainingMs = (what: string, durationMs: number): number => {
    const busy = snapshot.busySince.get(name);
    const since = busy?.step === what ? busy : { step: what, ms: clock.now() };
    snapshot.busySince.set(name, since);
    return durationMs - (clock.now() - since.ms);
  };
  if (snapshot.machine.isUp(node)) {
    const applyingMs = remainingMs(`apply ${desired}`, script.applyMs);
    if (applyingMs > 0) return after(applyingMs, 'until it is applied');
    await snapshot.machine.goDown(node);
    remainingMs(`boot ${desired}`, script.rebootMs);
    return after(script.rebootMs, 'until it has booted');
  }
  const bootingMs = remainingMs(`boot ${desired}`, script.rebootMs);
  if (bootingMs > 0) return after(bootingMs, 'until it has booted');
  if (script.isHeld?.(name) === true) return after(script.retryMs ?? 1000, 'until it may come back');
  const os = { config: desired, image };
  snapshot.booted.set(name, os);
  await snapshot.machine.comeUp(node);
  snapshot.busySince.delete(name);
  return write(currentOs(os));
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}

function readyMachine({ kubelet }: DaemonContext): Machine {
  const setReady = async ({ metadata, status }: Node, ready: boolean): Promise<void> => {
    const others = (status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
    const conditions = [...others, { type: 'Ready', status: ready ? 'True' : 'False' }];
    const body = { status: { conditions } };
    await kubelet.patch(
      nodeKind,
      { name: metadata.name },
      { type: 'merge', body },
      { subresource: 'status' },
    );
  };
  return {
    isUp: isReady,
    goDown: (node) => setReady(node, false),
    comeUp: (node) => setReady(node, true),
  };
}

/** Writes Updated and NodeDegraded, which the status of pools is computed from. */
async function report({ kube, env }: DaemonContext, snapshot: Snapshot, name: string): Promise<void> {
  const node = snapshot.nodes.get({ name });
  const known = snapshot.machineConfigNodes.get({ name });
  if (node === undefined || known === undefined) return;
  const annotation = (key: string) => node.metadata.annotations?.[key] ?? '';
  const isDone =
    annotation(annotations.state) === 'Done' &&
    annotation(annotations.currentConfig) === annotation(annotations.desiredConfig) &&
    annotation(annotations.currentImage) === annotation(annotations.desiredImage);
  const isDegraded = annotation(annotations.state) === 'Degraded';
  const wanted = [
    {
      type: 'Updated',
      status: isDone ? 'True' : 'False',
      reason: 'Updated',
      message: isDone ? `Node ${name} Updated` : `Node ${name} needs an update`,
    },
    {
      type: 'NodeDegraded',
      status: isDegraded ? 'True' : 'False',
      reason: 'NodeDegraded',
      message: isDegraded
        ? `Node ${name} upgrade failure. ${annotation(annotations.reason)}`
        : `Node ${name} upgrade succeeded`,
    },
  ];
  const before = known.status?.conditions ?? [];
  const now = `${new Date(env.clock.now()).toISOString().slice(0, 19)}Z`;
  const conditions = wanted.map((condition) => {
    const last = before.find(({ type }) => type === condition.type);
    return {
      ...condition,
      lastTransitionTime: last?.status === condition.status ? last.lastTransitionTime : now,
    };
  });
  const configVersion = {
    current: annotation(annotations.currentConfig) || 'not-yet-set',
    desired: annotation(annotations.desiredConfig) || 'not-yet-set',
  };
  const status = { conditions, configVersion, observedGeneration: known.metadata.generation };
  const isSame = jsonEqual(before, conditions) && jsonEqual(known.status?.configVersion, configVersion);
  if (isSame && known.status?.observedGeneration === known.metadata.generation) return;
  await kube.patch(
    machineConfigNodeKind,
    { name },
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
}
