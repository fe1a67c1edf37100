/**
 * Parses a context of one or more kubeconfigs. Files that they refer to are read in `kubeconfig-node.ts`.
 *
 * Several are merged as kubectl does: of entries with the same name the first counts, as a whole, and so does the first
 * `current-context`. Paths are relative to the file that has them.
 */
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { didYouMean } from '../../base/text/index.ts';
import { parseYaml } from '../../base/yaml/index.ts';

/** A path, and the kubeconfig that it is relative to. */
export type Reference = { readonly path: string; readonly from: string };

/** Inline, or in another file. */
export type Source =
  | { readonly kind: 'base64'; readonly text: string }
  | ({ readonly kind: 'file' } & Reference);

export type Kubeconfig = {
  readonly context: string;
  /** The path of the file that has the context. */
  readonly path: string;
  readonly server: string;
  readonly authority: Source | undefined;
  readonly serverName: string | undefined;
  readonly isUnverified: boolean;
  readonly certificate: Source | undefined;
  readonly key: Source | undefined;
  readonly token: string | undefined;
  readonly tokenFile: Reference | undefined;
  readonly namespace: string | undefined;
};

type Fields = { readonly [key: string]: unknown };

/** One kubeconfig. */
export type KubeconfigFile = { readonly path: string; readonly content: Fields };

/** Problems contain no values: some of them are secrets. An empty file is a kubeconfig without entries. */
export function parseKubeconfig(path: string, text: string): Outcome<KubeconfigFile> {
  const parsed = parseYaml(text);
  if (parsed.kind === 'invalid') return wrong('', 'it is no YAML');
  const content = parsed.value[0]?.value ?? {};
  return isObject(content) ? ok({ path, content }) : wrong('', 'it is no kubeconfig');
}

/** The current context of the files, or the given one. */
export function kubeconfigContext(
  files: readonly KubeconfigFile[],
  contextName?: string,
): Outcome<Kubeconfig> {
  const current = contextName ?? currentContext(files);
  if (current === undefined) return wrong('current-context', `it names no context${listed(files)}`);
  const context = entry(files, { list: 'contexts', name: current, field: 'context' });
  if (context === undefined) {
    const known = contextNames(files);
    const message = `there is no context ${JSON.stringify(current)}${didYouMean(current, known)}${listed(files)}`;
    return wrong('contexts', message);
  }
  const { fields } = context;
  const cluster = entry(files, { list: 'clusters', name: own(fields, 'cluster'), field: 'cluster' });
  if (cluster === undefined) return wrong('clusters', 'the cluster of the context is not there');
  // A context without a user is anonymous, which a server may accept.
  const user = entry(files, { list: 'users', name: own(fields, 'user'), field: 'user' });
  return ofParts({ name: current, context, cluster, user: user ?? { fields: {}, path: '' } });
}

function currentContext(files: readonly KubeconfigFile[]): string | undefined {
  for (const { content } of files) {
    const name = textField(content, 'current-context');
    if (name !== undefined) return name;
  }
  return undefined;
}

const MAX_LISTED = 20;

function listed(files: readonly KubeconfigFile[]): string {
  const names = contextNames(files);
  const more = names.length > MAX_LISTED ? `, … (${names.length} in all)` : '';
  return `; contexts: ${names.slice(0, MAX_LISTED).join(', ') || 'none'}${more}`;
}

function contextNames(files: readonly KubeconfigFile[]): readonly string[] {
  const names = files.flatMap(({ content }) =>
    entriesOf(content, 'contexts').flatMap((item) => textField(item, 'name') ?? []),
  );
  return [...new Set(names)].sort();
}

/** An entry, and the path of its file. */
type Entry = { readonly fields: Fields; readonly path: string };

type Parts = {
  readonly name: string;
  readonly context: Entry;
  readonly cluster: Entry;
  readonly user: Entry;
};

function ofParts({ name, context, cluster, user }: Parts): Outcome<Kubeconfig> {
  const server = textField(cluster.fields, 'server');
  if (server === undefined || !/^https?:\/\/[^/]/.test(server)) {
    return wrong('clusters', 'the cluster has no server with an http or https URL');
  }
  const refused = refusal(cluster.fields, CLUSTER_REFUSALS) ?? refusal(user.fields, USER_REFUSALS);
  if (refused !== undefined) return refused;
  const certificate = source(user, 'client-certificate');
  const key = source(user, 'client-key');
  if ((certificate === undefined) !== (key === undefined)) {
    return wrong('users', 'a client certificate and its key go together, and one of them is missing');
  }
  const tokenFile = textField(user.fields, 'tokenFile');
  return ok({
    context: name,
    path: context.path,
    server,
    authority: source(cluster, 'certificate-authority'),
    serverName: textField(cluster.fields, 'tls-server-name'),
    isUnverified: own(cluster.fields, 'insecure-skip-tls-verify') === true,
    ...{ certificate, key },
    token: textField(user.fields, 'token'),
    tokenFile: tokenFile === undefined ? undefined : { path: tokenFile, from: user.path },
    namespace: textField(context.fields, 'namespace'),
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

/** The first of the name, even if a later file has more of it. */
function entry(files: readonly KubeconfigFile[], { list, name, field }: Named): Entry | undefined {
  for (const { path, content } of files) {
    const item = entriesOf(content, list).find((one) => own(one, 'name') === name);
    if (item === undefined) continue;
    const fields = own(item, field);
    return isObject(fields) ? { fields, path } : undefined;
  }
  return undefined;
}

function entriesOf(content: Fields, list: string): readonly Fields[] {
  const entries = own(content, list);
  return Array.isArray(entries) ? entries.filter((item) => isObject(item)) : [];
}

/** Inline data takes precedence, as with kubectl. */
function source({ fields, path: from }: Entry, name: string): Source | undefined {
  const text = textField(fields, `${name}-data`);
  if (text !== undefined) return { kind: 'base64', text };
  const path = textField(fields, name);
  return path === undefined ? undefined : { kind: 'file', path, from };
}

function textField(fields: Fields, name: string): string | undefined {
  const value = own(fields, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
