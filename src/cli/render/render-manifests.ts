/**
 * Every pool of an input rendered, or everything that stands against it.
 */
import { type MachineConfig, type MachineConfigPool, machineConfig } from '../../api/index.ts';
import { isObject } from '../../base/json.ts';
import type { SourceProblem } from '../../config/content/index.ts';
import { checkSource, isRendered, type Rendering, render, settingsFor } from '../../config/render/index.ts';
import { matchesSelector } from '../../kubernetes/meta/index.ts';
import { type Finding, formatFinding } from './finding.ts';
import { type BaseSource, type GatheredObjects, gatherObjects } from './gather-objects.ts';
import { findingIn, type Manifests, subjectOf } from './manifests.ts';

type RenderRequest = {
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
  const sources = checkSources(input);
  const isWhole = !input.isIncomplete && objects.problems.length === 0;
  const results = objects.pools
    .filter((pool) => only.length === 0 || only.includes(pool.metadata.name))
    .map((pool) => {
      // What is wrong with its sources is known already, and would only show again.
      const isFit = isWhole && !selectsInvalid(pool, input, sources.unfit);
      return isFit ? renderPool(pool, objects, sources.said) : checkSettings(pool, objects);
    });
  const problems = [
    ...input.problems,
    ...objects.problems,
    ...sources.problems,
    ...results.flatMap((result) => result.problems),
  ];
  const warnings = [
    ...objects.warnings,
    ...sources.warnings,
    ...results.flatMap((result) => result.warnings),
    ...(problems.length === 0 ? strayWarnings(objects) : []),
  ];
  return {
    rendered: results.flatMap(({ rendered }) => (rendered === undefined ? [] : [rendered])),
    poolNames: poolNamesOf(input, objects),
    problems: distinct(problems),
    warnings: distinct(warnings),
    notes: [...objects.notes, ...inputNotes(input)],
  };
}

type SourceChecks = {
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** The names of those that cannot be merged. */
  readonly unfit: ReadonlySet<string>;
  /** Every warning by its key, so that it is not repeated for each pool. */
  readonly said: ReadonlySet<string>;
};

/** Each MachineConfig of the input by itself, whether or not a pool selects it and whatever else is wrong. */
function checkSources({ manifests }: Manifests): SourceChecks {
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  const unfit = new Set<string>();
  const said = new Set<string>();
  for (const manifest of manifests) {
    if (manifest.kind !== machineConfig.kind) continue;
    const check = checkSource(manifest.object);
    // What its kind does not allow was found when it was read.
    const isFit = manifest.isValid && check.contentProblems.length === 0;
    if (!isFit) unfit.add(manifest.name);
    problems.push(...check.contentProblems.map((problem) => findingIn(manifest, problem)));
    warnings.push(...check.warnings.map((warning) => findingIn(manifest, warning)));
    for (const warning of check.warnings) said.add(keyOf(warning));
  }
  return { problems, warnings, unfit, said };
}

function selectsInvalid(pool: MachineConfigPool, input: Manifests, unfit: ReadonlySet<string>): boolean {
  return input.manifests.some(({ kind, name, object }) => {
    if (kind !== machineConfig.kind || !unfit.has(name)) return false;
    const metadata = object.metadata;
    const found = isObject(metadata) && isObject(metadata.labels) ? metadata.labels : {};
    // An invalid object may have anything for a label; what is no text fits no selector.
    return matchesSelector(pool.spec.machineConfigSelector, found as { readonly [key: string]: string });
  });
}

type PoolResult = {
  readonly rendered?: RenderedPool;
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
};

/** For a pool that cannot be rendered now: whatever else would stand against it. */
function checkSettings(pool: MachineConfigPool, objects: GatheredObjects): PoolResult {
  const settings = settingsFor(pool, objects.settings);
  const problems = settings.kind === 'invalid' ? settings.problems : [];
  return { problems: problems.map((one) => findingInSum(objects, pool.metadata.name, one)), warnings: [] };
}

function renderPool(
  pool: MachineConfigPool,
  objects: GatheredObjects,
  said: ReadonlySet<string>,
): PoolResult {
  const { name } = pool.metadata;
  const refused = (problems: readonly SourceProblem[]): PoolResult => ({
    problems: problems.map((problem) => findingInSum(objects, name, problem)),
    warnings: [],
  });
  const settings = settingsFor(pool, objects.settings);
  if (settings.kind === 'invalid') return refused(settings.problems);
  const target = pool.spec.configuration?.name;
  const current = objects.machineConfigs.find(({ metadata }) => metadata.name === target);
  const rendering = render({
    pool,
    machineConfigs: objects.machineConfigs,
    settings: settings.value,
    ...(current !== undefined && { current }),
  });
  switch (rendering.kind) {
    case 'ignored':
      return refused([{ path: 'spec.machineConfigSelector', message: rendering.message }]);
    case 'refused':
      return refused(rendering.problems);
    case 'rendered': {
      const news = rendering.warnings.filter((warning) => !said.has(keyOf(warning)));
      const warnings = news.map((warning) => findingInSum(objects, name, warning));
      return { rendered: { pool, rendering }, problems: [], warnings };
    }
  }
}

/** Each source is fit by itself, so this is wrong with the sum of them: its path leads into the result. */
function findingInSum(objects: GatheredObjects, pool: string, problem: SourceProblem): Finding {
  if (problem.source === undefined) return findingOf(objects, 'MachineConfigPool', pool, problem);
  const finding = findingOf(objects, 'MachineConfig', problem.source, { ...problem, path: '' });
  return { ...finding, path: problem.path === '' ? `pool ${pool}` : `pool ${pool}: ${problem.path}` };
}

function findingOf(
  objects: GatheredObjects,
  kind: 'MachineConfig' | 'MachineConfigPool',
  name: string,
  { path, message }: SourceProblem,
): Finding {
  const manifest = objects.manifestOf(kind, name);
  return manifest === undefined
    ? { subject: subjectOf({ kind, name }), path, message }
    : findingIn(manifest, { path, message });
}

function keyOf({ source, path, message }: SourceProblem): string {
  return JSON.stringify([source, path, message]);
}

/** The MachineConfigs that the input brings; what was rendered before is a result, not a source. */
function ownSources({ machineConfigs, manifestOf }: GatheredObjects): readonly MachineConfig[] {
  return machineConfigs.filter(
    ({ metadata }) => !isRendered(metadata) && manifestOf('MachineConfig', metadata.name) !== undefined,
  );
}

/** A MachineConfig that no pool selects has most likely the wrong label. */
function strayWarnings(objects: GatheredObjects): readonly Finding[] {
  if (objects.pools.length === 0) return [];
  return ownSources(objects)
    .filter(
      ({ metadata }) =>
        !objects.pools.some((pool) => matchesSelector(pool.spec.machineConfigSelector, metadata.labels)),
    )
    .map(({ metadata }) =>
      findingOf(objects, 'MachineConfig', metadata.name, {
        path: 'metadata.labels',
        message: 'no pool selects these labels, so it is part of no rendering',
      }),
    );
}

function poolNamesOf(input: Manifests, objects: GatheredObjects): readonly string[] {
  const given = input.manifests.filter(({ kind }) => kind === 'MachineConfigPool').map(({ name }) => name);
  return [...new Set([...given, ...objects.pools.map(({ metadata }) => metadata.name)])].sort();
}

const RENDERED_FROM = new Set([
  'MachineConfig',
  'MachineConfigPool',
  'ControllerConfig',
  'OSImageStream',
  'MachineConfiguration',
  'ConfigMap',
]);

/** Settings are read from one object each. */
const SINGLETONS: ReadonlyMap<string, string> = new Map([
  ['ControllerConfig', 'machine-config-controller'],
  ['OSImageStream', 'cluster'],
  ['MachineConfiguration', 'cluster'],
]);

function inputNotes({ manifests, foreignKinds, strangers }: Manifests): readonly string[] {
  const others = manifests.map(({ kind }) => kind).filter((kind) => !RENDERED_FROM.has(kind));
  const notes = others.length === 0 ? [] : [`checked, but not part of a rendering: ${counted(others)}`];
  if (foreignKinds.length > 0) {
    const documents = foreignKinds.length === 1 ? 'document' : 'documents';
    const names = [...new Set(foreignKinds)].sort().join(', ');
    notes.push(`ignored ${foreignKinds.length} ${documents} of other kinds (${names})`);
  }
  if (strangers.length > 0) notes.push(`ignored what is no Kubernetes object in ${strangers.join(', ')}`);
  const unread = manifests.filter(({ kind, name }) => (SINGLETONS.get(kind) ?? name) !== name);
  for (const { kind, name } of unread) {
    notes.push(`${kind}/${name} has no effect: only ${SINGLETONS.get(kind)} is read`);
  }
  return notes;
}

/** `2 KubeletConfig, 1 PinnedImageSet`. */
function counted(names: readonly string[]): string {
  return [...new Set(names)]
    .sort()
    .map((name) => `${names.filter((other) => other === name).length} ${name}`)
    .join(', ');
}

function distinct(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [formatFinding(finding), finding])).values()];
}
