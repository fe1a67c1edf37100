/**
 * Reading policies and bindings, which come as they are stored: what has the wrong shape counts as absent.
 */

import { isObject, own } from '../../base/json.ts';
import type { Labels } from '../../kubernetes/meta/index.ts';

export type Fields = { readonly [key: string]: unknown };

export function fieldsAt(object: Fields, key: string): Fields | undefined {
  const value = own(object, key);
  return isObject(value) ? value : undefined;
}

export function itemsOf(object: Fields, key: string): readonly Fields[] {
  const items = own(object, key);
  return Array.isArray(items) ? items.map((item: unknown) => (isObject(item) ? item : {})) : [];
}

export function textAt(object: Fields, key: string): string {
  const text = own(object, key);
  return typeof text === 'string' ? text : '';
}

export function textsOf(object: Fields, key: string): readonly string[] {
  const items: unknown = own(object, key);
  return Array.isArray(items) ? items.filter((item) => typeof item === 'string') : [];
}

export function nameOf(object: Fields): string {
  return textAt(fieldsAt(object, 'metadata') ?? {}, 'name');
}

export function labelsOf(object: Fields): Labels {
  const labels = fieldsAt(fieldsAt(object, 'metadata') ?? {}, 'labels') ?? {};
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}
