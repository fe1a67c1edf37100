/**
 * Publishes a rendering: the rendered MachineConfig and the pool that targets it, or the error.
 *
 * Only differences are written. A rendered MachineConfig that was modified is restored: its name is a digest of its
 * content, and nodes identify configurations by name.
 */
import {
  annotations,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../api/index.ts';
import { formatProblem } from '../base/errors.ts';
import { jsonEqual } from '../base/json.ts';
import { formatTimestamp } from '../base/text/index.ts';
import type { Rendering } from '../config/render/index.ts';
import { type Cache, type EventSubject, isAlreadyExists, isNotFound } from '../kubernetes/client/index.ts';
import { apiVersionOf } from '../kubernetes/meta/index.ts';
import type { RolloutEvent } from '../rollout/index.ts';
import type { Context } from './context.ts';
import { noteCompleted } from './metrics/sub-controller-state.ts';
import { record, subjectOf } from './rollout-events.ts';
import { WarningEvents } from './warning-events.ts';

const RENDER_COMPONENT = 'machineconfigcontroller-rendercontroller';

type PublishSources = { readonly machineConfigs: Cache<MachineConfig> };

/** Whether everything that follows from the rendering is written already. */
export function isPublished(sources: PublishSources, pool: MachineConfigPool, rendering: Rendering): boolean {
  const problem = pool.metadata.annotations?.[annotations.renderProblem];
  switch (rendering.kind) {
    case 'ignored':
      return false;
    case 'refused':
      return problem === problemText(pool, rendering.message);
    case 'rendered': {
      const existing = sources.machineConfigs.get({ name: rendering.machineConfig.metadata.name });
      const isKept =
        existing !== undefined &&
        holds(existing, rendering.machineConfig) &&
        isOwnedBy(existing, pool) &&
        outdatedAnnotations(existing, rendering.machineConfig) === undefined;
      return problem === undefined && isKept && isTargeted(pool, rendering);
    }
  }
}

function isTargeted({ spec }: MachineConfigPool, rendering: RenderedKind): boolean {
  return jsonEqual(spec.configuration, configurationOf(rendering));
}

/** What the pool will target. */
export function configurationOf({ machineConfig, sources }: RenderedKind) {
  return { name: machineConfig.metadata.name, source: sources };
}

/** Whether it has the rendered content. */
function holds(existing: MachineConfig, rendered: MachineConfig): boolean {
  const present: { readonly [field: string]: unknown } = existing.spec ?? {};
  return Object.entries(rendered.spec ?? {}).every(([field, value]) => jsonEqual(present[field], value));
}

/** A pool that was recreated under the same name is another owner: objects of the first one are garbage collected. */
function isOwnedBy({ metadata }: MachineConfig, { metadata: { name, uid } }: MachineConfigPool): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => owner.name === name && owner.uid === uid);
}

/**
 * The annotations to change so that they are those of the rendering, `null` for those that it does not have; undefined where
 * none is. The name follows from the content alone: after an upgrade that changes no content the rendered config stays, and
 * only its annotations show the new version.
 */
function outdatedAnnotations(
  { metadata: { annotations: present = {} } }: MachineConfig,
  { metadata: { annotations: wanted = {} } }: MachineConfig,
): { readonly [key: string]: string | null } | undefined {
  const changed = RENDERED_ANNOTATIONS.filter((key) => present[key] !== wanted[key]);
  return changed.length === 0
    ? undefined
    : Object.fromEntries(changed.map((key) => [key, wanted[key] ?? null]));
}

const RENDERED_ANNOTATIONS: readonly string[] = [
  annotations.generatedByControllerVersion,
  annotations.releaseImageVersion,
  annotations.osImageURLOverridden,
  annotations.skipPreflight,
];

type RenderedKind = Extract<Rendering, { readonly kind: 'rendered' }>;
type Publication = { readonly pool: MachineConfigPool; readonly rendering: Rendering };

/** The pool as it was written; `undefined` where it was not. */
export async function publish(
  context: Context,
  sources: PublishSources,
  { pool, rendering }: Publication,
): Promise<MachineConfigPool | undefined> {
  switch (rendering.kind) {
    case 'ignored':
      context.eventsOf(RENDER_COMPONENT).warning(subjectOf(pool), rendering.reason, rendering.message);
      return undefined;
    case 'refused':
      return await reportProblem(context, { pool, machineConfigs: sources.machineConfigs }, rendering);
    case 'rendered':
      return await publishRendered(context, sources, { pool, rendering });
  }
}

type PublishedRendering = { readonly pool: MachineConfigPool; readonly rendering: RenderedKind };

async function publishRendered(
  context: Context,
  { machineConfigs }: PublishSources,
  { pool, rendering }: PublishedRendering,
): Promise<MachineConfigPool | undefined> {
  const { machineConfig } = rendering;
  const { name } = machineConfig.metadata;
  const existing = machineConfigs.get({ name });
  const isNew = existing === undefined && (await createRendered(context, pool, rendering));
  if (existing !== undefined && !holds(existing, machineConfig)) {
    await context.kube.update(machineConfigKind, { ...existing, spec: machineConfig.spec });
    context.env.log.warn('rendered config was modified; restored', { config: name });
  }
  if (existing !== undefined) await refreshMetadata(context, pool, { existing, machineConfig });
  if (pool.spec.configuration?.name !== name) await markMove(context, pool, { rendering, isNew });
  const hasProblem = pool.metadata.annotations?.[annotations.renderProblem] !== undefined;
  if (isTargeted(pool, rendering) && !hasProblem) return undefined;
  const written = await patchPool(context, pool, {
    metadata: { annotations: { [annotations.renderProblem]: null } },
    spec: { configuration: configurationOf(rendering) },
  });
  if (!isTargeted(pool, rendering))
    context.env.log.info('pool target changed', { pool: pool.metadata.name, config: name });
  noteCompleted(context, 'render', pool.metadata.name);
  return written;
}

/**
 * The pool is about to be pointed from one rendered config to another: both get the time, so that neither is pruned now
 * (`pruning/prune-configs.ts`). Where the new one was deleted meanwhile, it is created again.
 */
async function markMove(
  context: Context,
  pool: MachineConfigPool,
  { rendering, isNew }: { readonly rendering: RenderedKind; readonly isNew: boolean },
): Promise<void> {
  const { name } = rendering.machineConfig.metadata;
  if (!isNew && !(await markTargeted(context, name))) await createRendered(context, pool, rendering);
  const former = pool.spec.configuration?.name ?? '';
  if (former !== '') await markTargeted(context, former);
}

/** Returns whether the config exists. */
async function markTargeted({ kube, env }: Context, name: string): Promise<boolean> {
  const metadata = { annotations: { [annotations.lastTargeted]: formatTimestamp(env.clock.now()) } };
  try {
    await kube.patch(machineConfigKind, { name }, { type: 'merge', body: { metadata } });
    return true;
  } catch (error) {
    if (isNotFound(error, name)) return false;
    throw error;
  }
}

type Refreshed = { readonly existing: MachineConfig; readonly machineConfig: MachineConfig };

/** Owner and annotations of a rendered config that exists already. */
async function refreshMetadata(
  { kube }: Context,
  pool: MachineConfigPool,
  { existing, machineConfig }: Refreshed,
): Promise<void> {
  const { name, ownerReferences } = machineConfig.metadata;
  const outdated = outdatedAnnotations(existing, machineConfig);
  const isOwned = isOwnedBy(existing, pool);
  if (isOwned && outdated === undefined) return;
  const metadata = {
    uid: existing.metadata.uid,
    ...(!isOwned && { ownerReferences }),
    ...(outdated !== undefined && { annotations: outdated }),
  };
  await kube.patch(machineConfigKind, { name }, { type: 'merge', body: { metadata } });
}

/** Returns whether it was not there yet. */
async function createRendered(
  context: Context,
  pool: MachineConfigPool,
  { machineConfig: rendered, isImageOverridden, defaultOsImage }: RenderedKind,
): Promise<boolean> {
  const { kube, release } = context;
  try {
    await kube.create(machineConfigKind, rendered);
  } catch (error) {
    // Its name is a digest of its content: the existing one is the same.
    if (isAlreadyExists(error)) return false;
    throw error;
  }
  const about = `(release version: ${release.releaseVersion}, controller version: ${release.controllerVersion})`;
  const { name } = rendered.metadata;
  const events = context.eventsOf(RENDER_COMPONENT);
  if (isImageOverridden) {
    const images = `(was: ${defaultOsImage} is: ${rendered.spec.osImageURL})`;
    const text = `OSImageURL was overridden via machineconfig in ${name} ${images}`;
    const about = { apiVersion: apiVersionOf(machineConfigKind), kind: machineConfigKind.kind, name };
    events.normal(about, 'OSImageURLOverridden', text);
  }
  events.normal(subjectOf(pool), 'RenderedConfigGenerated', `${name} successfully generated ${about}`);
  return true;
}

/** At most so many invalid sources get an event of their own; the pool reports how many there are. */
const MAX_REPORTED_SOURCES = 10;

async function reportProblem(
  context: Context,
  {
    pool,
    machineConfigs,
  }: { readonly pool: MachineConfigPool; readonly machineConfigs: Cache<MachineConfig> },
  { message, problems }: Extract<Rendering, { readonly kind: 'refused' }>,
): Promise<MachineConfigPool | undefined> {
  const problem = problemText(pool, message);
  if (pool.metadata.annotations?.[annotations.renderProblem] === problem) return undefined;
  const written = await patchPool(context, pool, {
    metadata: { annotations: { [annotations.renderProblem]: problem } },
  });
  const kept = pool.spec.configuration?.name ?? '';
  const until = kept === '' ? 'has no configuration' : `keeps ${kept}`;
  const named = problems.filter(({ source }) => source !== undefined);
  const sources = [...new Set(named.map(({ source }) => source))];
  for (const source of sources.slice(0, MAX_REPORTED_SOURCES)) {
    const [first, ...others] = named.filter((one) => one.source === source);
    if (first === undefined || source === undefined) continue;
    const what = (first.discreet ?? first.text ?? formatProblem(first)).trimEnd();
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    const text = `${what}${more}: change or delete this MachineConfig; until then pool ${pool.metadata.name} ${until}`;
    recordOnConfig(context, machineConfigs, source, { reason: 'InvalidMachineConfig', message: text });
  }
  return written;
}

/** Of one rendering; the command line shows all of them. */
const MAX_REPORTED_WARNINGS = 10;

/**
 * Reports the warnings of renderings as events on the MachineConfig that causes them, or on the pool where it is their sum: a
 * warning stops nothing, so nothing else would show it.
 */
export class RenderWarnings {
  readonly #context: Context;
  readonly #machineConfigs: Cache<MachineConfig>;
  readonly #events: WarningEvents;

  constructor(context: Context, machineConfigs: Cache<MachineConfig>) {
    this.#context = context;
    this.#machineConfigs = machineConfigs;
    this.#events = new WarningEvents(context.env.clock);
  }

  report(pool: MachineConfigPool, rendering: Rendering): void {
    if (rendering.kind !== 'rendered') return;
    const subjects = new Map<RolloutEvent, EventSubject>();
    for (const { source, ...warning } of rendering.warnings.slice(0, MAX_REPORTED_WARNINGS)) {
      const message = `${warning.discreet ?? formatProblem(warning)} (in pool ${pool.metadata.name})`;
      const event: RolloutEvent = { type: 'Warning', reason: 'ConfigWarning', message, isAdditional: true };
      subjects.set(
        event,
        source === undefined ? subjectOf(pool) : configSubject(this.#machineConfigs, source),
      );
    }
    for (const event of this.#events.due(pool.metadata.name, [...subjects.keys()])) {
      record(this.#context, subjects.get(event) ?? subjectOf(pool), event, RENDER_COMPONENT);
    }
  }
}

/** The message of the pool's condition RenderDegraded. */
function problemText({ metadata }: MachineConfigPool, message: string): string {
  return `Failed to render configuration for pool ${metadata.name}: ${message}`;
}

/** With its uid: a pool that was recreated under the same name has other sources. */
async function patchPool(
  { kube }: Context,
  pool: MachineConfigPool,
  patch: object,
): Promise<MachineConfigPool> {
  const metadata = 'metadata' in patch && typeof patch.metadata === 'object' ? patch.metadata : {};
  const body = { ...patch, metadata: { ...metadata, uid: pool.metadata.uid } };
  return await kube.patch(machineConfigPoolKind, { name: pool.metadata.name }, { type: 'merge', body });
}

/** A warning of ours about a MachineConfig, where `kubectl describe` shows it. */
export function recordOnConfig(
  context: Context,
  machineConfigs: Cache<MachineConfig>,
  name: string,
  { reason, message }: Pick<RolloutEvent, 'reason' | 'message'>,
): void {
  const event: RolloutEvent = { type: 'Warning', reason, message, isAdditional: true };
  record(context, configSubject(machineConfigs, name), event, RENDER_COMPONENT);
}

function configSubject(machineConfigs: Cache<MachineConfig>, name: string): EventSubject {
  const uid = machineConfigs.get({ name })?.metadata.uid;
  const about = { apiVersion: apiVersionOf(machineConfigKind), kind: machineConfigKind.kind, name };
  return uid === undefined ? about : { ...about, uid };
}
