/**
 * The verdict on an object, ours and kube-apiserver's, in one format. The order of errors is ignored: the server's
 * changes from run to run.
 */
import { canonicalJson, compareBytes, isObject } from '../../src/base/json.ts';
import type { StructuralSchema } from '../../src/kubernetes/schema/index.ts';
import { applyDefaults, prune, validate } from '../../src/kubernetes/validation/index.ts';
import type { ObjectCase } from './object-cases.ts';
import type { Oracle } from './oracle.ts';
import { askAboutObject, type ObjectAnswer } from './questions.ts';

/** The object as it would be stored, without metadata, and its errors. */
export type Judgement = { readonly stored: string; readonly problems: readonly string[] };

export type Judged = {
  readonly name: string;
  readonly ours: Judgement;
  readonly theirs: Judgement;
};

/** The cases with different verdicts, and those that were accepted before and have not changed. */
export async function disagreements(
  oracle: Oracle,
  schema: StructuralSchema,
  cases: readonly ObjectCase[],
): Promise<readonly Judged[]> {
  const first = await Promise.all(cases.map((one) => judge(oracle, schema, one)));
  const unchanged = cases.flatMap(({ name, object, old }, index) => {
    // An object with wrong types was never stored, whatever the schema was.
    const isReadable = first[index]?.theirs.problems.every((problem) => !WRONG_TYPE.test(problem)) ?? false;
    return old === undefined && isReadable ? [{ name: `${name}, unchanged`, object, old: object }] : [];
  });
  const second = await Promise.all(unchanged.map((one) => judge(oracle, schema, one)));
  return [...first, ...second].filter(({ ours, theirs }) => !agree(ours, theirs));
}

const WRONG_TYPE = /FieldValueTypeInvalid/;
/** The verdict on an object that the server cannot decode, such as one with labels that are no map. */
const UNREADABLE = 'unreadable';

async function judge(oracle: Oracle, schema: StructuralSchema, one: ObjectCase): Promise<Judged> {
  const { name, object, old } = one;
  const answer = await askAboutObject(oracle, { kind: String(object.kind), object, old, endpoint: 'whole' });
  return { name, ours: ourJudgement(schema, one), theirs: theirJudgement(answer) };
}

function agree(ours: Judgement, theirs: Judgement): boolean {
  if (theirs.stored === UNREADABLE) return ours.problems.length > 0;
  return canonicalJson(ours) === canonicalJson(theirs);
}

function ourJudgement(schema: StructuralSchema, { object, old }: ObjectCase): Judgement {
  const read = (value: unknown) => applyDefaults(schema, prune(schema, value).value);
  const stored = read(object);
  const problems = validate(schema, stored, old === undefined ? {} : { old: read(old) });
  const lines = problems.map(({ path, message, reason }) => `${path}: ${reason}: ${message}`);
  return { stored: withoutMetadata(stored), problems: lines.sort(compareBytes) };
}

function theirJudgement({ object, errors, refusal }: ObjectAnswer): Judgement {
  if (refusal !== undefined) return { stored: UNREADABLE, problems: [refusal] };
  const lines = errors.map(({ field, reason, message }) => `${rootless(field)}: ${reason}: ${message}`);
  return { stored: withoutMetadata(object), problems: lines.sort(compareBytes) };
}

/** The server's name for the whole object. */
function rootless(field: string): string {
  return field === '<nil>' ? '' : field;
}

/** The server normalises metadata. */
function withoutMetadata(object: unknown): string {
  return canonicalJson(isObject(object) ? { ...object, metadata: undefined } : object);
}
