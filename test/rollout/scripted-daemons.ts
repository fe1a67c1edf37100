/**
 * The daemons of many nodes, as far as others see them: they follow the annotation protocol and write
 * MachineConfigNodes, and what would happen on the machine takes a time that the test says.
 *
 *     desiredConfig moves → Working → desiredDrain drain-X → (drained) → apply, reboot → currentConfig
 *                                     → desiredDrain uncordon-X → (in service) → Done
 *
 * What a daemon has done stands on its node, so one that is started anew goes on.
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
  /** From the last word before the reboot to the first after it; the node is not ready meanwhile. */
  readonly rebootMs: number;
  /** Why a node cannot apply a config; undefined where it can. Asked anew after a while. */
  readonly failure?: (node: string, config: string) => string | undefined;
  /** The same, found out only when the node is drained. */
  readonly failureOnApply?: (node: string, config: string) => string | undefined;
  /** How soon a failing daemon tries again, and a machine that is held. */
  readonly retryMs?: number;
  /** Machines that do not come back from their reboot while this holds. */
  readonly isHeld?: (node: string) => boolean;
  /** How a machine goes down and comes back; unless said otherwise its node says that it is not ready, and that is all. */
  readonly machine?: Machine;
};

export type Machine = {
  readonly isUp: (node: Node) => boolean;
  readonly goDown: (node: Node) => Promise<void>;
  readonly comeUp: (node: Node) => Promise<void>;
};

export type DaemonContext = {
  /** As the daemons. */
  readonly kube: Kube;
  readonly caches: Caches;
  /** Which nodes are theirs; all where nothing is said. */
  readonly selection?: Selection;
  /** As those who install machines: they know what the pools have. */
  readonly installer: Caches;
  /** As the kubelets, which say whether a node is ready. */
  readonly kubelet: Kube;
  readonly env: Pick<Env, 'clock'>;
};

/** A machine as it is in a story without hurry. */
export const DEFAULT_SCRIPT: DaemonScript = { applyMs: 20_000, rebootMs: 60_000 };

type Seen = {
  readonly nodes: Cache<Node>;
  readonly pools: Cache<MachineConfigPool>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
  /** Since when a node applies or boots; on a real machine that is the machine's own business. */
  readonly busySince: Map<string, { readonly step: string; readonly ms: number }>;
  /** What the machine has booted; its node may not say so yet, or we may not have heard. */
  readonly booted: Map<string, string>;
  readonly machine: Machine;
};

export function createScriptedDaemons(context: DaemonContext, script: DaemonScript): Controller {
  const { caches, selection } = context;
  const seen: Seen = {
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
    caches: [seen.nodes, seen.pools, seen.machineConfigNodes],
    watch(enqueue) {
      seen.nodes.onChange(({ after: node }) => node !== undefined && enqueue(node.metadata.name));
      seen.machineConfigNodes.onChange(({ before, after: next }) => {
        if (next !== undefined && !jsonEqual(before?.spec, next.spec)) enqueue(next.metadata.name);
      });
      // A node that has never had a configuration waits for the first one of its pool.
      seen.pools.onChange(({ before, after: pool }) => {
        if (pool === undefined || (before?.spec.configuration?.name ?? '') !== '') return;
        for (const { metadata } of seen.nodes.all()) enqueue(metadata.name);
      });
    },
    async reconcile(name) {
      const node = seen.nodes.get({ name });
      if (node === undefined) return done;
      const next = await step(context, seen, { node, script });
      await report(context, seen, name);
      return next;
    },
  };
}

type Step = { readonly node: Node; readonly script: DaemonScript };

async function step(context: DaemonContext, seen: Seen, { node, script }: Step): Promise<Next> {
  const { name } = node.metadata;
  const said = (key: string) => node.metadata.annotations?.[key] ?? '';
  const write = async (changes: { readonly [key: string]: string }): Promise<Next> => {
    await context.kube.patch(
      nodeKind,
      { name },
      { type: 'merge', body: { metadata: { annotations: changes } } },
    );
    return done;
  };
  const [current, desired] = [said(annotations.currentConfig), said(annotations.desiredConfig)];
  if (current === '') return join(seen, node, write);
  const booted = seen.booted.get(name) ?? current;
  if (booted !== current) return write({ [annotations.currentConfig]: booted });
  const state = said(annotations.state);
  const [asked, answered] = [said(annotations.desiredDrain), said(annotations.lastAppliedDrain)];
  if (current === desired) {
    const uncordon = `uncordon-${desired}`;
    if (asked !== uncordon) return write({ [annotations.desiredDrain]: uncordon });
    if (answered !== uncordon) return done;
    return state === 'Done' ? done : write({ [annotations.state]: 'Done', [annotations.reason]: '' });
  }
  const drain = `drain-${desired}`;
  const isDrained = asked === drain && answered === drain;
  const failure =
    script.failure?.(name, desired) ?? (isDrained ? script.failureOnApply?.(name, desired) : undefined);
  if (failure !== undefined) {
    if (said(annotations.reason) !== failure || state !== 'Degraded') {
      await write({ [annotations.state]: 'Degraded', [annotations.reason]: failure });
    }
    return after(script.retryMs ?? 1000, 'until it may work');
  }
  if (state !== 'Working') return write({ [annotations.state]: 'Working', [annotations.reason]: '' });
  if (asked !== drain) return write({ [annotations.desiredDrain]: drain });
  if (answered !== drain) return done;
  return work(context, seen, { node, script, desired, write });
}

/** The first configuration is the one that the pool has: a new machine is installed with it. */
function join(
  { pools, booted }: Seen,
  node: Node,
  write: (changes: { readonly [key: string]: string }) => Promise<Next>,
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
  readonly write: (changes: { readonly [key: string]: string }) => Promise<Next>;
};

async function work(
  context: DaemonContext,
  seen: Seen,
  { node, script, desired, write }: Work,
): Promise<Next> {
  const { name } = node.metadata;
  const { clock } = context.env;
  const remainingMs = (what: string, durationMs: number): number => {
    const busy = seen.busySince.get(name);
    const since = busy?.step === what ? busy : { step: what, ms: clock.now() };
    seen.busySince.set(name, since);
    return durationMs - (clock.now() - since.ms);
  };
  if (seen.machine.isUp(node)) {
    const applyingMs = remainingMs(`apply ${desired}`, script.applyMs);
    if (applyingMs > 0) return after(applyingMs, 'until it is applied');
    await seen.machine.goDown(node);
    remainingMs(`boot ${desired}`, script.rebootMs);
    return after(script.rebootMs, 'until it has booted');
  }
  const bootingMs = remainingMs(`boot ${desired}`, script.rebootMs);
  if (bootingMs > 0) return after(bootingMs, 'until it has booted');
  if (script.isHeld?.(name) === true) return after(script.retryMs ?? 1000, 'until it may come back');
  seen.booted.set(name, desired);
  await seen.machine.comeUp(node);
  seen.busySince.delete(name);
  return write({ [annotations.currentConfig]: desired });
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

/** Updated and NodeDegraded, from which pools tell what is wrong. */
async function report({ kube, env }: DaemonContext, seen: Seen, name: string): Promise<void> {
  const node = seen.nodes.get({ name });
  const known = seen.machineConfigNodes.get({ name });
  if (node === undefined || known === undefined) return;
  const said = (key: string) => node.metadata.annotations?.[key] ?? '';
  const isDone =
    said(annotations.state) === 'Done' && said(annotations.currentConfig) === said(annotations.desiredConfig);
  const isDegraded = said(annotations.state) === 'Degraded';
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
        ? `Node ${name} upgrade failure. ${said(annotations.reason)}`
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
    current: said(annotations.currentConfig) || 'not-yet-set',
    desired: said(annotations.desiredConfig) || 'not-yet-set',
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
