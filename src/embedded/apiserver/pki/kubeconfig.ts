/**
 * The file by which `kubectl` finds a server and proves who it is.
 *
 * It is ours to write and others' to change (`kubectl config set-context --current --namespace=…`): only the entries
 * of our cluster and our user are brought up to date, and whatever else is in it stays.
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

/** One with nothing in it, in the usual order of its fields. */
const EMPTY: JsonObject = {
  ...{ apiVersion: 'v1', kind: 'Config', clusters: [], contexts: [] },
  ...{ 'current-context': '', preferences: {}, users: [] },
};

/** The file as it should be: the very same text where that leads to the server already. `undefined`: it is not ours. */
export function updatedKubeconfig(text: string | undefined, kubeconfig: Kubeconfig): string | undefined {
  if (text === undefined || isBlank(text)) return formatYaml(withEntries(EMPTY, kubeconfig));
  const file = fileOf(text);
  if (file === undefined || !hasOurCluster(file)) return undefined;
  const updated = withEntries(file, kubeconfig);
  return JSON.stringify(updated) === JSON.stringify(file) ? text : formatYaml(updated);
}

/** Whether the file may be written to: nothing is in it, or our cluster is. */
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
    // `kubectl` refuses to go without proof where it is told how to get one.
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
  /** A key that has no place beside these. */
  readonly drop: string;
};

/** The list with the entry of that name brought up to date, or added. */
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

/** PEM is ASCII, so that every character is a byte. */
function base64(ascii: string): string {
  return btoa(ascii);
}
