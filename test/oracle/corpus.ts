/**
 * The inputs of the comparison with the real libraries.
 *
 * A case may expand to many: one per entry of `values`, which replaces `"$value"` in the config, and one per
 * entry of `versions`. Long strings are written as `{ "$repeat": text, "times": n, "before", "after" }`, long
 * lists as `{ "$many": item, "times": n }` with `$index` in the strings of the item.
 */
import { readFileSync } from 'node:fs';
import { isObject, own } from '../../src/base/json.ts';

export type ConfigCase = { readonly name: string; readonly config: unknown };
export type MergeCase = { readonly name: string; readonly configs: readonly unknown[] };

/** The expansion of `"versions": "3.x"`. */
const ALL_OF_3 = ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0'];

/** The cases of `corpus/ignition-<section>.json`. */
export function configCases(section: string): readonly ConfigCase[] {
  return read<WrittenCase>(section).flatMap(expand);
}

/** A valid object of a kind, and the edits to make in it. */
export type ObjectSample = {
  readonly kind: string;
  readonly name: string;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly edits: readonly ObjectEdit[];
};

export type ObjectEdit = {
  /** `spec.list.0.field`. */
  readonly at: string;
  readonly values: readonly unknown[];
  /** The old value: the edit is an update. */
  readonly from?: unknown;
  /** Further values to set first, by path. */
  readonly base?: { readonly [path: string]: unknown };
};

export function objectSamples(file: 'objects' | 'gadgets'): readonly ObjectSample[] {
  return writeOut(readJson(`${file}.json`)) as readonly ObjectSample[];
}

export function mergeCases(): readonly MergeCase[] {
  return read<MergeCase>('merge').map(({ name, configs }) => ({
    name,
    configs: configs.map((config) => (config === null ? null : withVersion(config, '3.5.0'))),
  }));
}

type WrittenCase = {
  readonly name: string;
  readonly versions?: '3.x' | readonly string[];
  readonly values?: readonly unknown[];
  readonly config: unknown;
};

function read<T>(section: string): readonly T[] {
  return readJson(`ignition-${section}.json`) as readonly T[];
}

/** The files are ours, so their format is known. */
export function readJson(file: string): unknown {
  return JSON.parse(readFileSync(new URL(`./corpus/${file}`, import.meta.url), 'utf8'));
}

function expand({ name, versions = ['3.5.0'], values, config }: WrittenCase): ConfigCase[] {
  const wanted = versions === '3.x' ? ALL_OF_3 : versions;
  return wanted.flatMap((version) => {
    const where = wanted.length > 1 ? ` in ${version}` : '';
    if (values === undefined) return [{ name: name + where, config: withVersion(config, version) }];
    return values.map((value, index) => ({
      name: `${name} ${abbreviate(JSON.stringify(value), index)}${where}`,
      config: withVersion(substitute(config, writeOut(value)), version),
    }));
  });
}

/** Configs omit their version unless the case is about it. */
function withVersion(config: unknown, version: string): unknown {
  if (!isObject(config)) return config;
  const section = Object.hasOwn(config, 'ignition') ? config.ignition : {};
  if (!isObject(section) || own(section, 'version') !== undefined) return config;
  return { ...config, ignition: { ...section, version } };
}

function substitute(template: unknown, value: unknown): unknown {
  if (template === '$value') return value;
  if (Array.isArray(template)) return template.map((item) => substitute(item, value));
  if (!isObject(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, substitute(item, value)]));
}

function writeOut(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(writeOut);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, '$repeat')) {
    const { $repeat, times, before = '', after = '' } = value;
    return `${before}${String($repeat).repeat(Number(times))}${writeOut(after)}`;
  }
  if (Object.hasOwn(value, '$many')) {
    return Array.from({ length: Number(value.times) }, (_, index) => numbered(value.$many, index));
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, writeOut(item)]));
}

function numbered(template: unknown, index: number): unknown {
  if (typeof template === 'string') return template.replace('$index', String(index));
  if (!isObject(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, numbered(item, index)]));
}

/** With the index of the value, so that names stay unique. */
function abbreviate(text: string, index: number): string {
  return text.length > 80 ? `${text.slice(0, 79)}… (${index + 1})` : text;
}
