/**
 * Validation of fields that hold names.
 */

import type { Problem } from '../../base/errors.ts';
import { byteLength } from '../../base/json.ts';
import { checkDnsLabel, checkDnsSubdomain, checkQualifiedName } from '../../kubernetes/meta/index.ts';
import { invalidText } from './field-problems.ts';

export function dnsLabelProblems(path: string, name: string): readonly Problem[] {
  return checkDnsLabel(name).map((text) => invalidText(path, name, text));
}

export function dnsSubdomainProblems(path: string, name: string): readonly Problem[] {
  return checkDnsSubdomain(name).map((text) => invalidText(path, name, text));
}

export function qualifiedNameProblems(path: string, name: string): readonly Problem[] {
  return checkQualifiedName(name).map((text) => invalidText(path, name, text));
}

/**
 * Keys of ConfigMaps and Secrets become file names. Objects may have very many keys, so `path` is built only for an
 * invalid one.
 */
export function configKeyProblems(path: () => string, key: string): readonly Problem[] {
  const texts = configKeyTexts(key);
  return texts.length === 0 ? NO_PROBLEMS : texts.map((text) => invalidText(path(), key, text));
}

const NO_PROBLEMS: readonly Problem[] = [];

const MAX_KEY_BYTES = 253;
const NOT_A_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

function configKeyTexts(key: string): readonly string[] {
  const texts: string[] = [];
  if (byteLength(key) > MAX_KEY_BYTES) texts.push(`must be no more than ${MAX_KEY_BYTES} characters`);
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) texts.push(NOT_A_KEY);
  if (key === '.') texts.push("must not be '.'");
  else if (key === '..') texts.push("must not be '..'");
  else if (key.startsWith('..')) texts.push("must not start with '..'");
  return texts;
}
