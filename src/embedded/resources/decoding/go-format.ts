/**
 * Values in messages: formatted with Go's `%#v`, with kube-apiserver's internal types.
 */

import type { Json, JsonObject } from '../../../base/json.ts';
import { compareBytes } from '../../../base/json.ts';
import {
  objectsAt,
  optionalStringMapAt,
  optionalStringsAt,
  stringAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';

/** How a nil pointer is printed. */
export const GO_NULL = '"null"';

export function goStrings(texts: readonly string[] | undefined, type = '[]string'): string {
  if (texts === undefined) return `${type}(nil)`;
  return `${type}{${texts.map(quoted).join(', ')}}`;
}

export function goStringMap(map: { readonly [key: string]: string } | undefined): string {
  if (map === undefined) return 'map[string]string(nil)';
  const entries = Object.entries(map)
    .sort(([a], [b]) => compareBytes(a, b))
    .map(([key, value]) => `${quoted(key)}:${quoted(value)}`);
  return `map[string]string{${entries.join(', ')}}`;
}

export function goLabelSelector(selector: JsonObject | undefined): string {
  if (selector === undefined) return GO_NULL;
  const type = 'v1.LabelSelectorRequirement';
  const expressions = objectsAt(selector, 'matchExpressions').map((item) => {
    const key = quoted(stringAt(item, 'key'));
    const operator = quoted(stringAt(item, 'operator'));
    return `${type}{Key:${key}, Operator:${operator}, Values:${goStrings(optionalStringsAt(item, 'values'))}}`;
  });
  const isSet = valueAt(selector, 'matchExpressions') !== undefined;
  const list = isSet ? `[]${type}{${expressions.join(', ')}}` : `[]${type}(nil)`;
  const labels = goStringMap(optionalStringMapAt(selector, 'matchLabels'));
  return `v1.LabelSelector{MatchLabels:${labels}, MatchExpressions:${list}}`;
}

/** IntOrString is a struct with a type field. */
export function goIntOrString(value: Json | undefined): string {
  const isText = typeof value === 'string';
  const number = typeof value === 'number' ? value : 0;
  return `intstr.IntOrString{Type:${isText ? 1 : 0}, IntVal:${number}, StrVal:${quoted(isText ? value : '')}}`;
}

/** A time in the format of Go's `String`: `2024-01-02 03:04:05 +0000 UTC`. */
export function goTime(time: string): string {
  return time.replace('T', ' ').replace('Z', ' +0000 UTC');
}
