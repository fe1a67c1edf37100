/**
 * What people cordon stays cordoned; what we cordon is uncordoned in the end. No node reboots that was not drained.
 */
import type { Checker, CheckerContext } from './checker.ts';
import {
  annotation,
  at,
  drainRecord,
  isCordoned,
  isJson,
  type Json,
  nameOf,
  PREFIX,
  type StoredChange,
} from './observed-state.ts';

/** Between the last look of a daemon and the reboot nobody can stop somebody who uncordons the node. */
const LOOK_MS = 30_000;

export class Cordons implements Checker {
  readonly name = 'cordons and drains';
  readonly #context: CheckerContext;
  /** When it was last uncordoned by somebody else. */
  readonly #uncordonedMs = new Map<string, number>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  onWritten({ key, before, after }: StoredChange, actor: string): void {
    if (!key.startsWith(PREFIX.node) || !isCordoned(before) || after === undefined || isCordoned(after))
      return;
    const { people, violate, cluster } = this.#context;
    const node = nameOf(key);
    if (actor === 'administrator') this.#uncordonedMs.set(node, cluster.clock.monotonic());
    else if (people.cordoned.has(node)) violate(`${actor} uncordons ${node}, which a person has cordoned`);
  }

  onReboot(node: string): void {
    const { state, violate, cluster } = this.#context;
    const object = state.nodes.get(node);
    if (object === undefined || drainRecord(object)?.skipped === true) return;
    const uncordonedMs = this.#uncordonedMs.get(node) ?? Number.NEGATIVE_INFINITY;
    if (cluster.clock.monotonic() - uncordonedMs < LOOK_MS) return;
    const applied = annotation(object, 'lastAppliedDrain');
    if (!isCordoned(object)) violate(`${node} reboots and is not cordoned`);
    else if (!applied.startsWith('drain-') || applied !== annotation(object, 'desiredDrain'))
      violate(`${node} reboots and is not drained: ${applied}, wanted ${annotation(object, 'desiredDrain')}`);
    const left = [...state.pods].filter(
      ([, pod]) => at(pod, 'spec', 'nodeName') === node && !isOfDaemonSet(pod),
    );
    if (left.length > 0) violate(`${node} reboots with pods: ${left.map(([name]) => name).join(', ')}`);
  }

  atEnd(): void {
    const { state, people, violate } = this.#context;
    for (const [name, node] of state.nodes) {
      if (isCordoned(node) && !people.cordoned.has(name)) violate(`${name} stays cordoned`);
    }
  }
}

function isOfDaemonSet(pod: Json): boolean {
  const owners = at(pod, 'metadata', 'ownerReferences');
  return (
    Array.isArray(owners) && owners.some((owner: unknown) => isJson(owner) && owner.kind === 'DaemonSet')
  );
}
