/**
 * The same sources have one rendered name, and a name stands for one content. What people created is deleted by people alone, and pods are
 * evicted, never deleted, by us. A node that is gone leaves no MachineConfigNode behind.
 */
import { canonicalJson } from '../../base/json.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { at, nameOf, PREFIX, type StoredChange } from './observed-state.ts';

/** Events that a cluster may have in the end, for each node and object of ours. */
const MOST_EVENTS = 5_000;

export class Objects implements Checker {
  readonly name = 'objects';
  readonly #context: CheckerContext;
  /** Contents by name, and names by pool and content. */
  readonly #contents = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  onStored({ key, before, after }: StoredChange): void {
    const { people, violate } = this.#context;
    if (after === undefined && before !== undefined && people.created.has(key))
      violate(`${key} is gone, and nobody deleted it`);
    if (!key.startsWith(PREFIX.config) || after === undefined) return;
    const name = nameOf(key);
    const pool = /^rendered-(.+)-[0-9a-f]{32}$/.exec(name)?.[1];
    if (pool === undefined) return;
    const content = `${pool} ${canonicalJson(at(after, 'spec') ?? null)}`;
    const known = this.#contents.get(name) ?? content;
    if (known !== content) violate(`${name} stands for two contents`);
    const other = this.#names.get(content) ?? name;
    if (other !== name) violate(`${other} and ${name} have the same content`);
    this.#contents.set(name, content);
    this.#names.set(content, name);
  }

  onRequest({ method, path }: { readonly method: string; readonly path: string }, actor: string): void {
    if (actor === 'administrator' || method !== 'DELETE' || !/\/pods\/[^/]+$/.test(path)) return;
    this.#context.violate(`${actor} deletes a pod instead of evicting it: ${path}`);
  }

  atEnd(): void {
    const { cluster, state, violate } = this.#context;
    const count = (prefix: string) => {
      const page = cluster.store.range({ prefix });
      return page.kind === 'page' ? page.entries : [];
    };
    for (const { key } of count(PREFIX.machineConfigNode)) {
      if (!state.nodes.has(nameOf(key)))
        violate(`${nameOf(key)} is gone, and its MachineConfigNode is there`);
    }
    for (const name of state.nodes.keys()) {
      if (cluster.store.get(`${PREFIX.machineConfigNode}${name}`) === undefined)
        violate(`${name} has no MachineConfigNode`);
    }
    const events = count('/events/').length;
    if (events > MOST_EVENTS) violate(`there are ${events} events`);
  }
}
