/**
 * A report in progress: the reported state of the node, with the changes of the events so far.
 *
 * It reads as if all changes were written already, so that a later event sees the changes of earlier ones.
 */

import { annotations, type MachineConfigNode, type MachineConfigNodeStatus } from '../../api/index.ts';
import { isObject, jsonEqual } from '../../base/json.ts';
import { numberAt } from '../../base/json-fields.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import type { ConditionUpdate } from '../../rollout/index.ts';
import type { ConfigName } from '../plan/index.ts';
import {
  NOT_YET_OCCURRED,
  type ReportedCondition,
  withMissingConditions,
  withTransitionTimes,
} from './conditions.ts';
import {
  type ConfigVersions,
  configVersionFields,
  configVersionsOf,
  isOfThePast,
  isSameConfig,
  knownOr,
  pastPrefix,
  specTarget,
  validConfigName,
} from './config-versions.ts';
import type { NodeEvent } from './node-events.ts';
import { entriesOf, type SetEntry, writableEntries } from './set-entries.ts';
import { fitted, MAX_MESSAGE } from './text.ts';

type ReportInput = {
  readonly node: Node;
  readonly machineConfigNode: MachineConfigNode | undefined;
  readonly nowMs: number;
  readonly isImageReported: boolean;
};

type Past = {
  /** The config of the update that the conditions are about. By default the one that the spec names. */
  readonly of?: string;
  readonly applies: (type: string) => boolean;
};

export class ReportDraft {
  readonly node: Node;
  readonly nodeName: string;
  readonly isImageReported: boolean;
  readonly nowMs: number;
  /** How many changes have been made. */
  changes = 0;
  readonly #snapshot: ReportInput;
  readonly #before: { readonly [key: string]: unknown };
  readonly #conditions: Map<string, ReportedCondition>;
  readonly #annotations = new Map<string, string | null>();
  readonly #events: NodeEvent[] = [];
  readonly #failures: NodeEvent[] = [];
  #versions: ConfigVersions;
  #pinnedImageSets: readonly SetEntry[];

  constructor(snapshot: ReportInput) {
    const { node, machineConfigNode, isImageReported } = snapshot;
    const status: unknown = machineConfigNode?.status;
    this.#snapshot = snapshot;
    this.node = node;
    this.nodeName = nameOf(node);
    this.nowMs = snapshot.nowMs;
    this.isImageReported = isImageReported;
    this.#before = isObject(status) ? status : {};
    this.#conditions = new Map(withMissingConditions(this.#before.conditions, isImageReported));
    this.#versions = configVersionsOf(status, isImageReported);
    this.#pinnedImageSets = entriesOf(status);
  }

  /** The value of an annotation; empty where there is none. */
  annotation(key: string): string {
    const next = this.#annotations.get(key);
    return next === undefined ? (this.#annotationBefore(key) ?? '') : (next ?? '');
  }

  /** `null` removes it. */
  annotate(key: string, value: string | null): void {
    const next = this.#annotations.get(key);
    const now = next === undefined ? (this.#annotationBefore(key) ?? null) : next;
    if (now === value) return;
    this.#annotations.set(key, value);
    this.changes++;
  }

  annotateAll(patch: { readonly [key: string]: string | null }): void {
    for (const [key, value] of Object.entries(patch)) this.annotate(key, value);
  }

  /** Whether this report changes the annotation. */
  changesAnnotation(key: string): boolean {
    return key in this.annotations();
  }

  condition(type: string): ReportedCondition | undefined {
    return this.#conditions.get(type);
  }

  conditions(): readonly ReportedCondition[] {
    return [...this.#conditions.values()];
  }

  hasCondition(type: string, status: ConditionUpdate['status']): boolean {
    return this.#conditions.get(type)?.status === status;
  }

  setCondition(...updates: readonly ConditionUpdate[]): void {
    for (const update of updates) {
      const last = this.#conditions.get(update.type);
      // The feature gate hides the condition.
      if (last === undefined) continue;
      const next = { ...last, ...update, message: fitted(update.message, MAX_MESSAGE) };
      if (jsonEqual(last, next)) continue;
      this.#conditions.set(update.type, next);
      this.changes++;
    }
  }

  emit(...events: readonly NodeEvent[]): void {
    this.#events.push(...events);
  }

  emitFailure(event: NodeEvent): void {
    this.#failures.push(event);
  }

  /** As last reported; what was never reported comes from the annotations. */
  get versions(): ConfigVersions {
    const { current, desired } = this.#versions;
    return {
      current: knownOr(current, this.#annotated('current')),
      desired: knownOr(desired, this.#annotated('desired')),
    };
  }

  /** From the annotations. Without the feature gate images are not part of it. */
  #annotated(which: 'current' | 'desired'): ConfigName {
    const [config, image] =
      which === 'current'
        ? [annotations.currentConfig, annotations.currentImage]
        : [annotations.desiredConfig, annotations.desiredImage];
    return validConfigName(this.annotation(config), this.isImageReported ? this.annotation(image) : '');
  }

  /** Whether the reported target is known, and is not the config with the currently desired image. */
  targetsOther(config: string): boolean {
    const { desired } = this.#versions;
    return desired.config !== '' && !isSameConfig(desired, this.#target(config));
  }

  /** The new target: the config, by default the desired one, with the currently desired image. */
  setTarget(config = this.annotation(annotations.desiredConfig)): void {
    this.#setVersions({ ...this.versions, desired: this.#target(config) });
  }

  #target(config: string): ConfigName {
    const desired = this.#annotated('desired');
    return knownOr(validConfigName(config, desired.image), desired);
  }

  reachTarget(): void {
    this.#setVersions({ current: this.#annotated('current'), desired: this.#annotated('desired') });
  }

  #setVersions(versions: ConfigVersions): void {
    if (!jsonEqual(versions, this.#versions)) this.changes++;
    this.#versions = versions;
  }

  get pinnedImageSets(): readonly SetEntry[] {
    return this.#pinnedImageSets;
  }

  setPinnedImageSets(entries: readonly SetEntry[]): void {
    if (!jsonEqual(entries, this.#pinnedImageSets)) this.changes++;
    this.#pinnedImageSets = entries;
  }

  /** The status cannot be written at once: the rest follows with the same events. */
  get isPartial(): boolean {
    return writableEntries(entriesOf(this.#before), this.#pinnedImageSets).isPartial;
  }

  /** Marks conditions as those of a past update: they become False. Those that have not occurred stay. */
  retireConditions({ of, applies }: Past): void {
    for (const condition of this.conditions()) {
      if (!applies(condition.type) || condition.reason === NOT_YET_OCCURRED) continue;
      this.setCondition({ ...condition, status: 'False', message: this.#pastMessage(condition.message, of) });
    }
  }

  /** Marks the message of a condition as one of a past update. Its status stays. */
  retireMessage(type: string, of: string): void {
    const condition = this.#conditions.get(type);
    if (condition === undefined || condition.reason === NOT_YET_OCCURRED) return;
    this.setCondition({ ...condition, message: this.#pastMessage(condition.message, of) });
  }

  #pastMessage(message: string, of: string | undefined): string {
    if (isOfThePast(message)) return message;
    const { current, desired } = this.versions;
    const spec = specTarget(this.#snapshot.machineConfigNode, this.isImageReported);
    return pastPrefix(of === undefined ? spec : { ...desired, config: of }, current.image) + message;
  }

  /** The annotations that change. */
  annotations(): { readonly [key: string]: string | null } {
    const changed = [...this.#annotations].filter(
      ([key, value]) => (this.#annotationBefore(key) ?? null) !== value,
    );
    return Object.fromEntries(changed);
  }

  /** `undefined` where nothing changes. */
  status(): MachineConfigNodeStatus | undefined {
    const { machineConfigNode, nowMs } = this.#snapshot;
    const { configImage: _, pinnedImageSets: _sets, ...kept } = this.#before;
    const { entries } = writableEntries(entriesOf(this.#before), this.#pinnedImageSets);
    const observed = Math.max(
      countAt(this.#before, 'observedGeneration'),
      countAt(machineConfigNode?.metadata, 'generation'),
    );
    const status: MachineConfigNodeStatus = {
      ...kept,
      conditions: withTransitionTimes(this.#before.conditions, this.#conditions, nowMs),
      ...configVersionFields(this.versions, this.isImageReported),
      ...(observed > 0 ? { observedGeneration: observed } : {}),
      ...(entries.length > 0 ? { pinnedImageSets: entries } : {}),
    };
    return jsonEqual(status, this.#before) ? undefined : status;
  }

  events(): readonly NodeEvent[] {
    return this.#events;
  }

  failures(): readonly NodeEvent[] {
    return this.#failures;
  }

  #annotationBefore(key: string): string | undefined {
    return annotationOf(this.node, key);
  }
}

function countAt(value: unknown, key: string): number {
  const count = numberAt(value, key);
  return Number.isSafeInteger(count) ? count : 0;
}
