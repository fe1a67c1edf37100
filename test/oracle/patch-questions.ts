/**
 * The requests to the patch oracle, and its responses.
 */
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { StructuralSchema } from '../../src/kubernetes/schema/index.ts';
import type { StatusCause } from '../../src/kubernetes/types/index.ts';
import type { Oracle } from './oracle.ts';

export type PatchAnswer = {
  readonly ok: boolean;
  readonly object?: Json;
  readonly refusal?: {
    readonly code: number;
    readonly reason: string;
    readonly message: string;
    readonly causes?: readonly StatusCause[];
  };
  /** The error of the library that the client does not see. */
  readonly detail?: string;
  readonly strictErrors?: readonly string[];
  /** The library crashed. */
  readonly panic?: string;
};

/**
 * The responses to a request; several where the libraries are nondeterministic, which shows in repeated
 * requests.
 */
export type PatchAnswers = readonly PatchAnswer[];

/** The number of repetitions. */
type Times = { readonly times?: number };

export type PatchQuestion = Times & { readonly document: Json; readonly patch: unknown };
export type KindOfObject = { readonly apiVersion: string; readonly kind: string };

// The program is ours: these casts are the one place that defines the format of its responses.

export async function askToJsonPatch(oracle: Oracle, question: PatchQuestion): Promise<PatchAnswers> {
  return (await oracle.ask('json-patch', question)) as PatchAnswers;
}

export async function askToMergePatch(oracle: Oracle, question: PatchQuestion): Promise<PatchAnswers> {
  return (await oracle.ask('merge-patch', question)) as PatchAnswers;
}

export async function askToPatchStrategically(
  oracle: Oracle,
  question: PatchQuestion & KindOfObject,
): Promise<PatchAnswers> {
  return (await oracle.ask('strategic-merge-patch', question)) as PatchAnswers;
}

/** The schema of a built-in kind in the real libraries. */
export async function askForSchema(oracle: Oracle, kind: KindOfObject): Promise<StructuralSchema> {
  return (await oracle.ask('built-in-schema', kind)) as StructuralSchema;
}

/** FieldsV1 decoded and encoded again, as text: the order of its keys counts. */
export async function askToRewriteFields(
  oracle: Oracle,
  fields: unknown,
): Promise<{ readonly text?: string; readonly error?: string }> {
  return (await oracle.ask('fields-v1', { fields })) as { readonly text?: string; readonly error?: string };
}

export type OwnerQuestion = KindOfObject &
  Times & {
    /** The schema of a custom resource; absent for built-in kinds. */
    readonly schema?: StructuralSchema;
    readonly deduced?: boolean;
    readonly live?: JsonObject;
    readonly object: unknown;
    readonly manager: string;
    readonly subresource?: string;
    readonly resetFields?: readonly (readonly string[])[];
    readonly force?: boolean;
  };

export async function askToApply(oracle: Oracle, question: OwnerQuestion): Promise<PatchAnswers> {
  return (await oracle.ask('apply', question)) as PatchAnswers;
}

export async function askToUpdate(oracle: Oracle, question: OwnerQuestion): Promise<PatchAnswers> {
  return (await oracle.ask('update', question)) as PatchAnswers;
}
