/**
 * Whether the controller prunes the rendered configs of a pool: the annotation `millwright.dev/prune-rendered-configs` of the pool,
 * else of the MachineConfiguration `cluster`. Without it nothing is ever deleted, as upstream.
 */
import { annotations } from '../../api/index.ts';
import { quoted } from '../../base/text/index.ts';
import { annotationOf, type ObjectMeta } from '../../kubernetes/meta/index.ts';

export type PruneSetting =
  | { readonly kind: 'off' }
  /** How many of the newest configs are kept. */
  | { readonly kind: 'keep'; readonly count: number }
  /** Nothing is deleted. `of`: whose annotation it is. */
  | { readonly kind: 'invalid'; readonly of: 'pool' | 'cluster'; readonly message: string };

type Annotated = { readonly metadata: ObjectMeta };

const NEVER = 'never';
const MAX_KEPT = 1000;

export function pruneSetting(pool: Annotated, cluster: Annotated | undefined): PruneSetting {
  const ofPool = annotationOf(pool, annotations.pruneRenderedConfigs);
  const value = ofPool ?? (cluster && annotationOf(cluster, annotations.pruneRenderedConfigs));
  if (value === undefined || value === NEVER) return { kind: 'off' };
  const count = /^\d{1,4}$/.test(value) ? Number(value) : Number.NaN;
  if (count <= MAX_KEPT) return { kind: 'keep', count };
  const message = `annotation ${annotations.pruneRenderedConfigs} is ${quoted(value.slice(0, 100))}: write how many of the newest rendered configs are kept, 0 to ${MAX_KEPT}, or ${NEVER}; until then nothing is pruned`;
  return { kind: 'invalid', of: ofPool === undefined ? 'cluster' : 'pool', message };
}
