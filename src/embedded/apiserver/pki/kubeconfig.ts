/**
 * The kubeconfig of the administrator.
 *
 * We write it and users edit it (`kubectl config set-context --current --namespace=…`): only the entries of our
 * cluster and user are updated.
 */
import { isJsonObject, isObject, type Json, type JsonObject, own } from '../../../base/json.ts';
import { formatYaml, parseYaml } from '../../../base/yaml/index.ts';

export type Kubeconfig = {
  readonly server: string;
  /** In PEM, as are the others. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
};

const CLUSTER = 'millwright';
const USER = 'millwright-admin';

/** An empty kubeconfig, with the usual order of fields. */
const EMPTY: JsonObject = {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [],
  contexts: [],
  'current-context': '',
  preferences: {},
  users: [],
};

/** The updated file; the same text if it is up to date. `undefined`: it is not ours. */
export function updatedKubeconfig(text: string | undefined, kubeconfig: Kubeconfig): string | undefined {
  if (text === undefined || isBlank(text)) return formatYaml(withEntries(EMPTY, kubeconfig));
  const file = fileOf(text);
  if (file === undefined || !hasOurCluster(file)) return undefined;
  const updated = withEntries(file, kubeconfig);
  return JSON.stringify(updated) === JSON.stringify(file) ? text : formatYaml(updated);
}

/** Whether we may write the file: it is empty or contains our cluster. */
export function isOurKubeconfig(text: string): boolean {
  if (isBlank(text)) return true;
  const file = fileOf(text);
  return file !== undefined && hasOurCluster(file);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function fileOf(text: string): JsonObject | undefined {
  const parsed = parseYaml(text);
  if (parsed.kind !== 'ok' || parsed.value.length !== 1) return undefined;
  const file = parsed.value[0]?.value;
  return isJsonObject(file) ? file : undefined;
}

function hasOurCluster(file: JsonObject): boolean {
  return itemsOf(file, 'clusters').some((item) => isNamed(item, CLUSTER));
}

function withEntries(file: JsonObject, { server, authority, certificate, key }: Kubeconfig): JsonObject {
  const cluster = { 'certificate-authority-data': base64(authority), server };
  const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
  const contexts = itemsOf(file, 'contexts');
  const context: JsonObject = { name: CLUSTER, context: { cluster: CLUSTER, user: USER } };
  const isReachable = contexts.some((item) => isNamed(item, CLUSTER) || leadsToUs(item));
  return {
    ...file,
    // `kubectl` fails if two kinds of credentials are given.
    clusters: withEntry(itemsOf(file, 'clusters'), { ...CLUSTER_ENTRY, value: cluster, drop: INSECURE }),
    contexts: isReachable ? contexts : [...contexts, context],
    'current-context': file['current-context'] || CLUSTER,
    users: withEntry(itemsOf(file, 'users'), { ...USER_ENTRY, value: user, drop: '' }),
  };
}

const CLUSTER_ENTRY = { name: CLUSTER, field: 'cluster' };
const USER_ENTRY = { name: USER, field: 'user' };
const INSECURE = 'insecure-skip-tls-verify';

function leadsToUs(item: Json): boolean {
  const context = isJsonObject(item) ? own(item, 'context') : undefined;
  return isObject(context) && own(context, 'cluster') === CLUSTER && own(context, 'user') === USER;
}

type Entry = {
  readonly name: string;
  readonly field: string;
  readonly value: JsonObject;
  /** A field that conflicts with these. */
  readonly drop: string;
};

/** The list with the entry updated or added. */
function withEntry(items: readonly Json[], { name, field, value, drop }: Entry): readonly Json[] {
  const isThere = items.some((item) => isNamed(item, name));
  if (!isThere) return [...items, { name, [field]: value }];
  return items.map((item) => {
    if (!isJsonObject(item) || !isNamed(item, name)) return item;
    const before = item[field];
    const { [drop]: _, ...kept } = isJsonObject(before) ? before : {};
    return { ...item, [field]: { ...kept, ...value } };
  });
}

function isNamed(item: Json, name: string): boolean {
  return isJsonObject(item) && own(item, 'name') === name;
}

function itemsOf(file: JsonObject, list: string): readonly Json[] {
  const items = own(file, list);
  return Array.isArray(items) ? items : [];
}

/** PEM is ASCII: one byte per character. */
function base64(ascii: string): string {
  return btoa(ascii);
}
