/**
 * Every pool of an input rendered, or everything that stands against it.
 */
import { labels, type MachineConfig, type MachineConfigPool, matchesSelector } from '../api/index.ts';
import { isObject } from '../json.ts';
import { type Rendering, render, type SourceProblem, settingsFor } from '../render/index.ts';
import { builtInPool } from './built-in-pools.ts';
import { type Finding, formatFinding } from './finding.ts';
import { type BaseSource, type GatheredObjects, gatherObjects } from './gather-objects.ts';
import { findingIn, type Manifests, subjectOf } from './manifests.ts';

export type RenderRequest = {
  readonly input: Manifests;
  /** Given, the base configs and the built-in pools are added. */
  readonly base?: BaseSource;
  /** The names of the pools to render; none for all. */
  readonly only: readonly string[];
};

export type RenderedPool = {
  readonly pool: MachineConfigPool;
  readonly rendering: Extract<Rendering, { readonly kind: 'rendered' }>;
};

export type RenderReport = {
  /** Those that could be rendered, in order of their names. */
  readonly rendered: readonly RenderedPool[];
  /** The names of all pools that there are, valid or not. */
  readonly poolNames: readonly string[];
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly notes: readonly string[];
};

export function renderManifests({ input, base, only }: RenderRequest): RenderReport {
  const objects = gatherObjects(input.manifests, base);
  const problems = [...input.problems, ...objects.problems];
  const warnings = [...objects.warnings];
  const unfit = new Set<string>();
  for (const source of ownSources(objects)) {
    const alone = renderAlone(source);
    const say = (problem: SourceProblem) => findingOf(objects, 'MachineConfig', source.metadata.name, problem);
    if (alone.kind === 'rendered') warnings.push(...alone.warnings.map(say));
    if (alone.kind !== 'refused') continue;
    unfit.add(source.metadata.name);
    problems.push(...alone.problems.map(say));
  }

  const rendered: RenderedPool[] = [];
  for (const pool of objects.pools) {
    const isWanted = only.length === 0 || only.includes(pool.metadata.name);
    // What is missing from such a pool is known already; without it more would seem to be wrong.
    if (!isWanted || input.isIncomplete || selectsInvalid(pool, input, unfit)) continue;
    const result = renderPool(pool, objects);
    problems.push(...result.problems);
    warnings.push(...result.warnings);
    if (result.rendered !== undefined) rendered.push(result.rendered);
  }
  if (problems.length === 0) warnings.push(...strays(objects));
  const poolNames = [
    ...input.manifests.filter(({ kind }) => kind === 'MachineConfigPool').map(({ name }) => name),
    ...objects.pools.map(({ metadata }) => metadata.name),
  ];
  return {
    rendered,
    poolNames: [...new Set(poolNames)].sort(),
    problems: distinct(problems),
    warnings: distinct(warnings),
    notes: [...objects.notes, ...notesOn(input)],
  };
}

const RENDERED_PREFIX = 'rendered-';

/** The MachineConfigs that the input brings; what was rendered before is a result, not a source. */
function ownSources({ machineConfigs, manifestOf }: GatheredObjects): readonly MachineConfig[] {
  return machineConfigs.filter(
    ({ metadata }) =>
      !metadata.name.startsWith(RENDERED_PREFIX) && manifestOf('MachineConfig', metadata.name) !== undefined,
  );
}

/**
 * A MachineConfig is fit if a pool of it alone can be rendered. So each is judged by the code that renders,
 * whether or not a pool selects it, and what is wrong has a place in its own file.
 */
function renderAlone(source: MachineConfig): Rendering {
  const metadata = { ...source.metadata, labels: { [labels.role]: 'worker' } };
  return render({
    pool: builtInPool('worker'),
    machineConfigs: [{ ...source, metadata }],
    settings: { osImageURL: '', baseOSExtensionsContainerImage: '' },
  });
}

function selectsInvalid(pool: MachineConfigPool, input: Manifests, unfit: ReadonlySet<string>): boolean {
  return input.manifests.some(({ kind, name, isValid, object }) => {
    if (kind !== 'MachineConfig' || (isValid && !unfit.has(name))) return false;
    const metadata = object.metadata;
    const own = isObject(metadata) && isObject(metadata.labels) ? metadata.labels : {};
    // An invalid object may have anything for a label; what is no text fits no selector.
    return matchesSelector(pool.spec.machineConfigSelector, own as { readonly [key: string]: string });
  });
}

type PoolResult = {
  readonly rendered?: RenderedPool;
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
};

function renderPool(pool: MachineConfigPool, objects: GatheredObjects): PoolResult {
  const { name } = pool.metadata;
  const ofPool = (problem: SourceProblem) => findingOf(objects, 'MachineConfigPool', name, problem);
  const settings = settingsFor(pool, objects.settings);
  if (settings.kind === 'invalid') return { problems: settings.problems.map(ofPool), warnings: [] };
  const target = pool.spec.configuration?.name;
  const current = objects.machineConfigs.find(({ metadata }) => metadata.name === target);
  const rendering = render({
    pool,
    machineConfigs: objects.machineConfigs,
    settings: settings.value,
    ...(current !== undefined && { current }),
  });
  // Each source is fit by itself, so what is wrong now is wrong with the sum: paths lead into the result.
  const ofSum = (problem: SourceProblem) => {
    if (problem.source === undefined) return ofPool(problem);
    const finding = findingOf(objects, 'MachineConfig', problem.source, { ...problem, path: '' });
    return { ...finding, path: `pool ${name}${problem.path === '' ? '' : `: ${problem.path}`}` };
  };
  switch (rendering.kind) {
    case 'ignored':
      return {
        problems: [ofPool({ path: 'spec.machineConfigSelector', message: rendering.message })],
        warnings: [],
      };
    case 'refused':
      return { problems: rendering.problems.map(ofSum), warnings: [] };
    case 'rendered': {
      const own = new Set(
        rendering.sources.flatMap((source) => knownWarnings(source.name ?? '', objects.machineConfigs)),
      );
      const news = rendering.warnings.filter((warning) => !own.has(keyOf(warning)));
      return { rendered: { pool, rendering }, problems: [], warnings: news.map(ofSum) };
    }
  }
}
