/**
 * The metrics of a component that leads or waits. Those of its controllers exist only while it leads: a process that waits knows
 * nothing of the cluster, and must not repeat what it knew when it led.
 */
import { BUILDER_METRICS, CONTROLLERS_METRICS, OPERATOR_METRICS } from '../controllers/index.ts';
import { CONNECTION_METRICS, CONTROLLER_METRICS, IS_LEADER } from '../kubernetes/client/index.ts';
import { type Family, type MetricDefinition, Metrics } from '../kubernetes/metrics/index.ts';

/** While the component leads. */
const OF_TERM = {
  operator: [...CONTROLLER_METRICS, ...OPERATOR_METRICS],
  controller: [...CONTROLLER_METRICS, ...CONTROLLERS_METRICS],
  builder: [...CONTROLLER_METRICS, ...BUILDER_METRICS],
} satisfies { readonly [component: string]: readonly MetricDefinition[] };

const OF_PROCESS: readonly MetricDefinition[] = [...CONNECTION_METRICS, IS_LEADER];

export class ComponentMetrics {
  readonly #component: keyof typeof OF_TERM;
  /** From the start of the process to its end. */
  readonly process = new Metrics(OF_PROCESS);
  #term: Metrics | undefined;

  constructor(component: keyof typeof OF_TERM) {
    this.#component = component;
  }

  /** What the component may measure. */
  static definitions(component: keyof typeof OF_TERM): readonly MetricDefinition[] {
    return [...OF_PROCESS, ...OF_TERM[component]];
  }

  /** The process is there, and does not lead: without a series nobody could tell that none of them does. */
  wait(lease: string): void {
    this.process.gauge(IS_LEADER).set({ name: lease }, 0);
  }

  /** The registry of a term of leadership, and what is to be called at its end. */
  begin(lease: string): { readonly metrics: Metrics; readonly end: () => void } {
    const metrics = new Metrics(OF_TERM[this.#component]);
    this.#term = metrics;
    this.process.gauge(IS_LEADER).set({ name: lease }, 1);
    return {
      metrics,
      end: () => {
        this.#term = undefined;
        this.wait(lease);
      },
    };
  }

  families(): readonly Family[] {
    return [...this.process.families(), ...(this.#term?.families() ?? [])];
  }
}
