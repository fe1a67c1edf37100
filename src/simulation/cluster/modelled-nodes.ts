/**
 * Nodes without a machine, for large clusters. What a node has to do and what it reports is decided by the functions of the daemon
 * (`planUpdate`, `nodeReport`); what a machine does is time that passes.
 *
 *     sent ─► prepared ─► [fetched] ─► drain requested ─► drained ─► applied ─► [rebooted] ─► uncordon requested ─► done
 *
 * Left out: the disk, and with it pre-flight, drift and all else that depends on what is on a machine. Reports go into the store directly:
 * they are modelled, and the requests of thousands of daemons would be most of the work.
 */
import {
  type MachineConfig,
  type MachineConfigNode,
  type MachineConfigNodeStatus,
  type MachineConfiguration,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfiguration as machineConfigurationKind,
} from '../../api/index.ts';
import { formatProblem, ok } from '../../base/errors.ts';
import { preparePackedContents } from '../../config/content/index.ts';
import { containerRuntimeOf } from '../../config/registries/index.ts';
import { type Node, node as nodeKind } from '../../kubernetes/types/index.ts';
import {
  type ConfigName,
  mergePolicies,
  type NodeConfig,
  planUpdate,
  policiesInForce,
  readNodeConfig,
  withRuntimeFiles,
} from '../../node/plan/index.ts';
import { nodeReport, type ProgressEvent } from '../../node/report/index.ts';
import { changeStored, storedObject } from './change-stored.ts';
import type { Ground } from './ground.ts';
import { type ModelledMachine, ModelledNode, type NodeReports, type PlannedUpdate } from './modelled-node.ts';

const NODES = `/${nodeKind.plural}/`;
const RECORDS = `${machineConfigNodeKind.group}/${machineConfigNodeKind.plural}/`;
const CONFIGS = `${machineConfigKind.group}/${machineConfigKind.plural}/`;
const MACHINE_CONFIGURATION = `${machineConfigurationKind.group}/${machineConfigurationKind.plural}/cluster`;

/** What the nodes share: what is stored, and what was computed for others of them. */
export class ModelledNodes implements NodeReports {
  readonly #ground: Ground;
  readonly #nodes = new Map<string, ModelledNode>();
  readonly #configs = new Map<string, NodeConfig>();
  readonly #plans = new Map<string, PlannedUpdate>();

  constructor(ground: Ground) {
    this.#ground = ground;
    const { store } = ground;
    const from = store.revision();
    store.subscribe({ prefix: NODES, from }, ({ key }) => this.#nodes.get(key.slice(NODES.length))?.look());
    store.subscribe({ prefix: RECORDS, from }, (event) => {
      const isNew = event.kind === 'put' && event.previous === undefined;
      if (isNew) this.#nodes.get(event.key.slice(RECORDS.length))?.look();
    });
  }

  /** A machine for a node that is registered. */
  adopt(machine: ModelledMachine): ModelledNode {
    const node = new ModelledNode(this.#ground, machine, this);
    this.#nodes.set(machine.name, node);
    node.look();
    return node;
  }

  remove(name: string): void {
    this.#nodes.get(name)?.remove();
    this.#nodes.delete(name);
  }

  node(name: string): Node | undefined {
    return storedObject<Node>(this.#ground.store, `${NODES}${name}`);
  }

  record(name: string): MachineConfigNode | undefined {
    return storedObject<MachineConfigNode>(this.#ground.store, `${RECORDS}${name}`);
  }

  async report(name: string, progress: readonly ProgressEvent[]): Promise<void> {
    const status = await this.announce(name, progress);
    if (status === undefined) return;
    const key = `${RECORDS}${name}`;
    await changeStored<MachineConfigNode>(this.#ground.store, key, (one) => ({ ...one, status }));
  }

  async announce(
    name: string,
    progress: readonly ProgressEvent[],
  ): Promise<MachineConfigNodeStatus | undefined> {
    const node = this.node(name);
    if (node === undefined) return undefined;
    const nowMs = this.#ground.clock.now();
    const report = nodeReport({ node, machineConfigNode: this.record(name), progress, nowMs });
    await this.annotate(name, report.annotations);
    return report.status;
  }

  async annotate(name: string, changes: { readonly [key: string]: string | null }): Promise<void> {
    if (Object.keys(changes).length === 0) return;
    await changeStored<Node>(this.#ground.store, `${NODES}${name}`, (node) => annotated(node, changes));
  }

  async planned(from: NodeConfig, wanted: ConfigName, node: Node): Promise<PlannedUpdate> {
    const runtime = containerRuntimeOf(node);
    const policies = this.#machineConfiguration();
    const key = JSON.stringify([
      ...[from.name, from.layeredImage, wanted.config, wanted.image, runtime],
      policies?.metadata.generation,
    ]);
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const update = await this.#plan(from, wanted, { runtime, policies });
    this.#plans.set(key, update);
    return update;
  }

  async #plan(
    from: NodeConfig,
    wanted: ConfigName,
    { runtime, policies }: PlanContext,
  ): Promise<PlannedUpdate> {
    const to = await this.#config(wanted, runtime);
    if (typeof to === 'string') return { kind: 'impossible', error: to };
    const inForce = policiesInForce(policies);
    const result = planUpdate({
      ...{ from, to, machine: MACHINE },
      policies: inForce.kind === 'ok' ? inForce : ok(mergePolicies(policies?.spec?.nodeDisruptionPolicy)),
      ...(runtime === undefined ? {} : { runtime }),
    });
    return result.kind === 'plan'
      ? { kind: 'plan', to, plan: result.plan }
      : { kind: 'impossible', error: result.error };
  }

  /** Why it cannot be read, as text. */
  async #config(
    { config: name, image }: ConfigName,
    runtime: string | undefined,
  ): Promise<NodeConfig | string> {
    const key = JSON.stringify([name, image, runtime]);
    const known = this.#configs.get(key);
    if (known !== undefined) return known;
    const { store, clock } = this.#ground;
    const object = storedObject<MachineConfig>(store, `${CONFIGS}${name}`);
    const read = readNodeConfig(object, image);
    if (read.kind === 'invalid')
      return `MachineConfig ${name}: ${read.problems.map(formatProblem).join('; ')}`;
    await preparePackedContents(read.value.ignition, () => clock.pause());
    const config = withRuntimeFiles(read.value, runtime);
    this.#configs.set(key, config);
    return config;
  }

  #machineConfiguration(): MachineConfiguration | undefined {
    return storedObject<MachineConfiguration>(this.#ground.store, MACHINE_CONFIGURATION);
  }
}

type PlanContext = {
  readonly runtime: string | undefined;
  readonly policies: MachineConfiguration | undefined;
};

/** As the machines of a simulation have it. */
const MACHINE = { isImageBased: true, isEnterpriseLinux: true, kernelArguments: [] };

function annotated(node: Node, changes: { readonly [key: string]: string | null }): Node {
  const given = { ...node.metadata.annotations, ...changes };
  const kept = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null);
  return { ...node, metadata: { ...node.metadata, annotations: Object.fromEntries(kept) } };
}
