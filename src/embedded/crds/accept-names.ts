/**
 * The naming and establishing controllers: within a group, the names of a resource or kind belong to one CRD only,
 * first come, first served.
 *
 *     created → NamesAccepted, Established False (Installing) → Established True, and the resource is served
 *             ↘ NamesAccepted False (ShortNamesConflict), Established False (NotAccepted)
 *
 * Each arrow is one status update, by `acceptNames` and then `establish`. Conflicting names are evaluated again
 * whenever another CRD of the group changes or is deleted.
 */
import { type JsonObject, jsonEqual } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { withCondition } from './conditions.ts';
import { type Crd, type CrdNames, conditionOf, crdToObject, isConditionTrue, toCrd } from './crd.ts';

/** The CRD with its names evaluated again; undefined if nothing changes. */
export function acceptNames(
  object: JsonObject,
  others: Iterable<JsonObject>,
  now: string,
): JsonObject | undefined {
  const crd = toCrd(object);
  const accepted: AcceptedNames = crd.status?.acceptedNames ?? { plural: '', kind: '' };
  if (jsonEqual(crd.spec.names, accepted)) return undefined;
  const { names, reason, message } = resolveNames(crd, accepted, takenNames(crd, others));
  const status = reason === 'NoConflicts' ? 'True' : 'False';
  const before = conditionOf(crd, 'NamesAccepted');
  const isSame = before?.status === status && before.reason === reason && before.message === message;
  if (isSame && jsonEqual(names, accepted)) return undefined;
  const evaluated = withCondition(crd, { type: 'NamesAccepted', status, reason, message }, now);
  const named = { ...evaluated, status: { ...evaluated.status, acceptedNames: names } };
  return crdToObject(withInstalling(named, status === 'True', now));
}

/** The CRD with the Established condition; undefined if it is already established or its names are not accepted. */
export function establish(object: JsonObject, now: string): JsonObject | undefined {
  const crd = toCrd(object);
  if (!isConditionTrue(crd, 'NamesAccepted') || isConditionTrue(crd, 'Established')) return undefined;
  const condition = {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: ACCEPTED,
  };
  return crdToObject(withCondition(crd, condition, now));
}

const ACCEPTED = 'the initial names have been accepted';

function withInstalling(crd: Crd, isAccepted: boolean, now: string): Crd {
  if (isConditionTrue(crd, 'Established')) return crd;
  const established = { type: 'Established', status: 'False' };
  if (isAccepted) {
    return withCondition(crd, { ...established, reason: 'Installing', message: ACCEPTED }, now);
  }
  if (conditionOf(crd, 'Established') !== undefined) return crd;
  const rejected = { ...established, reason: 'NotAccepted', message: 'not all names are accepted' };
  return withCondition(crd, rejected, now);
}

type AcceptedNames = Partial<CrdNames> & { readonly plural: string; readonly kind: string };

type TakenNames = { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> };

/** Includes the names of the CRD itself: its singular may not be its former plural. */
function takenNames(crd: Crd, others: Iterable<JsonObject>): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  const add = ({ spec, status }: Crd): void => {
    if (spec.group !== crd.spec.group) return;
    const { plural, singular, shortNames = [], kind, listKind } = status?.acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames]) resources.add(name ?? '');
    for (const name of [kind, listKind]) kinds.add(name ?? '');
  };
  add(crd);
  for (const other of others) add(toCrd(other));
  return { resources, kinds };
}

type NameResolution = { readonly names: AcceptedNames; readonly reason: string; readonly message: string };

/** Every free name is accepted, even if others conflict; the last conflict is reported. */
function resolveNames({ spec }: Crd, accepted: AcceptedNames, taken: TakenNames): NameResolution {
  const wanted = spec.names;
  let names: AcceptedNames = accepted;
  let conflict: Omit<NameResolution, 'names'> = { reason: 'NoConflicts', message: 'no conflicts found' };
  const settle = (field: 'plural' | 'singular' | 'kind' | 'listKind', reason: string): void => {
    const name = wanted[field] ?? '';
    const used = field === 'kind' || field === 'listKind' ? taken.kinds : taken.resources;
    if (name !== (accepted[field] ?? '') && used.has(name)) conflict = { reason, message: inUse(name) };
    else names = { ...names, [field]: name };
  };
  settle('plural', 'PluralConflict');
  settle('singular', 'SingularConflict');
  const { shortNames = [] } = wanted;
  const own = new Set(accepted.shortNames);
  const rejected = shortNames.filter((name) => !own.has(name) && taken.resources.has(name));
  if (rejected.length > 0) conflict = { reason: 'ShortNamesConflict', message: allInUse(rejected) };
  else names = withList(names, 'shortNames', shortNames);
  settle('kind', 'KindConflict');
  settle('listKind', 'ListKindConflict');
  return { ...conflict, names: withList(names, 'categories', wanted.categories ?? []) };
}

function withList(
  names: AcceptedNames,
  field: 'shortNames' | 'categories',
  list: readonly string[],
): AcceptedNames {
  const { [field]: _, ...rest } = names;
  return list.length === 0 ? rest : { ...rest, [field]: list };
}

function inUse(name: string): string {
  return `${quoted(name)} is already in use`;
}

function allInUse(names: readonly string[]): string {
  const texts = [...new Set(names.map(inUse))];
  return texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`;
}
