/**
 * One node without a machine; see `modelled-nodes.ts`. Its daemon looks at the Node whenever that has changed, and does one thing at a time.
 */

import type { MachineConfigNode } from '../../api/index.ts';
import { annotations } from '../../api/index.ts';
import type { Random } from '../../base/env.ts';
import { annotationOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { initialAnnotations } from '../../node/daemon/index.ts';
import type { ConfigName, NodeConfig, Plan } from '../../node/plan/index.ts';
import type { ProgressEvent } from '../../node/report/index.ts';
import { drainProgress, drainState } from '../../rollout/index.ts';
import { between, randomOf } from '../seeded-random.ts';
import type { Ground } from './ground.ts';
import type { MachineTimes } from './machine.ts';

export type ModelledMachine = {
  readonly name: string;
  /** What its disk would hold. */
  readonly config: NodeConfig;
  readonly times: MachineTimes;
  readonly isUp: boolean;
};

export type PlannedUpdate =
  | { readonly kind: 'plan'; readonly to: NodeConfig; readonly plan: Plan }
  | { readonly kind: 'impossible'; readonly error: string };

/** What the nodes share. */
export interface NodeReports {
  node(name: string): Node | undefined;
  record(name: string): MachineConfigNode | undefined;
  /** Writes what the daemon would report. */
  report(name: string, progress: readonly ProgressEvent[]): Promise<void>;
  /** Writes the annotations alone: the record follows with the next report, which is to come at once. */
  announce(name: string, progress: readonly ProgressEvent[]): Promise<unknown>;
  annotate(name: string, changes: { readonly [key: string]: string }): Promise<void>;
  /** The same object for the same update. */
  planned(from: NodeConfig, wanted: ConfigName, node: Node): Promise<PlannedUpdate>;
}

const NO_PINNED_IMAGES: ProgressEvent = { kind: 'pinned-images', sets: [] };

/** Between attempts to pull from a registry that is down. */
const PULL_RETRY_MS = 10_000;

export class ModelledNode {
  readonly name: string;
  readonly isModelled = true;
  readonly #ground: Ground;
  readonly #nodes: NodeReports;
  readonly #times: MachineTimes;
  readonly #random: Random;
  readonly #powerListeners: ((isUp: boolean) => void)[] = [];
  #disk: NodeConfig;
  #isUp: boolean;
  #isGone: boolean = false;
  #isBusy: boolean = false;
  /** Its daemon has not said yet that it has started. */
  #hasRebooted: boolean = false;
  #hasChanged: boolean = false;
  /** The update that is prepared, and the image that is there for it. */
  #prepared: PlannedUpdate | undefined;
  #fetched = '';
  /** What the next report has to contain as well. */
  #pending: readonly ProgressEvent[] = [];

  constructor(ground: Ground, { name, config, times, isUp }: ModelledMachine, nodes: NodeReports) {
    this.name = name;
    this.#ground = ground;
    this.#nodes = nodes;
    this.#times = times;
    this.#random = randomOf(ground.seed, 'modelled node', name);
    this.#disk = config;
    this.#isUp = isUp;
  }

  get isUp(): boolean {
    return this.#isUp && !this.#isGone;
  }

  onPower(listener: (isUp: boolean) => void): void {
    this.#powerListeners.push(listener);
  }

  /** For good. */
  remove(): void {
    this.#isGone = true;
  }

  /** The Node may have changed. */
  look(): void {
    this.#hasChanged = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#work().catch((error: unknown) => {
      this.#ground.onBug(error instanceof Error ? error : new Error(String(error)));
    });
  }

  async #work(): Promise<void> {
    while (this.#hasChanged) {
      this.#hasChanged = false;
      const node = this.#nodes.node(this.name);
      if (node === undefined || !this.isUp) continue;
      // What it reports changes the Node, so that it looks again.
      await this.#step(node);
    }
    this.#isBusy = false;
  }

  async #step(node: Node): Promise<void> {
    if ((annotationOf(node, annotations.currentConfig) ?? '') === '') {
      return await this.#report({ kind: 'joined', annotations: initialAnnotations(this.#disk) });
    }
    const wanted = wantedBy(node);
    if (isSame(this.#disk, wanted)) return await this.#finish(node);
    const update = await this.#nodes.planned(this.#disk, wanted, node);
    if (update !== this.#prepared) return await this.#prepare(update, wanted);
    if (update.kind === 'plan') await this.#apply(node, update);
  }

  async #prepare(update: PlannedUpdate, { config: to }: ConfigName): Promise<void> {
    this.#prepared = update;
    const found: ProgressEvent = { kind: 'update-found', to };
    if (update.kind === 'impossible') {
      const { error } = update;
      return await this.#report(found, { kind: 'unreconcilable', from: this.#disk.name, to, error });
    }
    const { needsDrain } = update.plan;
    const next: ProgressEvent = needsDrain
      ? { kind: 'drain-requested', config: to }
      : { kind: 'drain-not-required' };
    const image = imageOf(update.plan);
    await this.#report(
      ...[found, { kind: 'prepared', needsDrain, to } as const],
      // It asks for its drain once it has the image.
      ...(image === undefined ? [next] : []),
    );
  }

  async #apply(node: Node, { plan, to }: Extract<PlannedUpdate, { kind: 'plan' }>): Promise<void> {
    const image = imageOf(plan);
    if (image !== undefined && image !== this.#fetched) return await this.#fetch(image);
    if (plan.needsDrain) {
      const progress = drainProgress(drainState(node), { verb: 'drain', config: plan.to });
      if (progress === 'not-requested')
        return await this.#report({ kind: 'drain-requested', config: plan.to });
      if (progress === 'pending') return;
    }
    if (plan.steps.some(({ kind }) => kind === 'os')) await this.#wait(this.#times.stageMs);
    const { change } = plan;
    const applied: readonly ProgressEvent[] = [
      { kind: 'drain-progressed' },
      { kind: 'applying', change },
      { kind: 'applied', change },
    ];
    if (plan.needsReboot) {
      await this.#report(...applied, { kind: 'rebooting', config: plan.to });
      await this.#reboot();
      this.#disk = to;
      this.#pending = [{ kind: 'rebooted' }, { kind: 'completing', config: plan.to }];
      await this.#nodes.announce(this.name, this.#pending);
      return;
    }
    this.#disk = to;
    const actions = plan.actions.map((action): ProgressEvent => ({ kind: 'post-action-done', action }));
    await this.#report(...applied, ...actions, { kind: 'completing', config: plan.to });
  }

  /** Its disk holds what it should. */
  async #finish(node: Node): Promise<void> {
    this.#prepared = undefined;
    const { name: config, layeredImage: image = '' } = this.#disk;
    const isDone =
      annotationOf(node, annotations.currentConfig) === config &&
      (annotationOf(node, annotations.currentImage) ?? '') === image &&
      annotationOf(node, annotations.state) === 'Done';
    const progress = drainProgress(drainState(node), { verb: 'uncordon', config });
    if (isDone && progress !== 'pending') {
      const conditions = this.#nodes.record(this.name)?.status?.conditions ?? [];
      if (conditions.length === 0) return await this.#report({ kind: 'up-to-date' }, NO_PINNED_IMAGES);
      return await this.#fetchAhead(annotationOf(node, annotations.fetchImage) ?? '');
    }
    if (progress === 'not-requested') return await this.#report({ kind: 'completing', config });
    if (progress === 'pending') return;
    const done: ProgressEvent = { kind: 'done', config, ...(image === '' ? {} : { image }) };
    const started: readonly ProgressEvent[] = this.#hasRebooted ? [{ kind: 'started', config }] : [];
    this.#hasRebooted = false;
    await this.#report(
      ...[{ kind: 'drain-progressed' } as const, done, { kind: 'update-succeeded' } as const],
      ...[...started, { kind: 'up-to-date' } as const],
    );
  }

  async #fetch(image: string): Promise<void> {
    await this.#report({ kind: 'fetching', image });
    await this.#pull(image);
    await this.#report({ kind: 'fetched', image });
    this.#hasChanged = true;
  }

  /** Before its turn: the node controller asks for it. */
  async #fetchAhead(image: string): Promise<void> {
    if (image === '' || image === this.#fetched) return;
    await this.#pull(image);
    await this.#nodes.annotate(this.name, { [annotations.fetchedImage]: image });
  }

  async #pull(image: string): Promise<void> {
    await this.#wait(this.#times.pullMs);
    while (this.#ground.registry.isDown) await this.#wait(PULL_RETRY_MS);
    this.#fetched = image;
  }

  async #reboot(): Promise<void> {
    await this.#wait(this.#times.shutDownMs);
    this.#power(false);
    await this.#wait(this.#times.bootMs);
    this.#power(true);
    this.#hasRebooted = true;
    await this.#wait(between(this.#random, this.#ground.pace.daemonStartMs));
  }

  #power(isUp: boolean): void {
    if (this.#isGone) return;
    this.#isUp = isUp;
    this.#ground.trace.add(`${this.name} is ${isUp ? 'up' : 'down'}`);
    for (const listener of this.#powerListeners) listener(isUp);
  }

  async #report(...progress: readonly ProgressEvent[]): Promise<void> {
    const all = [...this.#pending, ...progress];
    this.#pending = [];
    await this.#nodes.report(this.name, all);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#ground.clock.after(ms, resolve);
    });
  }
}

/** What a Node says that it should have. */
function wantedBy(node: Node): ConfigName {
  return {
    config: annotationOf(node, annotations.desiredConfig) ?? '',
    image: annotationOf(node, annotations.desiredImage) ?? '',
  };
}

function isSame(disk: NodeConfig, { config, image }: ConfigName): boolean {
  return disk.name === config && (disk.layeredImage ?? '') === image;
}

/** What is pulled before the drain. */
function imageOf({ steps }: Plan): string | undefined {
  for (const step of steps) if (step.kind === 'fetch') return step.image;
  return undefined;
}
