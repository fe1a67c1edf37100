/**
 * Parses the current context of a kubeconfig. Files that it refers to are read in `kubeconfig-node.ts`.
 */
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { parseYaml } from '../../base/yaml/index.ts';

/** Inline, or in another file. */
export type Source =
  | { readonly kind: 'base64'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

export type Kubeconfig = {
  readonly server: string;
  readonly authority: Source | undefined;
  readonly serverName: string | undefined;
  readonly isUnverified: boolean;
  readonly certificate: Source | undefined;
  readonly key: Source | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly namespace: string | undefined;
};

type Fields = { readonly [key: string]: unknown };

/** Problems contain no values: some of them are secrets. */
export function parseKubeconfig(text: string, contextName?: string): Outcome<Kubeconfig> {
  const parsed = parseYaml(text);
  if (parsed.kind === 'invalid') return invalid([{ path: '', message: 'it is no YAML' }]);
  const file = parsed.value[0]?.value;
  if (!isObject(file)) return wrong('', 'it is no kubeconfig');
  const current = contextName ?? own(file, 'current-context');
  if (typeof current !== 'string' || current === '') return wrong('current-context', 'it names no context');
  const context = entry(file, { list: 'contexts', name: current, field: 'context' });
  if (context === undefined) return wrong('contexts', `there is no context ${JSON.stringify(current)}`);
  const cluster = entry(file, { list: 'clusters', name: own(context, 'cluster'), field: 'cluster' });
  if (cluster === undefined) return wrong('clusters', 'the cluster of the context is not there');
  // A context without a user is anonymous, which a server may accept.
  const user = entry(file, { list: 'users', name: own(context, 'user'), field: 'user' }) ?? {};
  return ofParts({ context, cluster, user });
}

type Parts = { readonly context: Fields; readonly cluster: Fields; readonly user: Fields };

function ofParts({ context, cluster, user }: Parts): Outcome<Kubeconfig> {
  const server = textField(cluster, 'server');
  if (server === undefined || !/^https?:\/\/[^/]/.test(server)) {
    return wrong('clusters', 'the cluster has no server with an http or https URL');
  }
  const refused = refusal(cluster, CLUSTER_REFUSALS) ?? refusal(user, USER_REFUSALS);
  if (refused !== undefined) return refused;
  const certificate = source(user, 'client-certificate');
  const key = source(user, 'client-key');
  if ((certificate === undefined) !== (key === undefined)) {
    return wrong('users', 'a client certificate and its key go together, and one of them is missing');
  }
  return ok({
    server,
    authority: source(cluster, 'certificate-authority'),
    serverName: textField(cluster, 'tls-server-name'),
    isUnverified: own(cluster, 'insecure-skip-tls-verify') === true,
    ...{ certificate, key },
    token: textField(user, 'token'),
    tokenFile: textField(user, 'tokenFile'),
    namespace: textField(context, 'namespace'),
  });
}

type Refusals = { readonly [field: string]: string };

const CLUSTER_REFUSALS: Refusals = { 'proxy-url': 'proxies are not supported' };
const USER_REFUSALS: Refusals = {
  exec: 'credentials by a command (exec) are not supported: use a token, a token file or a client certificate',
  'auth-provider': 'auth providers are not supported: use a token, a token file or a client certificate',
  username: 'user names with passwords are not supported: use a token, a token file or a client certificate',
  as: 'impersonation is not supported',
};

function refusal(fields: Fields, refusals: Refusals): Outcome<never> | undefined {
  const found = Object.keys(refusals).find((field) => own(fields, field) !== undefined);
  return found === undefined ? undefined : wrong(found, refusals[found] ?? '');
}

function wrong(path: string, message: string): Outcome<never> {
  return invalid([{ path, message }]);
}

type Named = { readonly list: string; readonly name: unknown; readonly field: string };

function entry(file: Fields, { list, name, field }: Named): Fields | undefined {
  const entries = own(file, list);
  if (!Array.isArray(entries)) return undefined;
  for (const item of entries as readonly unknown[]) {
    if (!isObject(item) || own(item, 'name') !== name) continue;
    const value = own(item, field);
    return isObject(value) ? value : undefined;
  }
  return undefined;
}

/** Inline data takes precedence, as with kubectl. */
function source(fields: Fields, name: string): Source | undefined {
  const text = textField(fields, `${name}-data`);
  if (text !== undefined) return { kind: 'base64', text };
  const path = textField(fields, name);
  return path === undefined ? undefined : { kind: 'file', path };
}

function textField(fields: Fields, name: string): string | undefined {
  const value = own(fields, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
