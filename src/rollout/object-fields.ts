/**
 * How objects of a cluster are read here: own keys only, and nothing is taken for granted about their shape. Labels and
 * annotations are free text that anybody may write, and snapshots may come from files that no server has checked.
 */

import { isObject, own } from '../base/json.ts';
import type { ObjectMeta } from '../kubernetes/meta/index.ts';

type WithMetadata = { readonly metadata: ObjectMeta };

export function nameOf(object: WithMetadata): string {
  return textAt(object.metadata, 'name') ?? '';
}

export function namespaceOf(object: WithMetadata): string {
  return textAt(object.metadata, 'namespace') ?? '';
}

/** `undefined` where the key is absent, which is not the same as an empty text. */
export function annotationOf(object: WithMetadata, key: string): string | undefined {
  return textAt(fieldOf(object.metadata, 'annotations'), key);
}

export function labelOf(object: WithMetadata, key: string): string | undefined {
  return textAt(fieldOf(object.metadata, 'labels'), key);
}

/** What a condition says, with empty texts for what it leaves out. */
type Said = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
};

/** The conditions of an object, in its order. */
export function conditionsOf(object: { readonly status?: unknown }): readonly Said[] {
  return itemsOf(fieldOf(object.status, 'conditions')).map((condition) => ({
    type: textAt(condition, 'type') ?? '',
    status: textAt(condition, 'status') ?? '',
    reason: textAt(condition, 'reason') ?? '',
    message: textAt(condition, 'message') ?? '',
  }));
}

/** The first condition of the type. */
export function conditionOf(object: { readonly status?: unknown }, type: string): Said | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

export function hasTrueCondition(object: { readonly status?: unknown }, type: string): boolean {
  return conditionOf(object, type)?.status === 'True';
}

/** A field of whatever this is; `undefined` where it has none. */
export function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) ? own(value, key) : undefined;
}

export function textAt(value: unknown, key: string): string | undefined {
  const text = fieldOf(value, key);
  return typeof text === 'string' ? text : undefined;
}

/** The objects in a list; none where it is no list. */
export function itemsOf(value: unknown): readonly { readonly [key: string]: unknown }[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
