/**
 * The cluster that a change is simulated on: a live one, a dump of one, or manifests.
 *
 * Of a live one it reads what `plan` reads, and all pods and disruption budgets: how long a drain takes depends on them.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pinnedImageSet, SANDBOX_TIMES_CONFIG_MAP } from '../../api/index.ts';
import { systemClock } from '../../base/env.ts';
import { type ClusterSnapshot, clusterSnapshot } from '../../insight/index.ts';
import { configMap, pod, podDisruptionBudget } from '../../kubernetes/types/index.ts';
import { DUMP_FILE } from '../doctor/dump-files.ts';
import { isManifest } from '../doctor/find-dump-files.ts';
import { type NamespaceOptions, namespaceOrUsual } from '../namespace-option.ts';
import type { ClusterSession } from '../objects/cluster-session.ts';
import { readConfigs } from '../plan/plan-sources.ts';
import { readPresent } from '../plan/read-present.ts';
import type { Ports } from '../ports.ts';
import { inUsualNamespace } from './usual-namespace.ts';

export type SimulateSources = {
  readonly snapshot: ClusterSnapshot;
  /** Of the components. */
  readonly namespace: string;
  /** Kinds that the user may not read, as their plurals. */
  readonly unread: readonly string[];
};

/** Throws as the session does. */
export async function readLiveCluster(
  session: ClusterSession,
  options: NamespaceOptions,
): Promise<SimulateSources> {
  const { reader, namespace } = await readConfigs(session, options);
  await reader.read([
    { kind: configMap, namespace, fieldSelector: `metadata.name=${SANDBOX_TIMES_CONFIG_MAP}` },
    // Nothing of them is rehearsed, but a change of one has to be told from a new one.
    { kind: pinnedImageSet },
    { kind: podDisruptionBudget },
    { kind: pod },
  ]);
  return { snapshot: reader.snapshot(), namespace, unread: reader.unread() };
}

/** Throws a `Failure` where a path cannot be used. */
export async function readOffline(
  from: readonly string[],
  options: NamespaceOptions,
  ports: Ports,
): Promise<SimulateSources | undefined> {
  const [only] = from;
  if (from.length === 1 && only !== undefined && isDump(resolve(ports.cwd, only))) {
    const { readDump } = await import('../doctor/read-dump.ts');
    return await readDump({ ...options, from: only }, ports, 'simulation');
  }
  const namespace = namespaceOrUsual(options);
  const objects = await readPresent(from, { ports, namespace, purpose: 'simulation' });
  if (objects === undefined) return undefined;
  return {
    snapshot: clusterSnapshot({
      ...{ nowMs: systemClock.now(), kinds: [] },
      objects: objects.map(inUsualNamespace),
    }),
    ...{ namespace, unread: [] },
  };
}

/** Of must-gathers, in which it may be a level below. */
const LAYOUT = ['cluster-scoped-resources', DUMP_FILE];

function isDump(path: string): boolean {
  if (!existsSync(path)) return false;
  if (!statSync(path).isDirectory()) return !isManifest(path);
  const isLaidOut = (folder: string) => LAYOUT.some((name) => existsSync(join(folder, name)));
  return isLaidOut(path) || readdirSync(path).some((name) => isLaidOut(join(path, name)));
}
