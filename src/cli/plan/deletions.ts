/** `--delete KIND/NAME`: objects that the change removes. */
import { kinds } from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { didYouMean } from '../../base/text/index.ts';
import type { Deletion, SnapshotChange, SnapshotObject } from '../../insight/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import { configMap, daemonSet, node, pod, podDisruptionBudget } from '../../kubernetes/types/index.ts';

/** Of the kinds of Kubernetes those that a plan looks at. */
const DELETABLE = [...kinds, node, configMap, pod, podDisruptionBudget, daemonSet];

/**
 * By kind, plural, singular or short name, as kubectl has it. `namespace`: of the components, where the ConfigMap is that plans
 * look at. Throws a `Failure`.
 */
export function parseDeletion(text: string, namespace: string): Deletion {
  const slash = text.indexOf('/');
  const [word, name] = [text.slice(0, slash).toLowerCase(), text.slice(slash + 1)];
  if (slash <= 0 || name === '') {
    throw new Failure(
      'usage',
      'WrongUsage',
      `--delete: ${JSON.stringify(text)} is not KIND/NAME, such as machineconfig/99-worker-motd`,
    );
  }
  const [resource = ''] = word.split('.');
  const found = DELETABLE.find((kind) => namesOf(kind).includes(resource));
  if (found === undefined) {
    const known = DELETABLE.flatMap(namesOf);
    throw new Failure('usage', 'WrongUsage', `--delete: no kind ${word}${didYouMean(word, known)}`);
  }
  const place = { group: found.group, kind: found.kind };
  if (found.scope !== 'Namespaced') return { ...place, name };
  const usual = found.kind === configMap.kind ? namespace : 'default';
  const [own, its = usual] = name.split('/').reverse();
  return { ...place, name: own ?? '', namespace: its };
}

type Named = Pick<(typeof DELETABLE)[number], 'kind' | 'plural' | 'singular' | 'shortNames'>;

function namesOf({ kind, plural, singular, shortNames }: Named): readonly string[] {
  return [kind.toLowerCase(), plural, singular, ...shortNames];
}

/** What the change does not have any more, of the kinds that users declare. */
export function missingObjects(
  present: readonly SnapshotObject[],
  { applied }: SnapshotChange,
): readonly Deletion[] {
  const keyOf = ({ kind, metadata }: SnapshotObject) =>
    `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
  const kept = new Set(applied.map(keyOf));
  return present.flatMap((object) => {
    const known = kinds.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
    if (known === undefined || kept.has(keyOf(object))) return [];
    const { name, namespace } = object.metadata;
    return [
      { group: known.group, kind: known.kind, name, ...(namespace === undefined ? {} : { namespace }) },
    ];
  });
}
