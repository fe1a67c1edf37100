/**
 * What can be asked of the patch oracle, with the form of its answers.
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
  /** What the library said where the client does not get to read it. */
  readonly detail?: string;
  readonly strictErrors?: readonly string[];
  /** The library crashed. */
  readonly panic?: string;
};

/** The answers to a question; several where the libraries waver, which shows when they are asked several times. */
export type PatchAnswers = readonly PatchAnswer[];

/** How often to ask. */
type Times = { readonly times?: number };

export type PatchQuestion = Times & { readonly document: Json; readonly patch: unknown };
export type KindOfObject = { readonly apiVersion: string; readonly kind: string };

// The program is ours: these casts are the one place that says in which form it answers.

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

/** What the real libraries know of a built-in kind, as a schema. */
export async function askForSchema(oracle: Oracle, kind: KindOfObject): Promise<StructuralSchema> {
  return (await oracle.ask('built-in-schema', kind)) as StructuralSchema;
}

/** FieldsV1 read and written again, as text: the order of its keys counts. */
export async function askToRewriteFields(
  oracle: Oracle,
  fields: unknown,
): Promise<{ readonly text?: string; readonly error?: string }> {
  return (await oracle.ask('fields-v1', { fields })) as { readonly text?: string; readonly error?: string };
}

export type OwnerQuestion = KindOfObject &
  Times & {
    /** That of a custom resource; absent for kinds that Kubernetes brings. */
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
