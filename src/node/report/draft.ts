/**
 * A report while it is being made: what the node has said so far, with what the moments add.
 *
 * It is read as if all of it had been written already, so that a later moment sees what an earlier one said.
 */

import { annotations, type MachineConfigNode, type MachineConfigNodeStatus } from '../../api/index.ts';
import { isObject, jsonEqual } from '../../base/json.ts';
import { numberAt } from '../../base/json-fields.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import type { Saying } from '../../rollout/index.ts';
import { completed, dated, type Said } from './conditions.ts';
import type { NodeEvent } from './events.ts';
import {
  type Course,
  courseFields,
  courseOf,
  isSamePlace,
  known,
  type Place,
  pastPrefix,
  place,
  specPlace,
} from './target.ts';
import { fitted, MAX_MESSAGE } from './text.ts';

type Seen = {
  readonly node: Node;
  readonly machineConfigNode: MachineConfigNode | undefined;
  readonly nowMs: number;
  readonly isImageReported: boolean;
};

type Past = { readonly isGivenUp?: boolean; readonly isConcerned: (type: string) => boolean };

export class ReportDraft {
  readonly node: Node;
  readonly nodeName: string;
  readonly isImageReported: boolean;
  /** How much has been said that was new. */
  changes = 0;
  readonly #seen: Seen;
  readonly #before: { readonly [key: string]: unknown };
  readonly #conditions: Map<string, Said>;
  readonly #annotations = new Map<string, string | null>();
  readonly #events: NodeEvent[] = [];
  #course: Course;

  constructor(seen: Seen) {
    const { node, machineConfigNode, isImageReported } = seen;
    const status: unknown = machineConfigNode?.status;
    this.#seen = seen;
    this.node = node;
    this.nodeName = nameOf(node);
    this.isImageReported = isImageReported;
    this.#before = isObject(status) ? status : {};
    this.#conditions = new Map(completed(this.#before.conditions, isImageReported));
    this.#course = courseOf(status, isImageReported);
  }

  /** The value of an annotation; empty where there is none. */
  annotation(key: string): string {
    const next = this.#annotations.get(key);
    return next === undefined ? (this.#annotationBefore(key) ?? '') : (next ?? '');
  }

  /** `null` takes it away. */
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

  said(type: string): Said | undefined {
    return this.#conditions.get(type);
  }

  isSaid(type: string, status: Saying['status']): boolean {
    return this.#conditions.get(type)?.status === status;
  }

  say(...sayings: readonly Saying[]): void {
    for (const saying of sayings) {
      const last = this.#conditions.get(saying.type);
      // A condition that the feature gate hides is not said.
      if (last === undefined) continue;
      const next = { ...last, ...saying, message: fitted(saying.message, MAX_MESSAGE) };
      if (jsonEqual(last, next)) continue;
      this.#conditions.set(saying.type, next);
      this.changes++;
    }
  }

  emit(...events: readonly NodeEvent[]): void {
    this.#events.push(...events);
  }

  /** Where the node was going and where it stood when it last said so; what it never said, its annotations say. */
  get course(): Course {
    const { current, desired } = this.#course;
    return {
      current: known(current, this.#annotated('current')),
      desired: known(desired, this.#annotated('desired')),
    };
  }

  /** Where the annotations say that the node stands or goes. Without the feature gate images are no part of it. */
  #annotated(which: 'current' | 'desired'): Place {
    const [config, image] =
      which === 'current'
        ? [annotations.currentConfig, annotations.currentImage]
        : [annotations.desiredConfig, annotations.desiredImage];
    return place(this.annotation(config), this.isImageReported ? this.annotation(image) : '');
  }

  /** Whether the course is known to lead elsewhere than to the config, or to the image that is wanted by now. */
  leadsElsewhere(config: string): boolean {
    const { desired } = this.#course;
    return desired.config !== '' && !isSamePlace(desired, this.#target(config));
  }

  /** From now on the node goes to the config, and to the image that is wanted by now. */
  head(config: string): void {
    this.#setCourse({ ...this.course, desired: this.#target(config) });
  }

  #target(config: string): Place {
    const wanted = this.#annotated('desired');
    return known(place(config, wanted.image), wanted);
  }

  arrive(): void {
    this.#setCourse({ current: this.#annotated('current'), desired: this.#annotated('desired') });
  }

  #setCourse(course: Course): void {
    if (!jsonEqual(course, this.#course)) this.changes++;
    this.#course = course;
  }

  /** What was said belongs to the past: to the update that the spec names, or to the one that is given up. */
  putBehind({ isGivenUp = false, isConcerned }: Past): void {
    const { current, desired } = this.course;
    const wanted = specPlace(this.#seen.machineConfigNode, this.isImageReported);
    const prefix = pastPrefix(isGivenUp ? desired : wanted, current.image);
    for (const condition of [...this.#conditions.values()]) {
      if (condition.status === 'False' || !isConcerned(condition.type)) continue;
      this.say({ ...condition, status: 'False', message: prefix + condition.message });
    }
  }

  /** The annotations that change. */
  annotations(): { readonly [key: string]: string | null } {
    const changed = [...this.#annotations].filter(
      ([key, value]) => (this.#annotationBefore(key) ?? null) !== value,
    );
    return Object.fromEntries(changed);
  }

  /** `undefined` where it is what it was. */
  status(): MachineConfigNodeStatus | undefined {
    const { machineConfigNode, nowMs } = this.#seen;
    const { configImage: _, ...kept } = this.#before;
    const observed = Math.max(
      countAt(this.#before, 'observedGeneration'),
      countAt(machineConfigNode?.metadata, 'generation'),
    );
    const status: MachineConfigNodeStatus = {
      ...kept,
      conditions: dated(this.#before.conditions, this.#conditions, nowMs),
      ...courseFields(this.course, this.isImageReported),
      ...(observed > 0 ? { observedGeneration: observed } : {}),
    };
    return jsonEqual(status, this.#before) ? undefined : status;
  }

  events(): readonly NodeEvent[] {
    return this.#events;
  }

  #annotationBefore(key: string): string | undefined {
    return annotationOf(this.node, key);
  }
}

function countAt(value: unknown, key: string): number {
  const count = numberAt(value, key);
  return Number.isSafeInteger(count) ? count : 0;
}
