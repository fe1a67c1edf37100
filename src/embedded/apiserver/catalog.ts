/** The served resources: the built-in ones and those of established CustomResourceDefinitions. */
import type { JsonObject } from '../../base/json.ts';
import type { Resource } from '../resources/index.ts';
import type { Revision } from './store/store.ts';

/** The resources of one CustomResourceDefinition. */
type CustomResources = {
  readonly definition: JsonObject;
  readonly resources: readonly Resource[];
  readonly since: Revision;
  /** Objects written since then conform to the current schemas and need no conversion. */
  readonly unchangedSince: Revision;
  /** The CustomResourceDefinition is being deleted: no new objects. */
  readonly isTerminating: boolean;
};

export class Catalog {
  readonly #builtins: readonly Resource[];
  readonly #builtinGroups: ReadonlySet<string>;
  readonly #custom = new Map<string, CustomResources>();
  #all: readonly Resource[];
  #byPath: ReadonlyMap<string, Resource>;
  #definitions: ReadonlyMap<Resource, CustomResources> = new Map();

  constructor(builtins: readonly Resource[]) {
    this.#builtins = builtins;
    this.#builtinGroups = new Set(builtins.map(({ group }) => group));
    this.#all = builtins;
    this.#byPath = byPath(builtins);
  }

  /** The list is the same array until something changes, so results can be cached by it. */
  all(): readonly Resource[] {
    return this.#all;
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** Unknown paths of built-in groups are answered with a Status, others with plain text. */
  isBuiltinGroup(group: string): boolean {
    return this.#builtinGroups.has(group);
  }

  customOf(resource: Resource): CustomResources | undefined {
    return this.#definitions.get(resource);
  }

  custom(definition: string): CustomResources | undefined {
    return this.#custom.get(definition);
  }

  setCustom(definition: string, custom: CustomResources | undefined): void {
    if (custom === undefined) {
      if (!this.#custom.delete(definition)) return;
    } else this.#custom.set(definition, custom);
    // Sorted by name, so that discovery does not depend on the order of creation.
    const customs = [...this.#custom].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    this.#all = [...this.#builtins, ...customs.flatMap(({ resources }) => resources)];
    this.#byPath = byPath(this.#all);
    this.#definitions = new Map(
      customs.flatMap((one) => one.resources.map((resource) => [resource, one] as const)),
    );
  }
}

function byPath(resources: readonly Resource[]): ReadonlyMap<string, Resource> {
  return new Map(resources.map((one) => [`${one.group}/${one.version}/${one.plural}`, one]));
}
