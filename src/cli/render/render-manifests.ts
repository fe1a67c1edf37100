/**
 * Renders every pool of an input, and collects all problems.
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
  readonly base: BaseSource;
  /** The names of the pools to render; empty for all. */
  readonly only: readonly string[];
};

export type RenderedPool = {
  readonly pool: MachineConfigPool;
  readonly rendering: Extract<Rendering, { readonly kind: 'rendered' }>;
};

export type RenderReport = {
  /** Sorted by name. */
  readonly rendered: readonly RenderedPool[];
  /** The names of all pools, valid or not. */
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
      // The problems of invalid sources are reported already.
      const isValid = isWhole && !selectsInvalid(pool, input, sources.invalid);
      return isValid ? renderPool(pool, objects, sources.reported) : checkSettings(pool, objects);
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
    ...(problems.length === 0 ? unselectedWarnings(objects) : []),
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
  /** The names of sources that cannot be merged. */
  readonly invalid: ReadonlySet<string>;
  /** The keys of all warnings, so that they are not repeated for each pool. */
  readonly reported: ReadonlySet<string>;
};

/** Checks each MachineConfig of the input individually, whether or not a pool selects it. */
function checkSources({ manifests }: Manifests): SourceChecks {
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  const invalid = new Set<string>();
  const reported = new Set<string>();
  for (const manifest of manifests) {
    if (manifest.kind !== machineConfig.kind) continue;
    const check = checkSource(manifest.object);
    // Schema violations were found when it was parsed.
    const isValid = manifest.isValid && check.contentProblems.length === 0;
    if (!isValid) invalid.add(manifest.name);
    problems.push(...check.contentProblems.map((problem) => findingIn(manifest, problem)));
    warnings.push(...check.warnings.map((warning) => findingIn(manifest, warning)));
    for (const warning of check.warnings) reported.add(keyOf(warning));
  }
  return { problems, warnings, invalid, reported };
}

function selectsInvalid(pool: MachineConfigPool, input: Manifests, invalid: ReadonlySet<string>): boolean {
  return input.manifests.some(({ kind, name, object }) => {
    if (kind !== machineConfig.kind || !invalid.has(name)) return false;
    const metadata = object.metadata;
    const found = isObject(metadata) && isObject(metadata.labels) ? metadata.labels : {};
    // An invalid object may have labels of any type; only strings match selectors.
    return matchesSelector(pool.spec.machineConfigSelector, found as { readonly [key: string]: string });
  });
}

type PoolResult = {
  readonly rendered?: RenderedPool;
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
};

/** Further problems of a pool that cannot be rendered. */
function checkSettings(pool: MachineConfigPool, objects: GatheredObjects): PoolResult {
  const settings = settingsFor(pool, objects.settings);
  const problems = settings.kind === 'invalid' ? settings.problems : [];
  return { problems: problems.map((one) => findingInResult(objects, pool.metadata.name, one)), warnings: [] };
}

function renderPool(
  pool: MachineConfigPool,
  objects: GatheredObjects,
  reported: ReadonlySet<string>,
): PoolResult {
  const { name } = pool.metadata;
  const rejected = (problems: readonly SourceProblem[]): PoolResult => ({
    problems: problems.map((problem) => findingInResult(objects, name, problem)),
    warnings: [],
  });
  const settings = settingsFor(pool, objects.settings);
  if (settings.kind === 'invalid') return rejected(settings.problems);
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
      return rejected([{ path: 'spec.machineConfigSelector', message: rendering.message }]);
    case 'refused':
      return rejected(rendering.problems);
    case 'rendered': {
      const newWarnings = rendering.warnings.filter((warning) => !reported.has(keyOf(warning)));
      const warnings = newWarnings.map((warning) => findingInResult(objects, name, warning));
      return { rendered: { pool, rendering }, problems: [], warnings };
    }
  }
}

/** The sources are valid individually, so the problem is in the merged result, and so is its path. */
function findingInResult(objects: GatheredObjects, pool: string, problem: SourceProblem): Finding {
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

/** The MachineConfigs of the input, without rendered ones. */
function ownSources({ machineConfigs, manifestOf }: GatheredObjects): readonly MachineConfig[] {
  return machineConfigs.filter(
    ({ metadata }) => !isRendered(metadata) && manifestOf('MachineConfig', metadata.name) !== undefined,
  );
}

/** A MachineConfig that no pool selects most likely has a wrong label. */
function unselectedWarnings(objects: GatheredObjects): readonly Finding[] {
  if (objects.pools.length === 0) return [];
  return ownSources(objects)
    .filter(
      ({ metadata }) =>
        !objects.pools.some((pool) => matchesSelector(pool.spec.machineConfigSelector, metadata.labels)),
    )
    .map(({ metadata }) =>
      findingOf(objects, 'MachineConfig', metadata.name, {
        path: 'metadata.labels',
        message: 'no pool selects these labels: it has no effect',
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
  'KubeletConfig',
  'ContainerRuntimeConfig',
  'ImageDigestMirrorSet',
  'ImageTagMirrorSet',
  'ImageContentSourcePolicy',
  'Image',
  'ClusterImagePolicy',
  'ImagePolicy',
]);

/** Only these objects are read for settings. */
const SINGLETONS: ReadonlyMap<string, string> = new Map([
  ['ControllerConfig', 'machine-config-controller'],
  ['OSImageStream', 'cluster'],
  ['MachineConfiguration', 'cluster'],
  ['Image', 'cluster'],
]);

function inputNotes({ manifests, foreignKinds, nonObjectFiles }: Manifests): readonly string[] {
  const others = manifests.map(({ kind }) => kind).filter((kind) => !RENDERED_FROM.has(kind));
  const notes = others.length === 0 ? [] : [`validated, but not rendered: ${counted(others)}`];
  if (foreignKinds.length > 0) {
    const documents = foreignKinds.length === 1 ? 'document' : 'documents';
    const names = [...new Set(foreignKinds)].sort().join(', ');
    notes.push(`ignored ${foreignKinds.length} ${documents} of other kinds (${names})`);
  }
  if (nonObjectFiles.length > 0)
    notes.push(`ignored documents that are not Kubernetes objects in ${nonObjectFiles.join(', ')}`);
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
