/**
 * Carries out the steps of a scenario, and in the end takes back what keeps a cluster from converging.
 */
import {
  machineConfig as configKind,
  labels,
  type MachineConfig,
  nodeRoleLabel,
  machineOSConfig as osConfigKind,
  machineConfigPool as poolKind,
} from '../../api/index.ts';
import { KubeError } from '../../kubernetes/client/index.ts';
import { node as nodeKind } from '../../kubernetes/types/index.ts';
import type { SimulatedCluster } from '../cluster/cluster.ts';
import { osImage } from '../cluster/os-images.ts';
import { CALM } from '../network.ts';
import { Faults } from './faults.ts';
import { applyOsConfig, poolessOsConfigs } from './image-mode.ts';
import type { Action, Content, Fault, Scenario, Step } from './scenario.ts';

/** What checkers need to know of people: nobody else may undo it. */
export type People = {
  /** Nodes that a person has cordoned and not uncordoned. */
  readonly cordoned: Set<string>;
  /** Keys of the store of what they created and did not delete. */
  readonly created: Set<string>;
  /** Nodes that they removed. */
  readonly removed: Set<string>;
};

export class Script {
  readonly #cluster: SimulatedCluster;
  readonly #scenario: Scenario;
  readonly people: People = { cordoned: new Set(), created: new Set(), removed: new Set() };
  readonly #faults: Faults;
  readonly #badConfigs = new Set<string>();
  readonly #badOsConfigs = new Set<string>();

  constructor(cluster: SimulatedCluster, scenario: Scenario) {
    this.#cluster = cluster;
    this.#scenario = scenario;
    this.#faults = new Faults(cluster);
  }

  /** Starts the clock of the scenario; returns at once. */
  begin(): void {
    for (const step of this.#scenario.steps) {
      this.#cluster.clock.after(step.atMs, () => this.#do(step));
    }
  }

  /** All faults end, and people take back what holds things up. */
  async heal(): Promise<void> {
    const { kube, network, registry, machines, workloads, clock } = this.#cluster;
    this.#faults.end();
    network.conditions = CALM;
    network.heal();
    registry.restore();
    for (const machine of machines.values()) {
      machine.sandbox.faults.isRebootRefused = false;
      machine.sandbox.faults.isBootStuck = false;
      machine.disk.planCut(undefined);
      Object.assign(machine.times, this.#scenario.times);
      // Those that stay down for a while boot by themselves.
      clock.after(BOOT_MS, () => machine.boot());
    }
    for (const { name, minAvailable } of this.#scenario.workloads) {
      if (minAvailable !== undefined) await workloads.setMinAvailable(name, 0);
    }
    for (const name of this.#badConfigs) await this.#deleteConfig(name);
    if (this.#cluster.isImageMode) {
      const unusable = [...this.#badOsConfigs, ...(await poolessOsConfigs(kube))];
      for (const pool of new Set(unusable)) await this.#deleteOsConfig(pool);
    }
    for (const node of [...this.people.cordoned]) await this.#cordon(node, false);
    for (const { metadata } of (await kube.list(poolKind)).items) await this.#pause(metadata.name, false);
  }

  #do(step: Step): void {
    this.#cluster.trace.add(`step ${JSON.stringify(step)}`);
    this.#carryOut(step).catch((error: unknown) => {
      // As for a person at a terminal: it is refused, or there is no such thing any more.
      if (!(error instanceof KubeError)) throw error;
      this.#cluster.trace.add(`refused: ${error.message}`);
    });
  }

  async #carryOut(step: Action | Fault): Promise<void> {
    switch (step.kind) {
      case 'apply config':
        return await this.#applyConfig(step);
      case 'delete config':
        return await this.#deleteConfig(step.name);
      case 'set maxUnavailable':
        return await this.#patchPool(step.pool, { maxUnavailable: step.value });
      case 'pause':
        return await this.#pause(step.pool, step.isPaused);
      case 'create pool':
        return await this.#createPool(step.pool);
      case 'delete pool':
        this.people.created.delete(poolKey(step.pool));
        await this.#cluster.kube.delete(poolKind, { name: step.pool });
        return;
      case 'label node':
        return await this.#patchNode(step.node, {
          metadata: { labels: { [nodeRoleLabel(step.role)]: step.isSet ? '' : null } },
        });
      case 'cordon':
        return await this.#cordon(step.node, step.isCordoned);
      case 'add node':
        if (this.#cluster.machines.has(step.node.name)) return;
        this.people.removed.delete(step.node.name);
        return await this.#cluster.addNode(step.node);
      case 'remove node':
        return await this.#removeNode(step.node);
      case 'set budget':
        return await this.#cluster.workloads.setMinAvailable(step.workload, step.minAvailable);
      case 'apply os config':
        return await this.#applyOsConfig(step);
      case 'delete os config':
        return await this.#deleteOsConfig(step.pool);
      default:
        this.#faults.inflict(step);
    }
  }

  async #applyConfig({ name, role, content }: Extract<Action, { kind: 'apply config' }>): Promise<void> {
    const isBad = content.kind === 'os image' && content.number === 0;
    if (isBad) this.#badConfigs.add(name);
    else this.#badConfigs.delete(name);
    await this.#cluster.kube.apply(configKind, aConfig(name, role, content));
    this.people.created.add(configKey(name));
  }

  async #deleteConfig(name: string): Promise<void> {
    this.#badConfigs.delete(name);
    this.people.created.delete(configKey(name));
    await this.#cluster.kube.delete(configKind, { name });
  }

  async #applyOsConfig({ pool, version }: Extract<Action, { kind: 'apply os config' }>): Promise<void> {
    if (version === 0) this.#badOsConfigs.add(pool);
    else this.#badOsConfigs.delete(pool);
    await applyOsConfig(this.#cluster.kube, pool, version);
    this.people.created.add(osConfigKey(pool));
  }

  async #deleteOsConfig(pool: string): Promise<void> {
    this.#badOsConfigs.delete(pool);
    this.people.created.delete(osConfigKey(pool));
    await this.#cluster.kube.delete(osConfigKind, { name: pool });
  }

  async #createPool(name: string): Promise<void> {
    const roles = { key: labels.role, operator: 'In' as const, values: ['worker', name] };
    await this.#cluster.kube.create(poolKind, {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigPool',
      metadata: { name },
      spec: {
        machineConfigSelector: { matchExpressions: [roles] },
        nodeSelector: { matchLabels: { [nodeRoleLabel(name)]: '' } },
      },
    });
    this.people.created.add(poolKey(name));
  }

  async #pause(pool: string, isPaused: boolean): Promise<void> {
    await this.#patchPool(pool, { paused: isPaused });
  }

  /** As `kubectl cordon`, which leaves a node alone that is as it should be. */
  async #cordon(name: string, isCordoned: boolean): Promise<void> {
    const node = await this.#cluster.kube.get(nodeKind, { name });
    if (node === undefined || (node.spec.unschedulable === true) === isCordoned) return;
    if (isCordoned) this.people.cordoned.add(name);
    else this.people.cordoned.delete(name);
    await this.#patchNode(name, { spec: { unschedulable: isCordoned } });
  }

  async #removeNode(name: string): Promise<void> {
    if (!this.#cluster.machines.has(name)) return;
    this.people.removed.add(name);
    this.people.cordoned.delete(name);
    await this.#cluster.removeNode(name);
  }

  async #patchPool(name: string, spec: object): Promise<void> {
    await this.#cluster.kube.patch(poolKind, { name }, { type: 'merge', body: { spec } });
  }

  async #patchNode(name: string, body: object): Promise<void> {
    await this.#cluster.kube.patch(nodeKind, { name }, { type: 'merge', body });
  }
}

const BOOT_MS = 60_000;

const configKey = (name: string) => `machineconfiguration.openshift.io/machineconfigs/${name}`;
const osConfigKey = (name: string) => `machineconfiguration.openshift.io/machineosconfigs/${name}`;
const poolKey = (name: string) => `machineconfiguration.openshift.io/machineconfigpools/${name}`;

function aConfig(name: string, role: string, content: Content): MachineConfig {
  const ignition = { version: '3.4.0' };
  const object = (spec: NonNullable<MachineConfig['spec']>): MachineConfig => ({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name, labels: { [labels.role]: role } },
    spec,
  });
  switch (content.kind) {
    case 'file': {
      const source = `data:,${encodeURIComponent(content.text)}`;
      const files = [{ path: content.path, mode: 0o644, overwrite: true, contents: { source } }];
      return object({ config: { ignition, storage: { files } } });
    }
    case 'unit': {
      const units = [{ name: content.name, contents: content.text, enabled: false }];
      return object({ config: { ignition, systemd: { units } } });
    }
    case 'kernel argument':
      return object({ config: { ignition }, kernelArguments: [content.value] });
    case 'os image':
      return object({
        config: { ignition },
        osImageURL: content.number === 0 ? MISSING_IMAGE : osImage(content.number),
      });
  }
}

const MISSING_IMAGE = `registry.example/missing@sha256:${'f'.repeat(64)}`;
