/**
 * Renders a pool's MachineConfigs into one.
 */
import {
  annotations,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  mergeSkippedChecks,
} from '../../api/index.ts';
import { byteLength, canonicalJson } from '../../base/json.ts';
import {
  apiVersionOf,
  controllerReference,
  formatSelector,
  isEmptySelector,
  type ObjectReference,
  type OwnerReference,
} from '../../kubernetes/meta/index.ts';
import { MAX_RENDERED_BYTES, type SourceProblem } from '../content/index.ts';
import { checkMerged } from './check-merged.ts';
import { checkSource, type SourceCheck, selectionProblems } from './check-source.ts';
import { type MergedSources, mergeSources } from './merge-sources.ts';
import { reconcileProblems } from './reconcile.ts';
import { renderedName } from './rendered-name.ts';
import type { RenderedMachineConfig, RenderInput, Rendering, RenderSettings } from './rendering.ts';
import { RENDERED_PREFIX, type SelectedSource, selectSources } from './select-sources.ts';
import { validatedObject } from './validate-object.ts';

/** Names have at most 253 characters; a rendered name adds a prefix and a digest to the pool's. */
const MAX_POOL_NAME = 253 - RENDERED_PREFIX.length - '-'.length - 32;
const LARGE_RENDERED_BYTES = MAX_RENDERED_BYTES * 0.8;

/** Never throws, whatever the input: all problems are returned at once. */
export function render(input: RenderInput): Rendering {
  const stated = validatedObject<MachineConfigPool>(machineConfigPoolKind, input.pool);
  const checks = input.machineConfigs.map(checkSource);
  // A source with invalid labels may belong to any pool.
  const malformed = checks.filter(({ machineConfig }) => machineConfig === undefined);
  if (stated.kind === 'invalid') return refusedRendering([...stated.problems, ...problemsOf(malformed)]);

  const pool = stated.value;
  if (pool.metadata.name.length > MAX_POOL_NAME)
    return refusedRendering([longName(pool), ...problemsOf(malformed)]);
  const selector = pool.spec.machineConfigSelector;
  if (selector !== undefined && isEmptySelector(selector)) {
    const message =
      'This machineconfigpool is selecting all machineconfigs. A non-empty selector is required.';
    return { kind: 'ignored', reason: 'SelectingAll', message };
  }
  const selected = selectSources(pool, checks);
  const problems = [
    ...problemsOf([...malformed, ...selected]),
    ...selected.flatMap(({ machineConfig }) =>
      selectionProblems(machineConfig, input.settings.controllerVersion),
    ),
  ];
  if (problems.length > 0) return refusedRendering(problems);
  if (selected.length === 0 && !(input.mayBeEmpty === true && selector !== undefined)) {
    const message = `no MachineConfigs found matching selector ${formatSelector(selector)}`;
    const plain =
      selector === undefined ? 'Required value: without a selector the pool has no MachineConfigs' : message;
    return { kind: 'refused', message, problems: [{ path: 'spec.machineConfigSelector', message: plain }] };
  }
  return renderSources(pool, selected, input);
}

function longName({ metadata }: MachineConfigPool): SourceProblem {
  const message = `Too long: a pool may have a name of ${MAX_POOL_NAME} characters at most, so that its rendered MachineConfigs can be named after it; this one has ${metadata.name.length}`;
  return { path: 'metadata.name', message, reason: 'FieldValueTooLong' };
}

function problemsOf(checks: readonly SourceCheck[]): readonly SourceProblem[] {
  return checks.flatMap(({ kindProblems, contentProblems }) => [...kindProblems, ...contentProblems]);
}

/** Each source is valid by itself; what is left is to validate the merged result. */
function renderSources(
  pool: MachineConfigPool,
  sources: readonly SelectedSource[],
  input: RenderInput,
): Rendering {
  const { settings, current } = input;
  const merged = mergeSources(sources, settings);
  const { machineConfig, sizeBytes } = assemble(pool, { merged, sources }, settings);
  const isImageOverridden = merged.spec.osImageURL !== settings.osImageURL;
  const findings = checkMerged({ pool, merged, isImageOverridden });
  const problems = [
    ...findings.problems,
    ...sizeProblems(machineConfig, sizeBytes),
    ...reconcileProblems(current, merged, settings.allowIrreconcilable ?? []),
  ];
  if (problems.length > 0) return refusedRendering(problems);
  return {
    kind: 'rendered',
    machineConfig,
    sources: sources.map(({ machineConfig: source }) => referenceTo(source)),
    origins: merged.origins,
    isImageOverridden,
    defaultOsImage: settings.osImageURL,
    sizeBytes,
    warnings: [
      ...sources.flatMap(({ warnings }) => warnings),
      ...findings.warnings,
      ...sizeWarnings(sizeBytes),
    ],
  };
}

/** The message of the pool's condition: the first problem, in upstream's wording, and the number of others. */
export function refusedRendering(problems: readonly SourceProblem[]): Rendering {
  const [first] = problems;
  const text = (first?.text ?? first?.message ?? '').trimEnd();
  const where =
    first?.source === undefined || names(text, first.source) ? '' : ` (in MachineConfig ${first.source})`;
  const rest = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return {
    kind: 'refused',
    message: `could not generate rendered MachineConfig: ${text}${where}${rest}`,
    problems,
  };
}

function names(text: string, source: string): boolean {
  return (
    text.includes(`"${source}"`) || text.includes(`MC ${source} `) || text.endsWith(`MachineConfig ${source}`)
  );
}

function assemble(
  pool: MachineConfigPool,
  {
    merged: { spec },
    sources,
  }: { readonly merged: MergedSources; readonly sources: readonly SelectedSource[] },
  settings: RenderSettings,
): { readonly machineConfig: RenderedMachineConfig; readonly sizeBytes: number } {
  const specText = canonicalJson(spec);
  const owner = ownerReference(pool);
  const notes = {
    [annotations.generatedByControllerVersion]: settings.controllerVersion,
    [annotations.releaseImageVersion]: settings.releaseVersion,
    [annotations.osImageURLOverridden]: spec.osImageURL === settings.osImageURL ? undefined : 'true',
    [annotations.skipPreflight]: mergeSkippedChecks(
      sources.map(({ machineConfig }) => machineConfig.metadata.annotations?.[annotations.skipPreflight]),
    ),
  };
  const given = Object.entries(notes).filter((note): note is [string, string] => note[1] !== undefined);
  const machineConfig: RenderedMachineConfig = {
    apiVersion: apiVersionOf(machineConfigKind),
    kind: machineConfigKind.kind,
    metadata: {
      name: renderedName(pool.metadata.name, specText),
      ...(given.length > 0 && { annotations: Object.fromEntries(given) }),
      ...(owner !== undefined && { ownerReferences: [owner] }),
    },
    spec,
  };
  // The order of keys does not change the length, so the long text is not written twice.
  const { spec: _, ...rest } = machineConfig;
  const sizeBytes = byteLength(specText) + byteLength(canonicalJson(rest)) + ',"spec":'.length;
  return { machineConfig, sizeBytes };
}

/** Makes the garbage collector delete rendered configs with their pool. Offline the pool has no UID to refer to. */
function ownerReference({ metadata }: MachineConfigPool): OwnerReference | undefined {
  if (metadata.uid === undefined) return undefined;
  return controllerReference(machineConfigPoolKind, metadata);
}

function referenceTo({ metadata }: MachineConfig): ObjectReference {
  return { apiVersion: apiVersionOf(machineConfigKind), kind: machineConfigKind.kind, name: metadata.name };
}

function sizeProblems({ metadata }: MachineConfig, sizeBytes: number): readonly SourceProblem[] {
  if (sizeBytes <= MAX_RENDERED_BYTES) return [];
  const message = `size validation failed: rendered MachineConfig ${metadata.name} is too large (${sizeBytes} bytes, max ${MAX_RENDERED_BYTES} bytes). This will exceed etcd's size limit. Consider reducing the number or size of MachineConfigs, particularly large registry mirror configurations (ImageDigestMirrorSet/ImageContentSourcePolicy)`;
  return [{ path: '', message }];
}

function sizeWarnings(sizeBytes: number): readonly SourceProblem[] {
  if (sizeBytes <= LARGE_RENDERED_BYTES) return [];
  const percent = Math.floor((sizeBytes / MAX_RENDERED_BYTES) * 100);
  const message = `the rendered MachineConfig takes ${sizeBytes} bytes, ${percent} % of the ${MAX_RENDERED_BYTES} that etcd can hold`;
  return [{ path: '', message }];
}
