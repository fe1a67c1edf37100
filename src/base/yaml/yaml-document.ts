/**
 * One document of a text, and the limits within which a text is read.
 */
import type { Json } from '../json.ts';

export type YamlDocument = {
  readonly value: Json;
  /** The line on which its content begins; the first line of the text is 1. */
  readonly line: number;
  /** Its place among the documents of the text, from 1; empty documents are counted but not returned. */
  readonly index: number;
};

/** In UTF-16 code units. The largest dump of a cluster's MachineConfigs that we met is half of it. */
export const MAX_YAML_LENGTH = 16 * 1024 * 1024;

/** A document costs a little even when it is empty. */
export const MAX_YAML_DOCUMENTS = 10_000;

/** Words, signs, line ends and indentations of one document: what bounds the memory that reading takes. */
export const MAX_YAML_TOKENS = 2_000_000;

/** What aliases may add to a text, in values plus characters. Stops documents that explode when expanded. */
export const MAX_ALIASED_SIZE = 4 * 1024 * 1024;

/** No more problems than this are reported for one text. */
export const MAX_YAML_PROBLEMS = 20;
