/**
 * Adds machines to the running cluster, and removes them.
 *
 *     node add ─────> directory ──> first boot (pointer, server, OS) ──> kubelet registers ──> daemon ──> Updated
 *     node remove ──> cordon, drain ──> machine off ──> Node and MachineConfigNode gone ──> no directory
 *
 * To join continues at the next start if the process ends: the directory says that the machine joins, and `cluster.json` has
 * its name. A machine that was not removed to the end is back at the next start, and can be removed again.
 */
import type { Env } from '../../../base/env.ts';
import { Failure } from '../../../base/errors.ts';
import { compareBytes } from '../../../base/json.ts';
import { node as nodeKind } from '../../../kubernetes/types/index.ts';
import type { SimulatedNodes } from '../../controllers/index.ts';
import type { ClusterView } from '../cluster-view.ts';
import {
  compareMachines,
  isMachineName,
  type MachineName,
  type MachineRole,
  machineRole,
  simulatedNode,
} from '../machine-names.ts';
import type { Machines } from '../machines-node.ts';
import { drainMachine } from './drain-machine.ts';
import { joiningState } from './joining-state.ts';

type FleetOptions = {
  readonly env: Env;
  readonly view: ClusterView;
  readonly machines: Pick<Machines, 'add' | 'isJoining' | 'switchOff' | 'remove'>;
  /** Whose kubelets are simulated. */
  readonly nodes: SimulatedNodes;
  /** Records the names of all machines for the next start. */
  readonly save: () => void;
};

/** Of a request. Its signal ends the waiting, and never what has begun. */
type FleetProgress = { readonly report: (line: string) => void; readonly signal: AbortSignal };

type NewMachine = { readonly pool: string; readonly name: string | undefined };

export class Fleet {
  readonly #options: FleetOptions;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** Resolves once the node is Updated, or has what it gets while its pool is paused. Throws a `Failure` if there is no such pool, or if the name is not free. */
  async add(wanted: NewMachine, { report, signal }: FleetProgress): Promise<{ readonly node: string }> {
    const { machines, nodes, save } = this.#options;
    const { pool } = wanted;
    const name = this.#nameFor(wanted);
    nodes.add(simulatedNode(name));
    save();
    const say = (line: string) => report(`${name} ${line}`);
    try {
      await machines.add(name, { pool, report: say });
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure('stalled', 'MachineUnusable', `the machine ${name} cannot be installed`, error);
    }
    await this.#untilJoined(name, { pool, say, signal });
    return { node: name };
  }

  /**
   * Resolves once the machine is gone. Throws a `Failure` if there is no such machine, if it is still joining, or if the cluster
   * would have no control plane without it.
   */
  async remove(
    { name, isForced }: { readonly name: string; readonly isForced: boolean },
    { report, signal }: FleetProgress,
  ): Promise<{ readonly node: string }> {
    const { env, view, machines, nodes, save } = this.#options;
    const machine = this.#removable(name);
    const say = (line: string) => report(`${name} ${line}`);
    const stopped = AbortSignal.any([signal, env.signal]);
    if (!isForced) await drainMachine(name, { env, view, say, signal: stopped });
    // Before its Node is deleted: its kubelet would register it again.
    nodes.remove(machine);
    await machines.switchOff(machine);
    say('is off');
    await view.kube.delete(nodeKind, { name });
    const isGone = () =>
      view.nodes.get({ name }) === undefined && view.machineConfigNodes.get({ name }) === undefined;
    // Not stopped by the request: what has begun is completed.
    if (!(await view.until(isGone, env.signal))) throw new Failure('cancelled', 'Stopped', 'stopped');
    say('has no Node and no MachineConfigNode any more');
    machines.remove(machine);
    save();
    return { node: name };
  }

  #removable(name: string): MachineName {
    const { machines, nodes } = this.#options;
    if (!isMachineName(name) || !nodes.has(name)) {
      const known = nodes.names.filter(isMachineName).toSorted(compareMachines).join(', ');
      throw new Failure('usage', 'NotFound', `no such machine: ${name}; machines: ${known}`);
    }
    if (machines.isJoining(name)) {
      throw new Failure('usage', 'StillJoining', `${name} is still joining: remove it once it has joined`);
    }
    const masters = nodes.names.filter((one) => machineRole(one) === 'master');
    if (masters.length > 1 || !masters.includes(name)) return name;
    throw new Failure('usage', 'LastMaster', `${name} is the only machine of the control plane`);
  }

  #nameFor({ pool, name }: NewMachine): MachineName {
    const { view } = this.#options;
    if (view.pools.get({ name: pool }) === undefined) {
      const pools = [...view.pools.all()].map(({ metadata }) => metadata.name).toSorted(compareBytes);
      throw new Failure('usage', 'NotFound', `no such pool: ${pool}; pools: ${pools.join(', ')}`);
    }
    // Custom pools have workers: the machine gets the label of its pool once it has joined.
    const role: MachineRole = pool === 'master' ? 'master' : 'worker';
    if (name === undefined) return this.#nextName(role);
    if (!isMachineName(name) || machineRole(name) !== role) {
      throw new Failure(
        'usage',
        'BadRequest',
        `a machine of pool ${pool} is named ${role}-NUMBER, not ${name}`,
      );
    }
    if (this.#isTaken(name)) throw new Failure('usage', 'AlreadyExists', `node ${name} exists already`);
    return name;
  }

  #nextName(role: MachineRole): MachineName {
    for (let number = 0; ; number++) {
      if (!this.#isTaken(`${role}-${number}`)) return `${role}-${number}`;
    }
  }

  #isTaken(name: string): boolean {
    const { view, nodes } = this.#options;
    return nodes.has(name) || view.nodes.get({ name }) !== undefined;
  }

  async #untilJoined(
    name: string,
    { pool, say, signal }: { pool: string; say: (line: string) => void; signal: AbortSignal },
  ): Promise<void> {
    const { view, env } = this.#options;
    let last = '';
    const hasJoined = () => {
      const { hasJoined: isReached, line } = joiningState({
        node: view.nodes.get({ name }),
        machineConfigNode: view.machineConfigNodes.get({ name }),
        pool,
        pools: [...view.pools.all()],
        nodes: [...view.nodes.all()],
      });
      if (line !== last) say(line);
      last = line;
      return isReached;
    };
    if (!(await view.until(hasJoined, AbortSignal.any([signal, env.signal])))) {
      throw new Failure('cancelled', 'Stopped', `${name} is still joining`);
    }
  }
}
