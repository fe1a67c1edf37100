/**
 * A YAML document, and the limits of parsing.
 */
import type { Json } from '../json.ts';

export type YamlDocument = {
  readonly value: Json;
  /** The line on which its content begins; the first line of the text is 1. */
  readonly line: number;
  /** Its index among the documents of the text, from 1; empty documents are counted but not returned. */
  readonly index: number;
};

/** In UTF-16 code units. Twice the largest dump of a cluster's MachineConfigs that we met. */
export const MAX_YAML_LENGTH = 16 * 1024 * 1024;

/** Even an empty document has a cost. */
export const MAX_YAML_DOCUMENTS = 10_000;

/** The tokens of one document: bounds the memory of parsing. */
export const MAX_YAML_TOKENS = 2_000_000;

/** The limit of alias expansion, in values plus characters. Stops documents that explode when expanded. */
export const MAX_ALIASED_SIZE = 4 * 1024 * 1024;

/** The maximum number of problems that are reported for one text. */
export const MAX_YAML_PROBLEMS = 20;
