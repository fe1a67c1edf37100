/**
 * The requests to the oracles, and their responses.
 */
import type { Oracle } from './oracle.ts';

/** One line of an Ignition report. Spec 2 reports have no path, only a place in the text. */
export type ReportEntry = {
  readonly kind: 'error' | 'warning' | 'info' | 'deprecated';
  readonly message: string;
  readonly path?: readonly (string | number)[];
};

export type IgnitionAnswer = {
  readonly ok: boolean;
  /** The config as spec 3.5.0. */
  readonly config?: unknown;
  /** The step of the operator that failed. */
  readonly stage?: 'parse' | 'validate' | 'mode' | 'convert';
  /** The message of the operator. */
  readonly error?: string;
  readonly report: readonly ReportEntry[];
};

/** One cause of a Status. */
export type Cause = {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
  readonly detail: string;
};

export type CrdAnswer = {
  readonly ok: boolean;
  readonly errors: readonly Cause[];
  readonly unknownFields: readonly string[];
};

export type ObjectAnswer = CrdAnswer & {
  /** The object as it would be stored. */
  readonly object?: unknown;
  /** The decoding error. */
  readonly refusal?: string;
};

export type ObjectQuestion = {
  /** The kind, whose definition must have been requested before. */
  readonly kind: string;
  readonly object: unknown;
  readonly old?: unknown;
  /** The endpoint of the request; `whole` validates spec and status alike. */
  readonly endpoint?: 'main' | 'status' | 'whole';
};

// The programs are ours: these casts are the one place that defines the format of their responses.

/** Parses a config and converts it to 3.5.0, as before a merge. */
export async function askToParse(oracle: Oracle, config: unknown): Promise<IgnitionAnswer> {
  return (await oracle.ask('ignition-parse', { config })) as IgnitionAnswer;
}

/** The validation of a MachineConfig's config before the merge. */
export async function askToValidate(oracle: Oracle, config: unknown): Promise<IgnitionAnswer> {
  return (await oracle.ask('ignition-validate', { config })) as IgnitionAnswer;
}

export type MergeSteps = {
  /** Skips the rule that files do not inherit gzip. */
  readonly skipCompression?: boolean;
  /** Skips the rule that files overwrite by default. */
  readonly skipOverwrite?: boolean;
};

/** Merges configs, later over earlier; `null` is an absent one. */
export async function askToMerge(
  oracle: Oracle,
  configs: readonly unknown[],
  steps: MergeSteps = {},
): Promise<IgnitionAnswer> {
  return (await oracle.ask('ignition-merge', { configs, ...steps })) as IgnitionAnswer;
}

export type DataUrlAnswer = {
  readonly ok: boolean;
  /** The bytes in base64; absent where there are none. */
  readonly data?: string;
  readonly error?: string;
};

export async function askToDecode(oracle: Oracle, url: string): Promise<DataUrlAnswer> {
  return (await oracle.ask('data-url-decode', { url })) as DataUrlAnswer;
}

/** The URL that a controller would write: escaped like a template's, or in base64 with a guessed media type. */
export async function askToEncode(oracle: Oracle, bytes: Uint8Array, isEscaped: boolean): Promise<string> {
  const data = Buffer.from(bytes).toString('base64');
  return ((await oracle.ask('data-url-encode', { data, escaped: isEscaped })) as { readonly url: string })
    .url;
}

/** The errors of creating a definition; objects of an accepted one can then be validated. */
export async function askAboutCrd(oracle: Oracle, crd: unknown): Promise<CrdAnswer> {
  return (await oracle.ask('crd-validate', { crd })) as CrdAnswer;
}

export async function askAboutObject(oracle: Oracle, question: ObjectQuestion): Promise<ObjectAnswer> {
  return (await oracle.ask('object-validate', question)) as ObjectAnswer;
}
