/**
 * What a rule about values of a KubeletConfiguration is, and how it reads them.
 */
import { isObject, own } from '../../base/json.ts';
import { parseGoDuration } from '../../base/text/index.ts';
import type { Fields } from './defaults.ts';

/**
 * `certain`: no kubelet that knows the field starts with the value. `doubtful`: it depends on the version of the kubelet, or on its
 * feature gates.
 */
type Certainty = 'certain' | 'doubtful';

export type ValueProblem = {
  /** As `evictionHard[memory.available]`. */
  readonly path: string;
  /** Goes on after the path: `must not be negative, but is -5`. */
  readonly message: string;
  readonly certainty: Certainty;
};

export type Rule = {
  /** All that it looks at. A part of a configuration that lacks one of them is not judged by it. */
  readonly fields: readonly string[];
  readonly problems: (config: Fields) => readonly ValueProblem[];
};

export function certain(path: string, message: string): ValueProblem {
  return { path, message, certainty: 'certain' };
}

export function doubtful(path: string, message: string): ValueProblem {
  return { path, message, certainty: 'doubtful' };
}

/** A rule about one field, with the message for a bad value. */
export function about<T>(
  name: string,
  read: (config: Fields, name: string) => T | undefined,
  message: (value: T) => string | undefined,
): Rule {
  return {
    fields: [name],
    problems(config) {
      const value = read(config, name);
      const text = value === undefined ? undefined : message(value);
      return text === undefined ? [] : [certain(name, text)];
    },
  };
}

export function numberAt(config: Fields, name: string): number | undefined {
  const value = own(config, name);
  return typeof value === 'number' ? value : undefined;
}

export function textAt(config: Fields, name: string): string | undefined {
  const value = own(config, name);
  return typeof value === 'string' ? value : undefined;
}

export function isTrue(config: Fields, name: string): boolean {
  return own(config, name) === true;
}

/** In nanoseconds. */
export function durationAt(config: Fields, name: string): bigint | undefined {
  const value = textAt(config, name);
  return value === undefined ? undefined : parseGoDuration(value);
}

export function mapAt(config: Fields, name: string): Fields {
  const value = own(config, name);
  return isObject(value) ? value : {};
}

export function listAt(config: Fields, name: string): readonly unknown[] {
  const value = own(config, name);
  return Array.isArray(value) ? value : [];
}

/** What the configuration itself says of a feature gate; undefined where the kubelet decides. */
export function gate(config: Fields, name: string): boolean | undefined {
  const value = own(mapAt(config, 'featureGates'), name);
  return typeof value === 'boolean' ? value : undefined;
}
