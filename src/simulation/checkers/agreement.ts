/**
 * In the end Node, MachineConfigNode and pool agree: nothing is degraded in one place and not in another.
 */
import type { Checker, CheckerContext } from './checker.ts';
import { annotation, at, condition, type Json, nameOf, PREFIX, type StoredChange } from './observed-state.ts';

export class Agreement implements Checker {
  readonly name = 'agreement';
  readonly #context: CheckerContext;
  readonly #machineConfigNodes = new Map<string, Json>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  onStored({ key, after }: StoredChange): void {
    if (!key.startsWith(PREFIX.machineConfigNode)) return;
    if (after === undefined) this.#machineConfigNodes.delete(nameOf(key));
    else this.#machineConfigNodes.set(nameOf(key), after);
  }

  /** All nodes are done by then. */
  atEnd(): void {
    const { state, violate } = this.#context;
    for (const [name, node] of state.nodes) {
      const record = this.#machineConfigNodes.get(name);
      if (record === undefined) continue;
      if (condition(record, 'NodeDegraded')?.status === 'True')
        violate(
          `${name} is ${annotation(node, 'state')}, and its MachineConfigNode says that it is degraded`,
        );
      const desired = at(record, 'spec', 'configVersion', 'desired');
      if (desired !== annotation(node, 'desiredConfig'))
        violate(
          `${name} wants ${annotation(node, 'desiredConfig')}, and its MachineConfigNode ${String(desired)}`,
        );
    }
    for (const [name, pool] of state.pools) {
      const found = ['Degraded', 'NodeDegraded', 'RenderDegraded'].filter(
        (type) => condition(pool, type)?.status === 'True',
      );
      const count = at(pool, 'status', 'degradedMachineCount');
      if (found.length > 0 || count !== 0)
        violate(`no node is degraded, and pool ${name} says ${found.join(', ')}, ${String(count)} nodes`);
    }
  }
}
