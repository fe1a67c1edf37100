/**
 * Makes a failing scenario smaller, as long as it still fails: fewer steps, nodes and applications, less time. A search over what `fails` says;
 * it knows nothing of how scenarios are run.
 *
 * Each round tries to leave out halves of the steps, then quarters, down to single ones; then nodes and applications, one by one, with the steps
 * that name them; then it begins and ends the scenario earlier. It goes on until a whole round finds nothing, or the limit of runs is reached.
 */
import type { Scenario, Step } from './scenario/scenario.ts';

type ShrinkOptions = {
  /** Whether a scenario still fails in the same way. */
  readonly fails: (scenario: Scenario) => Promise<boolean>;
  readonly maxRuns: number;
};

export type Shrunk = {
  readonly scenario: Scenario;
  readonly runs: number;
  /** Nothing more can be left out; otherwise the limit of runs was reached. */
  readonly isMinimal: boolean;
};

export async function shrinkScenario(scenario: Scenario, options: ShrinkOptions): Promise<Shrunk> {
  const search = new Search(scenario, options);
  let before: Scenario;
  do {
    before = search.best;
    await search.dropSteps();
    await search.dropNodes();
    await search.dropWorkloads();
    await search.beginEarlier();
    await search.endEarlier();
  } while (search.best !== before && !search.isExhausted);
  return { scenario: search.best, runs: search.runs, isMinimal: !search.isExhausted };
}

class Search {
  readonly #options: ShrinkOptions;
  /** Rounds come back to the same scenarios, which are run only once. */
  readonly #passing = new Set<string>();
  best: Scenario;
  runs = 0;
  isExhausted: boolean = false;

  constructor(scenario: Scenario, options: ShrinkOptions) {
    this.best = scenario;
    this.#options = options;
  }

  async dropSteps(): Promise<void> {
    for (
      let size = Math.ceil(this.best.steps.length / 2);
      size >= 1;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    ) {
      // From the end: later steps more often depend on earlier ones than the other way round.
      for (let end = this.best.steps.length; end > 0; end -= size) {
        const { steps } = this.best;
        const kept = [...steps.slice(0, Math.max(0, end - size)), ...steps.slice(end)];
        await this.#try({ ...this.best, steps: kept });
      }
    }
  }

  async dropNodes(): Promise<void> {
    for (const { name } of this.best.nodes) {
      const nodes = this.best.nodes.filter((node) => node.name !== name);
      const steps = this.best.steps.filter((step) => !isAboutNode(step, name));
      if (nodes.length > 0) await this.#try({ ...this.best, nodes, steps });
    }
  }

  async dropWorkloads(): Promise<void> {
    for (const { name } of this.best.workloads) {
      const workloads = this.best.workloads.filter((workload) => workload.name !== name);
      const steps = this.best.steps.filter((step) => step.kind !== 'set budget' || step.workload !== name);
      await this.#try({ ...this.best, workloads, steps });
    }
  }

  /** Nothing happens before the first step. */
  async beginEarlier(): Promise<void> {
    const firstMs = Math.min(...this.best.steps.map(({ atMs }) => atMs));
    if (!Number.isFinite(firstMs) || firstMs === 0) return;
    const steps = this.best.steps.map((step) => ({ ...step, atMs: step.atMs - firstMs }));
    await this.#try({ ...this.best, steps, lengthMs: this.best.lengthMs - firstMs });
  }

  async endEarlier(): Promise<void> {
    const lastMs = Math.max(0, ...this.best.steps.map(({ atMs }) => atMs));
    for (;;) {
      const { lengthMs } = this.best;
      const shorterMs = Math.max(lastMs, Math.floor(lengthMs / 2));
      if (shorterMs >= lengthMs || !(await this.#try({ ...this.best, lengthMs: shorterMs }))) return;
    }
  }

  async #try(scenario: Scenario): Promise<boolean> {
    const key = JSON.stringify(scenario);
    if (this.isExhausted || this.#passing.has(key) || key === JSON.stringify(this.best)) return false;
    if (this.runs >= this.#options.maxRuns) {
      this.isExhausted = true;
      return false;
    }
    this.runs += 1;
    const isFailing = await this.#options.fails(scenario);
    if (isFailing) this.best = scenario;
    else this.#passing.add(key);
    return isFailing;
  }
}

function isAboutNode(step: Step, name: string): boolean {
  if ('process' in step) return step.process === `daemon/${name}`;
  return 'node' in step && (typeof step.node === 'string' ? step.node : step.node.name) === name;
}
