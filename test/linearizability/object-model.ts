/**
 * What one object may answer, if it does one call at a time: a ConfigMap with its version, that comes, changes and goes.
 *
 * Versions of writes whose responses were lost are unknown until a client reads them.
 */
import type { Model } from './linearizable.ts';

export type Data = Readonly<Record<string, string>>;

export type Call =
  | { readonly kind: 'get' }
  | { readonly kind: 'create'; readonly data: Data }
  | { readonly kind: 'update'; readonly version: number; readonly data: Data }
  /** A JSON patch: the field is `from`, and becomes `to`. */
  | { readonly kind: 'exchange'; readonly field: string; readonly from: string; readonly to: string }
  /** A server-side apply of one field. */
  | { readonly kind: 'apply'; readonly field: string; readonly value: string }
  | { readonly kind: 'delete'; readonly uid?: string; readonly version?: number };

export type Shown = { readonly uid: string; readonly version: number; readonly data: Data };

/** The status alone where the answer shows no object. */
export type Answer = { readonly status: number; readonly reason?: string; readonly shown?: Shown };

type Kept = { readonly uid: string | undefined; readonly version: number | undefined; readonly data: Data };

/** `newest`: the highest known version; each later write has a higher one. */
export type ObjectState = { readonly kept?: Kept; readonly newest: number };

export const objectModel: Model<ObjectState, Call, Answer> = {
  initial: { newest: 0 },
  step(state, call, answer) {
    if (answer === undefined) return unanswered(state, call);
    // Refused before anyone looked at the object.
    if (answer.status === 429) return state;
    return answer.status < 300 ? done(state, call, answer) : refused(state, call, answer);
  },
  keyOf: ({ kept, newest }) => JSON.stringify([newest, kept?.uid, kept?.version, kept && textOf(kept.data)]),
};

/** What it does if it happens; undefined where it would do nothing. */
function unanswered(state: ObjectState, call: Call): ObjectState | undefined {
  if (call.kind === 'get') return undefined;
  if (call.kind === 'delete')
    return meetsPreconditions(state.kept, call) ? { newest: state.newest } : undefined;
  const data = written(state.kept, call);
  if (data === undefined) return undefined;
  return { kept: { uid: state.kept?.uid, version: undefined, data }, newest: state.newest };
}

function done(state: ObjectState, call: Call, { shown }: Answer): ObjectState | undefined {
  if (call.kind === 'delete') {
    return meetsPreconditions(state.kept, call) ? { newest: state.newest } : undefined;
  }
  if (shown === undefined) return undefined;
  if (call.kind === 'get') return isShown(state, shown) ? { kept: shown, newest: shown.version } : undefined;
  const data = written(state.kept, call);
  if (data === undefined || textOf(data) !== textOf(shown.data)) return undefined;
  const isSame = state.kept === undefined || (state.kept.uid ?? shown.uid) === shown.uid;
  return isSame && shown.version > state.newest ? { kept: shown, newest: shown.version } : undefined;
}

function isShown({ kept, newest }: ObjectState, shown: Shown): boolean {
  if (kept === undefined || textOf(kept.data) !== textOf(shown.data)) return false;
  if (kept.uid !== undefined && kept.uid !== shown.uid) return false;
  return kept.version === undefined ? shown.version > newest : kept.version === shown.version;
}

/** A refusal changes nothing, but it must have had its reason. */
function refused(state: ObjectState, call: Call, { status, reason }: Answer): ObjectState | undefined {
  const { kept } = state;
  const hasReason = (): boolean => {
    if (status === 404) return kept === undefined && call.kind !== 'create' && call.kind !== 'apply';
    if (status === 409 && call.kind === 'create') return kept !== undefined && reason === 'AlreadyExists';
    if (kept === undefined) return false;
    if (status === 409 && call.kind === 'update') return kept.version !== call.version;
    if (status === 409 && call.kind === 'delete') return !meetsPreconditions(kept, call);
    if (status === 422 && call.kind === 'exchange') return kept.data[call.field] !== call.from;
    return false;
  };
  return hasReason() ? state : undefined;
}

/** What the call makes of the data, or undefined where it must be refused. */
function written(kept: Kept | undefined, call: Call): Data | undefined {
  switch (call.kind) {
    case 'create':
      return kept === undefined ? call.data : undefined;
    case 'update':
      return kept !== undefined && kept.version === call.version ? call.data : undefined;
    case 'exchange':
      return kept?.data[call.field] === call.from ? { ...kept.data, [call.field]: call.to } : undefined;
    case 'apply':
      return { ...kept?.data, [call.field]: call.value };
    case 'get':
    case 'delete':
      return undefined;
  }
}

function meetsPreconditions(
  kept: Kept | undefined,
  { uid, version }: Call & { readonly kind: 'delete' },
): boolean {
  if (kept === undefined) return false;
  return (uid === undefined || uid === kept.uid) && (version === undefined || version === kept.version);
}

function textOf(data: Data): string {
  return JSON.stringify(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
}
