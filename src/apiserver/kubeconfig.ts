/**
 * The file by which `kubectl` finds a server and proves who it is.
 */
import { isObject, type Json, own } from '../json.ts';
import { formatYaml, parseYaml } from '../yaml/index.ts';

export type Kubeconfig = {
  readonly server: string;
  /** In PEM, as are the others. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
};

const CLUSTER = 'millwright';
const USER = 'millwright-admin';

export function formatKubeconfig(kubeconfig: Kubeconfig): string {
  const { cluster, user } = entriesOf(kubeconfig);
  return formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: CLUSTER, cluster }],
    contexts: [{ name: CLUSTER, context: { cluster: CLUSTER, user: USER } }],
    'current-context': CLUSTER,
    preferences: {},
    users: [{ name: USER, user }],
  });
}

/**
 * Whether a file still leads where it should. People may have added to it since (`kubectl config set-context
 * --current --namespace=…`), and such a file is better left as it is.
 */
export function leadsTo(text: string, kubeconfig: Kubeconfig): boolean {
  const parsed = parseYaml(text);
  const file = parsed.kind === 'ok' ? parsed.value[0]?.value : undefined;
  if (!isObject(file)) return false;
  const { cluster, user } = entriesOf(kubeconfig);
  return (
    holds(named(file, { list: 'clusters', name: CLUSTER, field: 'cluster' }), cluster) &&
    holds(named(file, { list: 'users', name: USER, field: 'user' }), user)
  );
}

type Entry = { readonly [key: string]: string };

function entriesOf({ server, authority, certificate, key }: Kubeconfig): {
  readonly cluster: Entry;
  readonly user: Entry;
} {
  return {
    cluster: { 'certificate-authority-data': base64(authority), server },
    user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) },
  };
}

type Place = { readonly list: string; readonly name: string; readonly field: string };

function named(file: { readonly [key: string]: unknown }, { list, name, field }: Place): unknown {
  const items = own(file, list);
  if (!Array.isArray(items)) return undefined;
  const item = (items as readonly Json[]).find((one) => isObject(one) && own(one, 'name') === name);
  return isObject(item) ? own(item, field) : undefined;
}

function holds(found: unknown, entry: Entry): boolean {
  return isObject(found) && Object.entries(entry).every(([key, value]) => own(found, key) === value);
}

/** PEM is ASCII, so that every character is a byte. */
function base64(ascii: string): string {
  return btoa(ascii);
}
