/**
 * A simulation for programs, as docs/schemas/simulate.schema.json describes it. Times are seconds from the change.
 */
import type { SnapshotChange } from '../../insight/index.ts';
import type { Band, NodeTimeline, Simulation } from '../../simulation/index.ts';

type JsonContext = {
  readonly change: SnapshotChange;
  readonly whatIfs: readonly string[];
  /** Kinds that could not be read, as their plurals. */
  readonly unread: readonly string[];
};

export function simulationJson(simulation: Simulation, { change, whatIfs, unread }: JsonContext): object {
  const { outcome, runs, ended, durationMs, pools, nodes, refusals, shown } = simulation;
  const timelines = new Map(shown.nodes.map((node) => [node.name, node]));
  return {
    ...{ apiVersion: 'millwright.dev/v1alpha1', kind: 'Simulation' },
    applied: change.applied.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
    deleted: change.deleted.map(({ kind, name }) => `${kind}/${name}`),
    leftOut: simulation.leftOut.map(({ object }) => object),
    ...{ outcome, runs, ended, ...durationOf(durationMs) },
    pools: pools.map(({ durationMs: band, ...pool }) => ({ ...pool, ...durationOf(band) })),
    nodes: nodes.map(({ sentMs, doneMs, ...node }) => ({
      ...node,
      sentSeconds: seconds(sentMs),
      ...(doneMs === undefined ? {} : { doneSeconds: seconds(doneMs) }),
      phases: phasesOf(timelines.get(node.name)),
    })),
    refusals: refusals.map(({ waitMs, ...refusal }) => ({ ...refusal, waitSeconds: seconds(waitMs) })),
    failures: simulation.failures,
    blockers: simulation.blockers,
    ...{ shownRun: shown.seed, assumed: { times: simulation.times, whatIfs } },
    ...{ notes: simulation.notes, problems: simulation.problems, unread },
  };
}

function durationOf(band: Band | undefined) {
  return band === undefined ? {} : { durationSeconds: seconds(band) };
}

function seconds({ p10, p50, p90 }: Band): Band {
  return { p10: rounded(p10), p50: rounded(p50), p90: rounded(p90) };
}

/** To milliseconds. */
function rounded(ms: number): number {
  return Math.round(ms) / 1000;
}

function phasesOf(node: NodeTimeline | undefined) {
  return (node?.phases ?? []).map(({ phase, fromMs, toMs }) => ({
    phase,
    fromSeconds: rounded(fromMs),
    toSeconds: rounded(toMs),
  }));
}
