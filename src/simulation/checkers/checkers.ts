/**
 * All checkers of a simulation, fed from what is stored and served.
 */
import { Bug } from '../../base/errors.ts';
import type { StoreEvent } from '../../embedded/apiserver/index.ts';
import type { Observer, SimulatedCluster } from '../cluster/cluster.ts';
import type { Served } from '../network.ts';
import type { People } from '../scenario/carry-out.ts';
import { Agreement } from './agreement.ts';
import { Builds } from './builds.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { Claims } from './claims.ts';
import { Cordons } from './cordons.ts';
import { Drains } from './drains.ts';
import { IdleSlots } from './idle-slots.ts';
import { Objects } from './objects.ts';
import { ObservedState, type StoredChange } from './observed-state.ts';
import { UnavailableNodes } from './unavailable-nodes.ts';
import { Writers } from './writers.ts';

const CHECKERS: readonly (new (context: CheckerContext) => Checker)[] = [
  UnavailableNodes,
  Cordons,
  Drains,
  Claims,
  Objects,
  Writers,
  IdleSlots,
  Agreement,
  Builds,
];

export type Violation = { readonly atMs: number; readonly checker: string; readonly text: string };

/** More would say nothing new. */
const MOST_VIOLATIONS = 20;
/** Changes whose writer is not known yet. */
const MOST_PENDING = 1_000;

export class Checkers implements Observer {
  readonly violations: Violation[] = [];
  readonly state = new ObservedState();
  #checkers: readonly Checker[] = [];
  #cluster: SimulatedCluster | undefined;
  readonly #pending = new Map<number, StoredChange>();

  /** The cluster is up; from now on it is checked. */
  begin(cluster: SimulatedCluster, people: People): void {
    this.#cluster = cluster;
    this.#checkers = CHECKERS.map((create) => {
      const violate = (text: string) => this.#violate(checker.name, text);
      const checker: Checker = new create({ cluster, people, state: this.state, violate });
      return checker;
    });
  }

  onStored(event: StoreEvent): void {
    const change = this.state.changeOf(event);
    if (change === undefined) return;
    for (const checker of this.#checkers) checker.onStored?.(change);
    this.state.take(change);
    this.#pending.set(event.revision, change);
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MOST_PENDING && oldest !== undefined) this.#pending.delete(oldest);
  }

  onServed({ actor, request, status, body }: Served): void {
    if (request.method === 'GET' || status >= 300) return;
    for (const checker of this.#checkers) checker.onRequest?.(request, actor);
    const revision = body === undefined ? undefined : revisionIn(body);
    const change = revision === undefined ? undefined : this.#pending.get(revision);
    if (change === undefined || revision === undefined) return;
    this.#pending.delete(revision);
    for (const checker of this.#checkers) checker.onWritten?.(change, actor);
  }

  onReboot(node: string): void {
    for (const checker of this.#checkers) checker.onReboot?.(node);
  }

  onBug(error: Error): void {
    this.#violate('internal errors', `${error.message}${error instanceof Bug ? '' : ` ${error.stack}`}`);
  }

  onPeace(): void {
    for (const checker of this.#checkers) checker.onPeace?.();
  }

  async atEnd(): Promise<void> {
    for (const checker of this.#checkers) await checker.atEnd?.();
  }

  violate(text: string): void {
    this.#violate('convergence', text);
  }

  #violate(checker: string, text: string): void {
    const atMs = this.#cluster?.clock.monotonic() ?? 0;
    this.#cluster?.trace.add(`VIOLATION ${checker}: ${text}`);
    if (this.violations.length < MOST_VIOLATIONS) this.violations.push({ atMs, checker, text });
  }
}

/** Of the object in a response: the metadata stand in front. */
function revisionIn(body: Uint8Array): number | undefined {
  const text = decoder.decode(body);
  const found = /"resourceVersion":"(\d+)"/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

const decoder = new TextDecoder();
