/**
 * The part of a scenario in which pools build their OS images. It draws from a stream of its own: scenarios without it are the same whether or
 * not it exists.
 */
import type { Random } from '../../base/env.ts';
import { BUILDERS } from '../cluster/components.ts';
import { between, isHit, pick, randomOf } from '../seeded-random.ts';
import type { FaultFamily } from './fault-families.ts';
import type { Fault, Step } from './scenario.ts';

type ImageModeOptions = {
  /** Undefined: all of them, and image mode in a share of the seeds. Otherwise always with `builds`, else never. */
  readonly faults: readonly FaultFamily[] | undefined;
  /** What happens beside it. */
  readonly steps: readonly Step[];
  readonly lengthMs: number;
};

const MINUTE = 60_000;
/** Of the seeds. */
const SHARE = 0.2;
const VERSIONS = [1, 4] as const;
/** From a change to the image on the first nodes. */
const BUSY_MS = 6 * MINUTE;

export function imageModeSteps(seed: number, options: ImageModeOptions): readonly Step[] {
  const { faults } = options;
  const random = randomOf(seed, 'image mode');
  const isDrawn = isHit(random, SHARE);
  if (!(faults === undefined ? isDrawn : faults.includes('builds'))) return [];
  const lastMs = Math.floor(options.lengthMs * 0.9);
  const context: Context = { random, atAnyTime: (fromMs = 0) => between(random, [fromMs, lastMs]) };
  const hasCustomPool = options.steps.some(({ kind }) => kind === 'create pool');
  const first = pick(random, hasCustomPool ? (['worker', 'infra'] as const) : (['worker'] as const));
  const pools = [first, ...(isHit(random, 0.25) ? ['master'] : [])];
  const has = (family: FaultFamily) => faults === undefined || faults.includes(family);
  const configs = pools.flatMap((pool) => osConfigs(context, pool, lastMs));
  const appliedMs = configs.filter(({ kind }) => kind === 'apply os config').map(({ atMs }) => atMs);
  const atBuild = () => Math.min(lastMs, (pick(random, appliedMs) ?? 0) + between(random, [0, BUSY_MS]));
  // Mostly while there is something to do.
  const faulty: Context = {
    ...context,
    atAnyTime: () => (isHit(random, 0.7) ? atBuild() : context.atAnyTime()),
  };
  return [
    ...configs,
    ...(has('builds') ? buildFaults(faulty, pools) : []),
    ...(has('crash') ? some(faulty, 4, () => crash(random)) : []),
    ...(has('network') && isHit(random, 0.4) ? some(faulty, 2, () => partition(random)) : []),
    ...(has('clock') && isHit(random, 0.3) ? some(faulty, 1, () => skew(random)) : []),
  ];
}

type Context = { readonly random: Random; readonly atAnyTime: (fromMs?: number) => number };

/** Applied, changed, some of them deleted, and some of these applied again. */
function osConfigs({ random, atAnyTime }: Context, pool: string, lastMs: number): readonly Step[] {
  const apply = (atMs: number): Step => {
    // One that cannot be built, seldom: nothing else happens then.
    const version = isHit(random, 0.1) ? 0 : between(random, VERSIONS);
    return { atMs, kind: 'apply os config', pool, version };
  };
  const first = apply(between(random, [0, Math.min(5 * MINUTE, lastMs)]));
  const changes = Array.from({ length: between(random, [0, 3]) }, () => apply(atAnyTime()));
  if (!isHit(random, 0.5)) return [first, ...changes];
  const deletedMs = atAnyTime(first.atMs);
  const deleted: Step = { atMs: deletedMs, kind: 'delete os config', pool };
  return [first, ...changes, deleted, ...(isHit(random, 0.3) ? [apply(atAnyTime(deletedMs))] : [])];
}

function buildFaults(context: Context, pools: readonly string[]): readonly Step[] {
  const { random } = context;
  return some(context, 3, () =>
    pick<Fault>(random, [
      { kind: 'builds fail', ms: between(random, [MINUTE, 15 * MINUTE]) },
      { kind: 'builds hang', ms: between(random, [10_000, 8 * MINUTE]) },
      { kind: 'lost built image', pool: pick(random, pools) ?? '' },
    ]),
  );
}

function crash(random: Random): Fault {
  const process = pick(random, BUILDERS);
  return pick<Fault>(random, [
    { kind: 'kill', process },
    { kind: 'terminate', process },
    { kind: 'stop process', process, ms: between(random, [1_000, 5 * MINUTE]) },
    {
      kind: 'stop at call',
      ...{ process, call: between(random, [1, 60]), ms: between(random, [MINUTE, 5 * MINUTE]) },
    },
    ...Array.from({ length: 4 }, () => ({
      kind: 'kill at call' as const,
      ...{ process, call: between(random, [1, 60]) },
      side: pick(random, ['before', 'after'] as const),
    })),
  ] as readonly [Fault, ...Fault[]]);
}

function partition(random: Random): Fault {
  return { kind: 'partition', process: pick(random, BUILDERS), ms: between(random, [5_000, 6 * MINUTE]) };
}

function skew(random: Random): Fault {
  return {
    kind: 'skew clock',
    process: pick(random, BUILDERS),
    skewMs: between(random, [-10 * MINUTE, 10 * MINUTE]),
  };
}

/** A few of something. */
function some({ random, atAnyTime }: Context, most: number, make: () => Fault): readonly Step[] {
  return Array.from({ length: between(random, [1, most]) }, () => ({ atMs: atAnyTime(), ...make() }));
}
