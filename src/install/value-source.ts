/** Where values come from, by their path: `daemon.port`. */
import type { Json } from '../base/json.ts';

export type ValueSource = {
  /** A value as a whole. */
  readonly value: (path: string) => Json;
  /** A scalar value inside a string. */
  readonly text: (path: string) => string;
  /** A string where a value is true, else nothing. */
  readonly optional: (path: string, text: string) => readonly string[];
};
