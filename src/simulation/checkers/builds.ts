/**
 * A build claims only an image that was pushed, and stays what it has become. The builder deletes no image from the registry that a node or a
 * MachineOSConfig refers to. In the end every pool runs what its MachineOSConfig says, and of other builds little is left.
 */
import { stringAt } from '../../base/json-fields.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { LAG_MS } from './checker.ts';
import { bootedState } from './disk-contents.ts';
import { annotation, at, condition, type Json, nameOf, PREFIX, type StoredChange } from './observed-state.ts';

/** The one in use, and those that are kept to go back to. */
const MOST_BUILDS = 3;

export class Builds implements Checker {
  readonly name = 'builds';
  readonly #context: CheckerContext;
  /** By image, then by the key of an object that refers to it: since when it does. */
  readonly #users = new Map<string, Map<string, number>>();

  constructor(context: CheckerContext) {
    this.#context = context;
    context.cluster.registry.onRemoval((image) => this.#onRemoval(image));
  }

  onStored({ key, before, after }: StoredChange): void {
    if (key.startsWith(PREFIX.node)) this.#note(key, nodeImages(before), nodeImages(after));
    if (key.startsWith(PREFIX.osConfig)) {
      const [was, is] = [before, after].map((one) => stringAt(one, 'status', 'currentImagePullSpec'));
      this.#note(key, [was ?? ''], [is ?? '']);
      if (is !== was) this.#expectPushed(key, is ?? '');
    }
    if (key.startsWith(PREFIX.osBuild) && after !== undefined) this.#onBuild(key, before, after);
  }

  async atEnd(): Promise<void> {
    const { state, violate } = this.#context;
    for (const [pool, config] of state.osConfigs) {
      if (condition(config, 'Degraded')?.status === 'True')
        violate(`pool ${pool} is updated, and its MachineOSConfig says that it is degraded`);
      const builds = [...state.osBuilds.values()].filter(
        (build) => stringAt(build, 'spec', 'machineOSConfig', 'name') === pool,
      );
      if (builds.length > MOST_BUILDS) violate(`pool ${pool} has ${builds.length} MachineOSBuilds`);
      for (const [name] of state.members(pool)) await this.#compareBooted(name, pool);
    }
  }

  /** What was built is what is declared now: not only some image of the pool. */
  async #compareBooted(name: string, pool: string): Promise<void> {
    const { cluster, state, violate } = this.#context;
    const machine = cluster.machines.get(name);
    if (machine === undefined) return;
    const { image } = await bootedState(machine.disk);
    const built = cluster.registry.built.get(image);
    if (built === undefined) return violate(`${name} has booted ${image}, which the registry does not have`);
    const config = stringAt(state.pools.get(pool), 'spec', 'configuration', 'name');
    const base = stringAt(state.configs.get(config), 'spec', 'osImageURL');
    if (built.base !== base) violate(`${name} runs an image on ${built.base}, and its pool has ${base}`);
    const files = at(state.osConfigs.get(pool), 'spec', 'containerFile');
    const content = stringAt(Array.isArray(files) ? files[0] : undefined, 'content');
    if (!built.containerfile.includes(content))
      violate(`${name} runs an image of another Containerfile than its MachineOSConfig has`);
  }

  #onBuild(key: string, before: Json | undefined, after: Json): void {
    const { violate } = this.#context;
    const isSame = stringAt(before, 'metadata', 'uid') === stringAt(after, 'metadata', 'uid');
    const [was, is] = [before, after].map((one) => stringAt(one, 'status', 'digestedImagePushSpec'));
    const hasSucceeded = condition(after, 'Succeeded')?.status === 'True';
    if (isSame && condition(before, 'Succeeded')?.status === 'True') {
      if (!hasSucceeded) violate(`${nameOf(key)} has succeeded, and no longer says so`);
      if (was !== is) violate(`${nameOf(key)} has succeeded with ${was}, and now names ${is}`);
    } else if (hasSucceeded && is === '') violate(`${nameOf(key)} has succeeded without an image`);
    if (was !== is) this.#expectPushed(key, is ?? '');
  }

  #expectPushed(key: string, image: string): void {
    if (image !== '' && !this.#context.cluster.registry.everBuilt.has(image))
      this.#context.violate(`${key} names ${image}, which nobody has pushed`);
  }

  #note(key: string, was: readonly string[], is: readonly string[]): void {
    for (const image of was) if (!is.includes(image)) this.#users.get(image)?.delete(key);
    for (const image of is) {
      if (image === '' || was.includes(image)) continue;
      const users = this.#users.get(image) ?? new Map<string, number>();
      this.#users.set(image, users.set(key, this.#nowMs()));
    }
  }

  /** Of one that has come to use an image only now the builder cannot know. */
  #onRemoval(image: string): void {
    for (const [key, sinceMs] of this.#users.get(image) ?? []) {
      if (this.#nowMs() - sinceMs > LAG_MS)
        this.#context.violate(`the builder deletes ${image}, which ${key} refers to`);
    }
  }

  #nowMs(): number {
    return this.#context.cluster.clock.monotonic();
  }
}

function nodeImages(node: Json | undefined): readonly string[] {
  return [annotation(node, 'currentImage'), annotation(node, 'desiredImage')];
}
