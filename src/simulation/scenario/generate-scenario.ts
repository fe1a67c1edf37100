/**
 * A scenario from a seed. The mix is meant to be mean: rollouts overlap, and what goes wrong goes wrong in the middle of them.
 */
import type { Random } from '../../base/env.ts';
import { REPLICAS } from '../cluster/components.ts';
import { between, isHit, pick, randomOf } from '../seeded-random.ts';
import { CLUSTER_FAULTS, type ClusterFault, type FaultFamily } from './fault-families.ts';
import { imageModeSteps } from './generate-image-mode.ts';
import type { Action, Content, Fault, Scenario, ScenarioNode, Step } from './scenario.ts';

export type Mix = {
  /** Workers; by default a few. */
  readonly nodes?: number | undefined;
  /** Which kinds of faults there are; by default all, of which `builds` in a share of the seeds. */
  readonly faults?: readonly FaultFamily[] | undefined;
  /** From the first change to the end of all faults, in virtual time. The shorter, the more happens at once. */
  readonly minutes?: number | undefined;
};

const MINUTE = 60_000;
export const USUAL_MINUTES = 40;
/** Roles for which configs are written. */
const ROLES = ['worker', 'worker', 'worker', 'master', 'infra'] as const;

export function generateScenario(
  seed: number,
  { nodes, faults, minutes = USUAL_MINUTES }: Mix = {},
): Scenario {
  const lengthMs = minutes * MINUTE;
  const random = randomOf(seed, 'scenario');
  const masters = pick(random, [0, 1, 3, 3] as const);
  const workers = nodes ?? between(random, [2, 6]);
  const cluster = [
    ...Array.from({ length: masters }, (_, index) => aNode('master', index, random)),
    ...Array.from({ length: workers }, (_, index) => aNode('worker', index, random)),
  ];
  const names = cluster.map(({ name }) => name);
  const wanted: readonly FaultFamily[] = faults ?? CLUSTER_FAULTS;
  const chosen = CLUSTER_FAULTS.filter((family) => wanted.includes(family) && isHit(random, 0.6));
  const workerNames = names.filter((name) => name.startsWith('worker'));
  const context: Context = { random, names, workers: workerNames, lengthMs };
  const steps = [
    ...rollouts(context),
    ...chosen.flatMap((family) => FAMILIES[family](context)),
    ...(isHit(random, 0.4) ? customPool(context) : []),
  ];
  const replicas = Math.max(1, Math.min(3, workers - 1));
  return {
    seed,
    nodes: cluster,
    workloads: [
      { name: 'web', replicas, ...(replicas > 1 ? { minAvailable: replicas - 1 } : {}) },
      { name: 'batch', replicas: 2 },
    ],
    times: {
      bootMs: between(random, [10_000, 90_000]),
      ...{ shutDownMs: 5_000, pullMs: between(random, [1_000, 60_000]), stageMs: 5_000 },
    },
    steps: [...steps, ...imageModeSteps(seed, { faults, steps, lengthMs })].toSorted(
      (a, b) => a.atMs - b.atMs,
    ),
    lengthMs,
  };
}

type Context = {
  readonly random: Random;
  readonly names: readonly string[];
  readonly workers: readonly string[];
  readonly lengthMs: number;
};

function aNode(role: string, index: number, random: Random): ScenarioNode {
  const zone = isHit(random, 0.5) ? { zone: `zone-${index % 2}` } : {};
  const roles = role === 'master' ? ['master', 'control-plane'] : [role];
  return { name: `${role}-${index}`, roles, ...zone };
}

/** At any time but the very end, in which nothing would come of it. */
function atAnyTime({ random, lengthMs }: Context, from = 0): number {
  return between(random, [from, Math.floor(lengthMs * 0.9)]);
}

function rollouts(context: Context): readonly Step[] {
  const { random, lengthMs } = context;
  const changes = Array.from({ length: between(random, [1, 4]) }, (_, index): readonly Step[] => {
    const atMs = index === 0 ? between(random, [0, Math.min(MINUTE, lengthMs / 2)]) : atAnyTime(context);
    const name = `50-change-${between(random, [0, 2])}`;
    const role = index === 0 ? 'worker' : pick(random, ROLES);
    const applied: Step = { atMs, kind: 'apply config', name, role, content: aContent(random) };
    const deleted: Step = { atMs: atAnyTime(context, atMs), kind: 'delete config', name };
    return isHit(random, 0.3) ? [applied, deleted] : [applied];
  });
  const pool = pick(random, ['worker', 'worker', 'master'] as const);
  const value = pick<number | string>(random, [1, 2, 3, '50%', '10%'] as const);
  const limit: Step = {
    atMs: isHit(random, 0.5) ? 0 : atAnyTime(context),
    kind: 'set maxUnavailable',
    pool,
    value,
  };
  return [...changes.flat(), ...(isHit(random, 0.6) ? [limit] : [])];
}

function aContent(random: Random): Content {
  const number = between(random, [1, 99]);
  return pick(random, [
    { kind: 'file', path: `/etc/app-${number % 3}.conf`, text: `value ${number}\n` },
    { kind: 'file', path: `/etc/app-${number % 3}.conf`, text: `value ${number}\n` },
    {
      kind: 'unit',
      name: `app-${number % 2}.service`,
      text: `[Service]\nExecStart=/usr/bin/true ${number}\n`,
    },
    { kind: 'kernel argument', value: `app=${number}` },
    { kind: 'os image', number: 2 + (number % 3) },
    // An OS image that cannot be pulled, seldom: nothing else happens then.
    { kind: 'os image', number: number % 2 === 0 ? 0 : 2 },
  ] as const);
}

function customPool(context: Context): readonly Step[] {
  const { random, workers } = context;
  const createdMs = atAnyTime(context);
  const node = pick(random, workers) ?? '';
  const labelled: Step = { atMs: atAnyTime(context), kind: 'label node', node, role: 'infra', isSet: true };
  return [
    { atMs: createdMs, kind: 'create pool', pool: 'infra' },
    labelled,
    ...(isHit(random, 0.5)
      ? [
          {
            atMs: atAnyTime(context, labelled.atMs),
            kind: 'label node',
            node,
            role: 'infra',
            isSet: false,
          } as const,
        ]
      : []),
    ...(isHit(random, 0.3)
      ? [{ atMs: atAnyTime(context, createdMs), kind: 'delete pool', pool: 'infra' } as const]
      : []),
  ];
}

/** A few of something. */
function some(context: Context, most: number, make: (atMs: number) => Action | Fault): readonly Step[] {
  const { random } = context;
  return Array.from({ length: between(random, [1, most]) }, () => {
    const atMs = atAnyTime(context);
    return { atMs, ...make(atMs) };
  });
}

const FAMILIES: { readonly [family in ClusterFault]: (context: Context) => readonly Step[] } = {
  crash: (context) => {
    const { random } = context;
    const process = () => aProcess(context);
    return some(context, 6, () =>
      pick(random, [
        { kind: 'kill', process: process() },
        { kind: 'terminate', process: process() },
        { kind: 'stop process', process: process(), ms: between(random, [1_000, 5 * MINUTE]) },
        {
          kind: 'stop at call',
          process: process(),
          call: between(random, [1, 60]),
          // Longer than a Lease is held, mostly.
          ms: between(random, [MINUTE, 5 * MINUTE]),
        },
        ...Array.from({ length: 4 }, () => ({
          kind: 'kill at call' as const,
          process: process(),
          call: between(random, [1, 60]),
          side: pick(random, ['before', 'after'] as const),
        })),
      ] as readonly [Fault, ...Fault[]]),
    );
  },
  clock: (context) => {
    const { random } = context;
    return some(context, 2, () => ({
      kind: 'skew clock',
      process: aProcess(context),
      skewMs: between(random, [-10 * MINUTE, 10 * MINUTE]),
    }));
  },
  network: (context) => {
    const { random } = context;
    return some(context, 4, () =>
      pick(random, [
        { kind: 'partition', process: aProcess(context), ms: between(random, [5_000, 6 * MINUTE]) },
        {
          kind: 'bad network',
          ms: between(random, [MINUTE, 15 * MINUTE]),
          conditions: {
            latencyMs: [1, pick(random, [20, 200, 2_000] as const)],
            faults: pick(random, [0.02, 0.1, 0.3] as const),
            lateMs: pick(random, [0, 2_000, 20_000] as const),
          },
        },
      ] as const),
    );
  },
  power: (context) => {
    const { random } = context;
    const node = () => pick(random, context.names) ?? '';
    const ms = () => between(random, [1_000, 5 * MINUTE]);
    return some(context, 3, () =>
      pick(random, [
        { kind: 'power cut', node: node(), ms: ms() },
        {
          kind: 'power cut at write',
          ...{ node: node(), ms: ms(), call: between(random, [1, 150]) },
          when: pick(random, ['before', 'within'] as const),
        },
      ] as const),
    );
  },
  disk: (context) => {
    const { random, names } = context;
    return some(context, 2, () => ({
      kind: 'full disk',
      node: pick(random, names) ?? '',
      ms: between(random, [10_000, 15 * MINUTE]),
    }));
  },
  boot: (context) => {
    const { random, names } = context;
    const node = () => pick(random, names) ?? '';
    const ms = () => between(random, [MINUTE, 20 * MINUTE]);
    return some(context, 2, () =>
      pick<Fault>(random, [
        { kind: 'stuck boot', node: node(), ms: ms() },
        { kind: 'slow machine', node: node(), factor: between(random, [2, 20]) },
        { kind: 'refused reboot', node: node(), ms: ms() },
      ] as const),
    );
  },
  registry: (context) => {
    const { random } = context;
    const ms = () => between(random, [MINUTE, 20 * MINUTE]);
    return some(context, 2, () =>
      pick(random, [
        { kind: 'registry down', ms: ms() },
        { kind: 'lost image', number: between(random, [2, 4]), ms: ms() },
      ] as const),
    );
  },
  people: (context) => {
    const { random, workers, names } = context;
    const node = () => pick(random, names) ?? '';
    const added = { name: `worker-${workers.length + 1}`, roles: ['worker'] };
    return some(context, 5, () =>
      pick(random, [
        { kind: 'cordon', node: node(), isCordoned: true },
        { kind: 'cordon', node: node(), isCordoned: true },
        { kind: 'cordon', node: node(), isCordoned: false },
        { kind: 'pause', pool: pick(random, ['worker', 'master'] as const), isPaused: isHit(random, 0.7) },
        { kind: 'set budget', workload: 'web', minAvailable: between(random, [0, 3]) },
        { kind: 'add node', node: added },
        { kind: 'remove node', node: pick(random, workers) ?? '' },
      ] as const),
    );
  },
};

function aProcess({ random, names }: Context): string {
  const daemons = names.map((name) => `daemon/${name}`);
  return isHit(random, 0.5) ? pick(random, REPLICAS) : (pick(random, daemons) ?? '');
}
