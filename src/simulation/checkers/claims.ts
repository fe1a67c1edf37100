/**
 * A node claims no config that its disk does not hold and no OS image that it has not booted, and a pool claims Updated only where its nodes are.
 */
import { stringAt } from '../../base/json-fields.ts';
import type { SimulatedMachine } from '../cluster/machine.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { LAG_MS } from './checker.ts';
import { bootedState, differenceOnDisk } from './disk-contents.ts';
import {
  annotation,
  at,
  condition,
  EMPTY,
  type Json,
  nameOf,
  PREFIX,
  type StoredChange,
  target,
} from './observed-state.ts';

export class Claims implements Checker {
  readonly name = 'claims';
  readonly #context: CheckerContext;
  /** By node: since when it has had its config, its image and its pool. */
  readonly #sinceMs = new Map<string, number>();
  /** By pool: since when its MachineOSConfig has named its image, or has been gone. */
  readonly #imageSinceMs = new Map<string, number>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  onStored(change: StoredChange): void {
    if (change.key.startsWith(PREFIX.node)) this.#onNode(change);
    if (change.key.startsWith(PREFIX.machineConfigNode)) this.#onMachineConfigNode(change);
    if (change.key.startsWith(PREFIX.osConfig)) this.#onOsConfig(change);
    if (change.key.startsWith(PREFIX.pool)) this.#onPool(change);
  }

  async atEnd(): Promise<void> {
    const { state } = this.#context;
    for (const [name, node] of state.nodes)
      await this.#compare(name, annotation(node, 'currentConfig'), annotation(node, 'currentImage'));
  }

  #onNode({ key, before, after }: StoredChange): void {
    const name = nameOf(key);
    const { state } = this.#context;
    const isClaimed = target(before, 'current') !== target(after, 'current');
    const isMoved =
      before !== undefined && after !== undefined && state.poolOf(before) !== state.poolOf(after);
    if (isClaimed || isMoved || after === undefined) this.#sinceMs.set(name, this.#nowMs());
    const [config, image] = [annotation(after, 'currentConfig'), annotation(after, 'currentImage')];
    if (config !== '' && isClaimed) this.#whenRead(this.#compare(name, config, image));
  }

  #onMachineConfigNode({ key, before, after }: StoredChange): void {
    const [was, is] = [before, after].map((object) =>
      stringAt(object, 'status', 'configImage', 'currentImage'),
    );
    const machine = this.#context.cluster.machines.get(nameOf(key));
    if (machine !== undefined && !isOff(machine) && is !== undefined && is !== '' && was !== is)
      this.#whenRead(this.#compareImage(machine, is));
  }

  async #compareImage(machine: SimulatedMachine, image: string): Promise<void> {
    const booted = await bootedState(machine.disk);
    if (booted.image !== image)
      this.#context.violate(
        `the MachineConfigNode of ${machine.name} claims ${image}, and it has booted ${booted.image}`,
      );
  }

  #whenRead(comparison: Promise<void>): void {
    comparison.catch((error: unknown) => this.#context.violate(String(error)));
  }

  async #compare(name: string, claimed: string, image: string): Promise<void> {
    const { state, cluster, violate } = this.#context;
    const machine = cluster.machines.get(name);
    if (machine === undefined || isOff(machine) || claimed === EMPTY || claimed === '') return;
    const object = state.configs.get(claimed) ?? this.#ofDeletedPool(claimed);
    if (object === undefined) return violate(`${name} claims ${claimed}, which does not exist`);
    const built = cluster.registry.everBuilt.get(image);
    const base = stringAt(object, 'spec', 'osImageURL');
    if (built !== undefined && built.base !== base)
      violate(`${name} claims ${claimed} on ${base}, with an image on ${built.base}`);
    const problem = await differenceOnDisk(machine, object, image);
    if (problem !== undefined) violate(`${name} claims ${claimed}, and ${problem}`);
  }

  /** With its pool go its rendered configs, also while a node boots into one of them: the claim is true, and the next config is on its way. */
  #ofDeletedPool(config: string): Json | undefined {
    const { state } = this.#context;
    const former = state.formerConfigs.get(config);
    const owners = at(former, 'metadata', 'ownerReferences');
    const owner = stringAt(Array.isArray(owners) ? owners[0] : undefined, 'name');
    return owner === '' || state.pools.has(owner) ? undefined : former;
  }

  #onOsConfig({ key, before, after }: StoredChange): void {
    const imageOf = (object: StoredChange['after']) => stringAt(object, 'status', 'currentImagePullSpec');
    if (before === undefined || after === undefined || imageOf(before) !== imageOf(after))
      this.#imageSinceMs.set(nameOf(key), this.#nowMs());
  }

  #onPool({ key, after }: StoredChange): void {
    if (condition(after, 'Updated')?.status !== 'True') return;
    const { state, violate } = this.#context;
    const pool = nameOf(key);
    const config = at(after, 'status', 'configuration', 'name');
    const image = state.builtImage(pool);
    const isImageSettled = this.#isSettled(this.#imageSinceMs, pool);
    for (const [name, node] of state.members(pool)) {
      if (!this.#isSettled(this.#sinceMs, name)) continue;
      const [current, running] = [annotation(node, 'currentConfig'), annotation(node, 'currentImage')];
      // It joins: its daemon has not said anything yet.
      if (current === '') continue;
      if (current !== config)
        violate(`${pool} claims Updated for ${String(config)}, and ${name} has ${current}`);
      if (isImageSettled && running !== image)
        violate(`${pool} claims Updated with the image "${image}", and ${name} has "${running}"`);
      if (isImageSettled && state.osConfigs.has(pool) && image === '')
        violate(`${pool} claims Updated, and its image is not built yet`);
    }
  }

  /** What a controller knows may be old. */
  #isSettled(sinceMs: ReadonlyMap<string, number>, name: string): boolean {
    return this.#nowMs() - (sinceMs.get(name) ?? 0) > LAG_MS;
  }

  #nowMs(): number {
    return this.#context.cluster.clock.monotonic();
  }
}

/** What it has claimed was late on its way. Its disk cannot be read; the claim is compared in the end. */
function isOff({ isUp }: SimulatedMachine): boolean {
  return !isUp;
}
