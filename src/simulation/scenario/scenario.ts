/**
 * A scenario: a cluster, what administrators do on it, and what goes wrong meanwhile. Plain data, so that a failing one can be printed,
 * kept as a test and made smaller.
 *
 * Times are of the scenario: 0 is the moment at which all pools are updated. At `lengthMs` all faults end and administrators take back what
 * holds things up; from then on everything has to converge.
 */
import type { MachineTimes } from '../cluster/machine.ts';
import type { Workload } from '../cluster/workloads.ts';
import type { NetworkConditions } from '../network.ts';
import type { PlannedKill, PlannedStop } from '../process/process-gate.ts';

export type Scenario = {
  /** Of everything that is not written down here: latencies, delays, which requests fail. */
  readonly seed: number;
  readonly nodes: readonly ScenarioNode[];
  readonly workloads: readonly Workload[];
  readonly times: MachineTimes;
  readonly steps: readonly Step[];
  readonly lengthMs: number;
};

export type ScenarioNode = {
  readonly name: string;
  readonly roles: readonly string[];
  readonly zone?: string;
};

export type Step = { readonly atMs: number } & (Action | Fault);

/** What administrators do. */
export type Action =
  | { readonly kind: 'apply config'; readonly name: string; readonly role: string; readonly content: Content }
  | { readonly kind: 'delete config'; readonly name: string }
  | { readonly kind: 'set maxUnavailable'; readonly pool: string; readonly value: number | string }
  | { readonly kind: 'pause'; readonly pool: string; readonly isPaused: boolean }
  | { readonly kind: 'create pool'; readonly pool: string }
  | { readonly kind: 'delete pool'; readonly pool: string }
  | { readonly kind: 'label node'; readonly node: string; readonly role: string; readonly isSet: boolean }
  | { readonly kind: 'cordon'; readonly node: string; readonly isCordoned: boolean }
  | { readonly kind: 'add node'; readonly node: ScenarioNode }
  | { readonly kind: 'remove node'; readonly node: string }
  | { readonly kind: 'set budget'; readonly workload: string; readonly minAvailable: number }
  /** A MachineOSConfig: each version is another image; 0 cannot be built. */
  | { readonly kind: 'apply os config'; readonly pool: string; readonly version: number }
  | { readonly kind: 'delete os config'; readonly pool: string };

/** Of a MachineConfig. */
export type Content =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'unit'; readonly name: string; readonly text: string }
  | { readonly kind: 'kernel argument'; readonly value: string }
  /** The n-th OS image; 0 is one that no registry has. */
  | { readonly kind: 'os image'; readonly number: number };

/** What goes wrong. `ms`: for how long. */
export type Fault =
  | { readonly kind: 'kill'; readonly process: string }
  | ({ readonly kind: 'kill at call'; readonly process: string } & PlannedKill)
  | { readonly kind: 'terminate'; readonly process: string }
  | { readonly kind: 'stop process'; readonly process: string; readonly ms: number }
  | ({ readonly kind: 'stop at call'; readonly process: string } & PlannedStop)
  | { readonly kind: 'skew clock'; readonly process: string; readonly skewMs: number }
  | { readonly kind: 'partition'; readonly process: string; readonly ms: number }
  | { readonly kind: 'power cut'; readonly node: string; readonly ms: number }
  | {
      readonly kind: 'power cut at write';
      readonly node: string;
      readonly call: number;
      readonly when: 'before' | 'within';
      readonly ms: number;
    }
  /** The next boot does not come up until somebody switches the machine off and on. */
  | { readonly kind: 'stuck boot'; readonly node: string; readonly ms: number }
  | { readonly kind: 'slow machine'; readonly node: string; readonly factor: number }
  | { readonly kind: 'refused reboot'; readonly node: string; readonly ms: number }
  | { readonly kind: 'full disk'; readonly node: string; readonly ms: number }
  | { readonly kind: 'registry down'; readonly ms: number }
  | { readonly kind: 'lost image'; readonly number: number; readonly ms: number }
  /** All attempts of builds; some have pushed their image before. */
  | { readonly kind: 'builds fail'; readonly ms: number }
  /** Those that are running then never end by themselves. */
  | { readonly kind: 'builds hang'; readonly ms: number }
  /** The image of the pool's MachineOSConfig is deleted from the registry, for good. */
  | { readonly kind: 'lost built image'; readonly pool: string }
  | { readonly kind: 'bad network'; readonly conditions: NetworkConditions; readonly ms: number };

/** Whether images are built: the cluster needs a builder then. */
export function hasImageMode({ steps }: Pick<Scenario, 'steps'>): boolean {
  return steps.some(({ kind }) => kind === 'apply os config');
}

/** One line for people: `12:30 kill at call daemon/worker-0 (7, after)`. */
export function stepText({ atMs, kind, ...rest }: Step): string {
  const seconds = Math.round(atMs / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return `${time.padStart(6)} ${kind} ${JSON.stringify(rest)}`;
}
