/**
 * The inputs on which we and the real libraries are compared.
 *
 * A case may stand for many: one per entry of `values`, put where the config says `"$value"`, and one per
 * entry of `versions`. Long texts are written as `{ "$repeat": text, "times": n, "before", "after" }`.
 */
import { readFileSync } from 'node:fs';
import { isObject, own } from '../../src/json.ts';

export type ConfigCase = { readonly name: string; readonly config: unknown };
export type MergeCase = { readonly name: string; readonly configs: readonly unknown[] };

/** What `"versions": "3.x"` stands for. */
const ALL_OF_3 = ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0'];

/** The cases of `corpus/ignition-<section>.json`. */
export function configCases(section: string): readonly ConfigCase[] {
  return read<WrittenCase>(section).flatMap(expand);
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
  const file = new URL(`./corpus/ignition-${section}.json`, import.meta.url);
  // The files are ours and lie beside this one.
  return JSON.parse(readFileSync(file, 'utf8')) as readonly T[];
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

/** Configs are written without their version unless the version is what they are about. */
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
  if (!isObject(value) || !Object.hasOwn(value, '$repeat')) return value;
  const { $repeat, times, before = '', after = '' } = value;
  return `${before}${String($repeat).repeat(Number(times))}${writeOut(after)}`;
}

/** With its number among the values, so that names stay unique. */
function abbreviate(text: string, index: number): string {
  return text.length > 80 ? `${text.slice(0, 79)}… (${index + 1})` : text;
}
