/**
 * The objects of a simulated cluster as they are stored, and since when, for checkers.
 */
import { stringAt } from '../../base/json-fields.ts';
import type { StoreEvent } from '../../embedded/apiserver/index.ts';

export type Json = { readonly [key: string]: unknown };

export type StoredChange = {
  readonly revision: number;
  /** `/nodes/worker-0`, `machineconfiguration.openshift.io/machineconfigpools/worker` */
  readonly key: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
};

export const PREFIX = {
  node: '/nodes/',
  pod: '/pods/',
  pool: 'machineconfiguration.openshift.io/machineconfigpools/',
  config: 'machineconfiguration.openshift.io/machineconfigs/',
  machineConfigNode: 'machineconfiguration.openshift.io/machineconfignodes/',
  osConfig: 'machineconfiguration.openshift.io/machineosconfigs/',
  osBuild: 'machineconfiguration.openshift.io/machineosbuilds/',
} as const;

/** The config of a machine that never had one: there is none of this name. */
export const EMPTY = 'mco-empty-mc';

const WATCHED: readonly string[] = Object.values(PREFIX);
const MC = 'machineconfiguration.openshift.io';

export class ObservedState {
  readonly nodes = new Map<string, Json>();
  readonly pools = new Map<string, Json>();
  readonly configs = new Map<string, Json>();
  /** MachineConfigs that were deleted, as they were last. */
  readonly formerConfigs = new Map<string, Json>();
  readonly pods = new Map<string, Json>();
  /** MachineOSConfigs have the names of their pools. */
  readonly osConfigs = new Map<string, Json>();
  readonly osBuilds = new Map<string, Json>();
  readonly #byPrefix: readonly (readonly [prefix: string, objects: Map<string, Json>])[] = [
    [PREFIX.node, this.nodes],
    [PREFIX.pool, this.pools],
    [PREFIX.config, this.configs],
    [PREFIX.pod, this.pods],
    [PREFIX.osConfig, this.osConfigs],
    [PREFIX.osBuild, this.osBuilds],
  ];

  /** Undefined for what no checker looks at. */
  changeOf(event: StoreEvent): StoredChange | undefined {
    if (!WATCHED.some((prefix) => event.key.startsWith(prefix))) return undefined;
    const { revision, key } = event;
    const known = this.#objects(key)?.objects.get(nameOf(key));
    const before = known ?? (event.previous === undefined ? undefined : parsed(event.previous.value));
    return { revision, key, before, after: event.kind === 'put' ? parsed(event.value) : undefined };
  }

  take({ key, before, after }: StoredChange): void {
    if (key.startsWith(PREFIX.config) && after === undefined && before !== undefined)
      this.formerConfigs.set(nameOf(key), before);
    const found = this.#objects(key);
    if (found === undefined) return;
    if (after === undefined) found.objects.delete(nameOf(key));
    else found.objects.set(nameOf(key), after);
  }

  /** By the labels of its roles: a custom pool, where there is one, then master, then worker. */
  poolOf(node: Json): string {
    const labels = at(node, 'metadata', 'labels');
    const has = (role: string) => isJson(labels) && `node-role.kubernetes.io/${role}` in labels;
    if (has('master') || has('control-plane')) return 'master';
    const custom = [...this.pools.keys()].find((name) => !BUILT_IN.includes(name) && has(name));
    return custom ?? 'worker';
  }

  members(pool: string): readonly (readonly [name: string, node: Json])[] {
    return [...this.nodes].filter(([, node]) => this.poolOf(node) === pool);
  }

  /** The image that a pool's MachineOSConfig names; empty without one. */
  builtImage(pool: string): string {
    return stringAt(this.osConfigs.get(pool), 'status', 'currentImagePullSpec');
  }

  #objects(key: string): { readonly objects: Map<string, Json> } | undefined {
    const found = this.#byPrefix.find(([prefix]) => key.startsWith(prefix));
    return found === undefined ? undefined : { objects: found[1] };
  }
}

const BUILT_IN: readonly string[] = ['master', 'worker', 'arbiter'];

/** `/nodes/worker-0` → `worker-0`; of pods with their namespace, which is all that follows. */
export function nameOf(key: string): string {
  const prefix = WATCHED.find((one) => key.startsWith(one)) ?? '';
  return key.slice(prefix.length);
}

export function annotation(object: Json | undefined, key: string): string {
  const value = at(object, 'metadata', 'annotations', key.includes('/') ? key : `${MC}/${key}`);
  return typeof value === 'string' ? value : '';
}

/** The config that a node should have or claims to have, and behind it the image, where its pool builds one. */
export function target(node: Json | undefined, which: 'desired' | 'current'): string {
  return [annotation(node, `${which}Config`), annotation(node, `${which}Image`)].join(' ').trim();
}

export function isCordoned(node: Json | undefined): boolean {
  return at(node, 'spec', 'unschedulable') === true;
}

/** What the drain controller has recorded on the node. */
export function drainRecord(node: Json | undefined): Json | undefined {
  const text = annotation(node, 'millwright.dev/drain');
  const record: unknown = text === '' ? undefined : JSON.parse(text);
  return isJson(record) ? record : undefined;
}

export function isCordonedByUs(node: Json): boolean {
  return isCordoned(node) && drainRecord(node)?.cordonedBy === 'millwright';
}

export function condition(object: Json | undefined, type: string): Json | undefined {
  const conditions = at(object, 'status', 'conditions');
  const found = Array.isArray(conditions)
    ? conditions.find((one: unknown) => isJson(one) && one.type === type)
    : undefined;
  return isJson(found) ? found : undefined;
}

export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => (isJson(found) ? found[key] : undefined), value);
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(bytes: Uint8Array): Json {
  // The store holds what the server wrote: JSON.
  return JSON.parse(decoder.decode(bytes)) as Json;
}

const decoder = new TextDecoder();
