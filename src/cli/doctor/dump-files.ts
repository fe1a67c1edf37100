/**
 * The files of a dump, in the layout of `oc adm inspect` and must-gather:
 *
 *     dump.json                                                  when it was taken, and which kinds were read
 *     cluster-scoped-resources/GROUP/PLURAL/NAME.yaml            the group `core` for built-in kinds without one
 *     namespaces/NAMESPACE/GROUP/PLURAL/NAME.yaml
 */
import type { Json } from '../../base/json.ts';
import { formatTimestamp } from '../../base/text/index.ts';
import { formatYaml } from '../../base/yaml/index.ts';
import type { ClusterSnapshot } from '../../insight/index.ts';

/** The first file of a dump, by which it is recognized. */
export const DUMP_FILE = 'dump.json';
export const DUMP_FORMAT = 'millwright-dump';

/** An object and the plural of its kind. */
export type DumpedObject = {
  readonly group: string;
  readonly plural: string;
  readonly name: string;
  readonly namespace?: string;
  readonly object: Json;
};

export type DumpFile = { readonly path: string; readonly text: string };

type Dump = {
  readonly snapshot: ClusterSnapshot;
  readonly objects: readonly DumpedObject[];
  /** Of the components. */
  readonly namespace: string;
  readonly unread: readonly string[];
};

export function dumpFiles({ snapshot, objects, namespace, unread }: Dump): readonly DumpFile[] {
  const about = {
    ...{ format: DUMP_FORMAT, version: 1, takenAt: formatTimestamp(snapshot.nowMs) },
    ...{ namespace, kinds: [...snapshot.kinds].sort(), unread: [...unread] },
  };
  return [
    { path: DUMP_FILE, text: `${JSON.stringify(about, null, 2)}\n` },
    ...objects.map((one) => ({ path: pathOf(one), text: formatYaml(one.object) })),
  ];
}

function pathOf({ group, plural, name, namespace }: DumpedObject): string {
  const place = namespace === undefined ? 'cluster-scoped-resources' : `namespaces/${fileName(namespace)}`;
  return `${place}/${group === '' ? 'core' : fileName(group)}/${fileName(plural)}/${fileName(name)}.yaml`;
}

/** Names of objects are no paths; those of some kinds contain colons. */
function fileName(name: string): string {
  const safe = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  return /^\.+$/.test(safe) ? safe.replaceAll('.', '_') : safe;
}
