/**
 * Who gets which names: within a group a resource or kind can belong to one definition only, and first come is first
 * served.
 *
 *     made → NamesAccepted, Established False (Installing) → Established True, and the resource is served
 *          ↘ NamesAccepted False (ShortNamesConflict), Established False (NotAccepted)
 *
 * Each arrow is one change of the status, by `acceptNames` and then `establish`. Names that were refused are looked
 * at again whenever another definition of the group changes or goes.
 */
import { type JsonObject, jsonEqual } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { withCondition } from './conditions.ts';
import { conditionOf, type Definition, definitionOf, isTrue, type Names, objectOf } from './definition.ts';

/** The definition with its names judged anew; nothing where that changes nothing. */
export function acceptNames(
  object: JsonObject,
  others: Iterable<JsonObject>,
  now: string,
): JsonObject | undefined {
  const definition = definitionOf(object);
  const accepted: AcceptedNames = definition.status?.acceptedNames ?? { plural: '', kind: '' };
  if (jsonEqual(definition.spec.names, accepted)) return undefined;
  const { names, reason, message } = judge(definition, accepted, takenNames(definition, others));
  const status = reason === 'NoConflicts' ? 'True' : 'False';
  const before = conditionOf(definition, 'NamesAccepted');
  const isSame = before?.status === status && before.reason === reason && before.message === message;
  if (isSame && jsonEqual(names, accepted)) return undefined;
  const judged = withCondition(definition, { type: 'NamesAccepted', status, reason, message }, now);
  const named = { ...judged, status: { ...judged.status, acceptedNames: names } };
  return objectOf(withInstalling(named, status === 'True', now));
}

/** The definition once its resource may be served; nothing where it is so already, or may not be. */
export function establish(object: JsonObject, now: string): JsonObject | undefined {
  const definition = definitionOf(object);
  if (!isTrue(definition, 'NamesAccepted') || isTrue(definition, 'Established')) return undefined;
  const condition = {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: ACCEPTED,
  };
  return objectOf(withCondition(definition, condition, now));
}

const ACCEPTED = 'the initial names have been accepted';

function withInstalling(definition: Definition, isAccepted: boolean, now: string): Definition {
  if (isTrue(definition, 'Established')) return definition;
  const established = { type: 'Established', status: 'False' };
  if (isAccepted) {
    return withCondition(definition, { ...established, reason: 'Installing', message: ACCEPTED }, now);
  }
  if (conditionOf(definition, 'Established') !== undefined) return definition;
  const refused = { ...established, reason: 'NotAccepted', message: 'not all names are accepted' };
  return withCondition(definition, refused, now);
}

type AcceptedNames = Partial<Names> & { readonly plural: string; readonly kind: string };

type Taken = { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> };

/** Also by the definition itself: its singular may not be its plural of before. */
function takenNames(definition: Definition, others: Iterable<JsonObject>): Taken {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  const add = ({ spec, status }: Definition): void => {
    if (spec.group !== definition.spec.group) return;
    const { plural, singular, shortNames = [], kind, listKind } = status?.acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames]) resources.add(name ?? '');
    for (const name of [kind, listKind]) kinds.add(name ?? '');
  };
  add(definition);
  for (const other of others) add(definitionOf(other));
  return { resources, kinds };
}

type Judgement = { readonly names: AcceptedNames; readonly reason: string; readonly message: string };

/** Every name that is free is accepted, whatever becomes of the others; the last conflict is the one that is told. */
function judge({ spec }: Definition, accepted: AcceptedNames, taken: Taken): Judgement {
  const wanted = spec.names;
  let names: AcceptedNames = accepted;
  let conflict: Omit<Judgement, 'names'> = { reason: 'NoConflicts', message: 'no conflicts found' };
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
  const refused = shortNames.filter((name) => !own.has(name) && taken.resources.has(name));
  if (refused.length > 0) conflict = { reason: 'ShortNamesConflict', message: allInUse(refused) };
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
