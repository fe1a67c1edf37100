/**
 * Publishes a rendering: the rendered MachineConfig, the pool that targets it, or why there is none.
 *
 * What is there already is not written again. A rendered MachineConfig that somebody changed is put back: its name is a
 * digest of its content, and nodes go by the name.
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
import type { Rendering } from '../config/render/index.ts';
import { type Cache, type EventSubject, isAlreadyExists } from '../kubernetes/client/index.ts';
import { apiVersionOf } from '../kubernetes/meta/index.ts';
import type { Context } from './context.ts';
import { subjectOf } from './rollout-events.ts';

export const RENDER_COMPONENT = 'machineconfigcontroller-rendercontroller';

type Seen = { readonly machineConfigs: Cache<MachineConfig> };

/** Whether all that follows from the rendering stands there already. */
export function isPublished(seen: Seen, pool: MachineConfigPool, rendering: Rendering): boolean {
  const problem = pool.metadata.annotations?.[annotations.renderProblem];
  switch (rendering.kind) {
    case 'ignored':
      return false;
    case 'refused':
      return problem === problemText(pool, rendering.message);
    case 'rendered': {
      const existing = seen.machineConfigs.get({ name: rendering.machineConfig.metadata.name });
      const isKept =
        existing !== undefined && holds(existing, rendering.machineConfig) && isOwnedBy(existing, pool);
      return problem === undefined && isKept && isTargeted(pool, rendering);
    }
  }
}

function isTargeted({ spec }: MachineConfigPool, rendering: RenderedKind): boolean {
  return jsonEqual(spec.configuration, configurationOf(rendering));
}

function configurationOf({ machineConfig, sources }: RenderedKind) {
  return { name: machineConfig.metadata.name, source: sources };
}

/** Whether it says what was rendered: its name is a digest of that, and nodes go by the name. */
function holds(existing: MachineConfig, rendered: MachineConfig): boolean {
  const present: { readonly [field: string]: unknown } = existing.spec ?? {};
  return Object.entries(rendered.spec ?? {}).every(([field, value]) => jsonEqual(present[field], value));
}

/** A pool that was deleted and made anew under its name is another owner: what belongs to the dead one is collected. */
function isOwnedBy({ metadata }: MachineConfig, { metadata: { name, uid } }: MachineConfigPool): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => owner.name === name && owner.uid === uid);
}

type RenderedKind = Extract<Rendering, { readonly kind: 'rendered' }>;
type Publication = { readonly pool: MachineConfigPool; readonly rendering: Rendering };

export async function publish(context: Context, seen: Seen, { pool, rendering }: Publication): Promise<void> {
  switch (rendering.kind) {
    case 'ignored':
      context.eventsOf(RENDER_COMPONENT).warning(subjectOf(pool), rendering.reason, rendering.message);
      return;
    case 'refused':
      return await tellProblem(context, pool, rendering);
    case 'rendered':
      return await publishRendered(context, seen, { pool, rendering });
  }
}

type PublishedRendering = { readonly pool: MachineConfigPool; readonly rendering: RenderedKind };

async function publishRendered(
  context: Context,
  { machineConfigs }: Seen,
  { pool, rendering }: PublishedRendering,
): Promise<void> {
  const { machineConfig } = rendering;
  const { name } = machineConfig.metadata;
  const existing = machineConfigs.get({ name });
  if (existing === undefined) await makeRendered(context, pool, machineConfig);
  else if (!holds(existing, machineConfig)) {
    await context.kube.update(machineConfigKind, { ...existing, spec: machineConfig.spec });
    context.env.log.warn('a rendered config was changed by somebody and is put back', { config: name });
  }
  if (existing !== undefined && !isOwnedBy(existing, pool)) {
    const { ownerReferences } = machineConfig.metadata;
    const body = { metadata: { uid: existing.metadata.uid, ownerReferences } };
    await context.kube.patch(machineConfigKind, { name }, { type: 'merge', body });
  }
  const hasProblem = pool.metadata.annotations?.[annotations.renderProblem] !== undefined;
  if (isTargeted(pool, rendering) && !hasProblem) return;
  await patchPool(context, pool, {
    metadata: { annotations: { [annotations.renderProblem]: null } },
    spec: { configuration: configurationOf(rendering) },
  });
  if (!isTargeted(pool, rendering))
    context.env.log.info('pool now targets', { pool: pool.metadata.name, config: name });
}

async function makeRendered(
  context: Context,
  pool: MachineConfigPool,
  rendered: MachineConfig,
): Promise<void> {
  const { kube, release } = context;
  try {
    await kube.create(machineConfigKind, rendered);
  } catch (error) {
    // Its name is a digest of its content: whoever made it made the same.
    if (isAlreadyExists(error)) return;
    throw error;
  }
  const about = `(release version: ${release.releaseVersion}, controller version: ${release.controllerVersion})`;
  const message = `${rendered.metadata.name} successfully generated ${about}`;
  context.eventsOf(RENDER_COMPONENT).normal(subjectOf(pool), 'RenderedConfigGenerated', message);
}

/** A pool says on how many of its sources it founders; so many of them are told themselves. */
const MAX_TOLD_SOURCES = 10;

async function tellProblem(
  context: Context,
  pool: MachineConfigPool,
  { message, problems }: Extract<Rendering, { readonly kind: 'refused' }>,
): Promise<void> {
  const problem = problemText(pool, message);
  if (pool.metadata.annotations?.[annotations.renderProblem] === problem) return;
  await patchPool(context, pool, { metadata: { annotations: { [annotations.renderProblem]: problem } } });
  const kept = pool.spec.configuration?.name ?? '';
  const until = kept === '' ? 'has no configuration' : `keeps ${kept}`;
  const bySource = new Map(problems.map((one) => [one.source, one] as const));
  bySource.delete(undefined);
  for (const [source = '', one] of [...bySource].slice(0, MAX_TOLD_SOURCES)) {
    const what = one.discreet ?? one.text ?? formatProblem(one);
    const text = `${what.trimEnd()}: change or delete this MachineConfig; until then pool ${pool.metadata.name} ${until}`;
    context.eventsOf(RENDER_COMPONENT).warning(configSubject(source), 'InvalidMachineConfig', text);
  }
}

/** In the words of the pool's condition. */
function problemText({ metadata }: MachineConfigPool, message: string): string {
  return `Failed to render configuration for pool ${metadata.name}: ${message}`;
}

/** Only this very pool: one that was made anew under its name has other sources. */
async function patchPool({ kube }: Context, pool: MachineConfigPool, patch: object): Promise<void> {
  const metadata = 'metadata' in patch && typeof patch.metadata === 'object' ? patch.metadata : {};
  const body = { ...patch, metadata: { ...metadata, uid: pool.metadata.uid } };
  await kube.patch(machineConfigPoolKind, { name: pool.metadata.name }, { type: 'merge', body });
}

export function configSubject(name: string): EventSubject {
  return { apiVersion: apiVersionOf(machineConfigKind), kind: machineConfigKind.kind, name };
}
