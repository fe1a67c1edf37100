/**
 * The history of one object, applied to our implementation and to kube-apiserver step by step.
 */
import type { Json, JsonObject } from '../../src/base/json.ts';
import { apply, applyMergePatch, type Patched, updateManagedFields } from '../../src/embedded/patch/index.ts';
import type { StructuralSchema } from '../../src/kubernetes/schema/index.ts';
import type { Oracle } from './oracle.ts';
import { isAmong, ourAnswer, retimed, theirAnswer } from './patch-judgement.ts';
import { askToApply, askToUpdate, type OwnerQuestion, type PatchAnswers } from './patch-questions.ts';

export type Step = {
  /**
   * `apply`, a merge patch, or a new object. `set` stores an object with another history, and `schema` is a merge patch
   * for the schema.
   */
  readonly verb: 'apply' | 'merge' | 'replace' | 'set' | 'schema';
  readonly body: JsonObject;
  readonly manager?: string;
  readonly force?: boolean;
  readonly subresource?: string;
  /** The body is sent unchanged; otherwise kind and name are added. */
  readonly bare?: boolean;
};

export type StoryKind = {
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined if everything is deduced. */
  readonly schema: StructuralSchema | undefined;
  /** The kind is built in. */
  readonly isBuiltIn: boolean;
};

export type Ending = {
  /** Where our result and the server's differ. */
  readonly disagreement?: {
    readonly step: number;
    readonly ours: string;
    readonly theirs: readonly string[];
  };
  /** 200, or the code of the last failure. */
  readonly code: number;
  readonly live: JsonObject | undefined;
};

/** Nondeterminism shows in repeated requests. */
const TIMES_TO_ASK_AGAIN = 50;

export async function runStory(oracle: Oracle, kind: StoryKind, steps: readonly Step[]): Promise<Ending> {
  let live: JsonObject | undefined;
  let schema = kind.schema;
  let code = 200;
  for (const [index, step] of steps.entries()) {
    if (step.verb === 'set') {
      live = named(kind, step);
      continue;
    }
    if (step.verb === 'schema') {
      schema = patchedSchema(schema, step.body);
      continue;
    }
    const now = `2020-01-01T00:00:${String(index + 1).padStart(2, '0')}Z`;
    const scene: Scene = { kind: { ...kind, schema }, live, step, now };
    const outcome = ours(scene);
    const ourText = ourAnswer(outcome);
    let answers = await theirs(oracle, scene, 1);
    if (!isAmong(ourText, answers)) answers = await theirs(oracle, scene, TIMES_TO_ASK_AGAIN);
    if (!isAmong(ourText, answers)) {
      return {
        disagreement: { step: index + 1, ours: ourText, theirs: answers.map(theirAnswer) },
        code,
        live,
      };
    }
    code = outcome.kind === 'ok' ? 200 : outcome.status.code;
    if (outcome.kind === 'ok') live = stored(outcome.value);
  }
  return { code, live };
}

type Scene = {
  readonly kind: StoryKind;
  readonly live: JsonObject | undefined;
  readonly step: Step;
  readonly now: string;
};

function ours({ kind, live, step, now }: Scene): Patched<JsonObject> {
  const { apiVersion, schema } = kind;
  const writer = { apiVersion, kind: kind.kind, schema, manager: step.manager ?? 'x', ...resetAt(step), now };
  if (step.verb === 'apply') {
    return apply({ ...writer, live, applied: named(kind, step), force: step.force ?? false });
  }
  const outcome = updateManagedFields({ ...writer, before: live, after: updated(kind, live, step) });
  // Where ownership cannot be determined the server only logs it.
  return { ...outcome, warnings: [] };
}

async function theirs(
  oracle: Oracle,
  { kind, live, step, now }: Scene,
  times: number,
): Promise<PatchAnswers> {
  const { apiVersion, schema, isBuiltIn } = kind;
  const isApply = step.verb === 'apply';
  const question: OwnerQuestion = {
    apiVersion,
    kind: kind.kind,
    manager: step.manager ?? 'x',
    ...resetAt(step),
    ...(live !== undefined && { live }),
    ...(!isBuiltIn && schema !== undefined && { schema }),
    ...(!isBuiltIn && schema === undefined && { deduced: true }),
    force: step.force ?? false,
    object: isApply ? named(kind, step) : updated(kind, live, step),
    times,
  };
  const answers = await (isApply ? askToApply(oracle, question) : askToUpdate(oracle, question));
  return answers.map((answer) => retimed(answer, now));
}

/** The fields that the server resets per endpoint. */
function resetAt({ subresource = '' }: Step): { subresource: string; resetFields: string[][] } {
  return { subresource, resetFields: [[subresource === 'status' ? 'spec' : 'status']] };
}

function named({ apiVersion, kind }: StoryKind, { body, bare = false }: Step): JsonObject {
  if (bare) return body;
  return { apiVersion, kind, ...body, metadata: { name: 'n', ...metadataOf(body) } };
}

function updated(kind: StoryKind, live: JsonObject | undefined, step: Step): JsonObject {
  if (live === undefined || step.verb === 'replace') {
    const object = named(kind, step);
    return live === undefined ? object : stored(object);
  }
  const outcome = applyMergePatch(live, step.body);
  if (outcome.kind === 'error') throw new Error(outcome.message);
  return outcome.value as JsonObject;
}

/** Every stored object has a UID. */
function stored(object: JsonObject): JsonObject {
  return { ...object, metadata: { ...metadataOf(object), uid: 'u' } };
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata: Json | undefined = object.metadata;
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
    ? (metadata as JsonObject)
    : {};
}

function patchedSchema(schema: StructuralSchema | undefined, patch: JsonObject): StructuralSchema {
  const outcome = applyMergePatch((schema ?? {}) as JsonObject, patch);
  if (outcome.kind === 'error') throw new Error(outcome.message);
  return outcome.value as StructuralSchema;
}
