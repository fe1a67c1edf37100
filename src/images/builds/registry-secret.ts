/**
 * Registry credentials in Secrets: both types that Kubernetes has, checked and brought into the one form that tools read.
 *
 *     kubernetes.io/dockerconfigjson  {"auths": {"quay.io": {"auth": "…"}}}
 *     kubernetes.io/dockercfg         {"quay.io": {"auth": "…"}}
 *
 * Problems name keys, never values.
 */
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../base/json.ts';
import { stringAt, stringMapAt } from '../../base/json-fields.ts';
import { base64Bytes } from '../../base/text/index.ts';
import { nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import type { Secret } from '../../kubernetes/types/index.ts';

const KEYS = {
  'kubernetes.io/dockerconfigjson': '.dockerconfigjson',
  'kubernetes.io/dockercfg': '.dockercfg',
} as const;

/**
 * The auth file, as text: `{"auths": …}` with the four fields that an entry may have. Entries that no tool can read are
 * warnings: the others are still good for their registries.
 */
export function authFileOf(secret: Secret): Outcome<string> {
  const structure = structureProblem(secret);
  if (structure !== undefined) return refused(structure);
  const key = KEYS[secret.type as keyof typeof KEYS];
  const bytes = base64Bytes(stringMapAt(secret, 'data')[key] ?? '');
  if (bytes === undefined) return refused(`${named(secret)} key '${key}' is not base64`);
  const document = parseJson(new TextDecoder().decode(bytes));
  const entries = entriesOf(document);
  if (typeof entries === 'string') {
    return refused(`could not canonicalize ${named(secret)}: key '${key}' ${entries}`);
  }
  const warnings = unreadableEntries(entries).map((problem) => ({
    path: '',
    message: `${named(secret)} key '${key}' ${problem}`,
  }));
  return ok(JSON.stringify({ auths: entries }), warnings);
}

/** The type of the Secret and its keys; undefined where they are as they should be. */
function structureProblem(secret: Secret): string | undefined {
  const data = stringMapAt(secret, 'data');
  const who = named(secret);
  if (Object.keys(data).length === 0) return `${who} has no data`;
  const { type = '' } = secret;
  if (type === '') return `${who} type field not set`;
  if (!Object.hasOwn(KEYS, type)) {
    return `${who} invalid secret key type ${type}, expected 'kubernetes.io/dockercfg' or 'kubernetes.io/dockerconfigjson'`;
  }
  const required = KEYS[type as keyof typeof KEYS];
  const other = Object.values(KEYS).find((key) => key !== required) ?? '';
  if (!Object.hasOwn(data, required))
    return `${who} type is '${type}' but required key '${required}' is missing`;
  if (data[required] === '')
    return `${who} type is '${type}' but required key '${required}' has an empty value`;
  if (Object.hasOwn(data, other))
    return `${who} type is '${type}' but also contains unexpected key '${other}'`;
  return undefined;
}

/** Name first, then the namespace, as upstream's builder prints it. */
function named(secret: Secret): string {
  return `secret '${nameOf(secret)}/${namespaceOf(secret)}'`;
}

const ENTRY_FIELDS: readonly string[] = ['username', 'password', 'email', 'auth'];
const HELPER_FIELDS: readonly string[] = ['credHelpers', 'credsStore'];

/** Either form under either type; a text is a problem. */
function entriesOf(document: Json | undefined): JsonObject | string {
  if (!isObject(document)) return 'is not a JSON object';
  const isWrapped = Object.hasOwn(document, 'auths');
  if (isWrapped) {
    const unknown = Object.keys(document).find((key) => key !== 'auths' && !HELPER_FIELDS.includes(key));
    if (unknown !== undefined) return `has the unknown field ${JSON.stringify(unknown)}`;
  }
  const auths = isWrapped ? (document.auths ?? {}) : document;
  if (!isObject(auths)) return 'has auths that are no object';
  const entries: Record<string, Json> = {};
  for (const [host, entry] of Object.entries(auths)) {
    if (!isObject(entry)) return `has an entry for ${JSON.stringify(host)} that is no object`;
    const unknown = Object.keys(entry).find((field) => !ENTRY_FIELDS.includes(field));
    if (unknown !== undefined) {
      return `has the unknown field ${JSON.stringify(unknown)} in the entry for ${JSON.stringify(host)}`;
    }
    const bad = Object.entries(entry).find(([, value]) => typeof value !== 'string');
    if (bad !== undefined)
      return `has a field ${JSON.stringify(bad[0])} for ${JSON.stringify(host)} that is no text`;
    entries[host] = entry as JsonObject;
  }
  return entries;
}

/** Tools ignore line breaks in base64, which the command of that name prints. */
function unreadableEntries(entries: JsonObject): readonly string[] {
  return Object.entries(entries).flatMap(([host, entry]) => {
    const auth = stringAt(entry, 'auth').replaceAll(/[\r\n]/g, '');
    if (base64Bytes(auth) !== undefined) return [];
    return [`has a field "auth" for ${JSON.stringify(host)} that is not base64`];
  });
}

function refused(message: string): Outcome<string> {
  return invalid([{ path: '', message }]);
}
