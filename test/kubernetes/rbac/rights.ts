/**
 * What an account may do, as the server itself says: its rules, and its decision about every resource and verb of the API.
 */
import type { HttpClient } from '../../contract/http-client.ts';
import { type Loose, listOf, textOf } from '../../contract/loose.ts';
import type { Credentials } from '../kubeconfig.ts';
import { NS } from './installed-cluster.ts';

/** The namespaces with rights of their own, and one without any; the last is where no namespace is given. */
export const PLACES = [
  NS,
  'default',
  'kube-system',
  'openshift-config',
  'openshift-config-managed',
  'kube-public',
];

export const VERBS = [
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  ...['approve', 'attest', 'bind', 'escalate', 'impersonate', 'sign', 'use'],
];

export type Resource = { readonly group: string; readonly name: string };

/** `patch nodes`, `get secrets (pull-secret)`, `* *.*`, each with the place. */
export async function rulesOf(client: HttpClient, user: Credentials): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const namespace of PLACES) {
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      spec: { namespace },
    };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
    const { json } = await client.request('POST', path, { body, user });
    for (const rule of listOf(json.status?.resourceRules)) {
      for (const line of linesOf(rule)) found.add(`${namespace}: ${line}`);
    }
    for (const rule of listOf(json.status?.nonResourceRules)) {
      for (const verb of texts(rule.verbs))
        for (const url of texts(rule.nonResourceURLs)) found.add(`${namespace}: ${verb} ${url}`);
    }
  }
  return found;
}

function linesOf(rule: Loose): readonly string[] {
  const names = texts(rule.resourceNames);
  const only = names.length === 0 ? '' : ` (${[...names].sort().join(', ')})`;
  return texts(rule.apiGroups).flatMap((group) =>
    texts(rule.resources).flatMap((resource) =>
      texts(rule.verbs).map((verb) => `${verb} ${resourceText({ group, name: resource })}${only}`),
    ),
  );
}

/** What is the same in all places once: `everywhere` are the rights of ClusterRoleBindings. */
export function rightsText(rules: ReadonlySet<string>, everyones: ReadonlySet<string>): string {
  const [first = '', ...others] = PLACES;
  const own = [...rules].filter((line) => !everyones.has(line));
  const at = (place: string) =>
    own.filter((line) => line.startsWith(`${place}: `)).map((line) => line.slice(place.length + 2));
  const everywhere = at(first).filter((line) => others.every((place) => rules.has(`${place}: ${line}`)));
  const section = (place: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${place}:`, ...[...lines].sort().map((line) => `  ${line}`)];
  return [
    ...section('everywhere', everywhere),
    ...PLACES.flatMap((place) =>
      section(
        place,
        at(place).filter((line) => !everywhere.includes(line)),
      ),
    ),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** All resources of the API with their subresources. */
export async function resourcesOf(client: HttpClient): Promise<readonly Resource[]> {
  const groups = listOf((await client.request('GET', '/apis')).json.groups);
  const roots = [
    ['', '/api/v1'],
    ...groups.flatMap((group) =>
      listOf(group.versions as Loose).map((version) => [
        textOf(group.name),
        `/apis/${textOf(version.groupVersion)}`,
      ]),
    ),
  ];
  const found = new Map<string, Resource>();
  for (const [group = '', root = ''] of roots) {
    for (const { name } of listOf((await client.request('GET', root)).json.resources)) {
      const resource = { group, name: textOf(name) };
      found.set(resourceText(resource), resource);
    }
  }
  // They are verbs of others, or are in no list of the server.
  for (const name of ['users', 'groups', 'serviceaccounts']) found.set(name, { group: '', name });
  for (const name of ['signers']) {
    const resource = { group: 'certificates.k8s.io', name };
    found.set(resourceText(resource), resource);
  }
  return [...found.values()];
}

export type Question = {
  readonly account: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly verb: string;
  readonly resource: Resource;
};

/** The decision of the server about a request without a name. */
export async function isAllowed(client: HttpClient, question: Question): Promise<boolean> {
  const { account, namespace, verb, resource } = question;
  const [name, subresource = ''] = resource.name.split('/');
  const { status, json, body } = await client.request(
    'POST',
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    {
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: `system:serviceaccount:${NS}:${account}`,
          groups: ['system:serviceaccounts', `system:serviceaccounts:${NS}`, 'system:authenticated'],
          resourceAttributes: { namespace, verb, group: resource.group, resource: name, subresource },
        },
      },
    },
  );
  if (status !== 201) throw new Error(`asking about ${account}: ${status} ${body}`);
  return (json.status?.allowed as unknown) === true;
}

export function resourceText({ group, name }: Resource): string {
  return group === '' ? name : `${name}.${group}`;
}

function texts(value: Loose | undefined): readonly string[] {
  return value === undefined ? [] : listOf(value).map(textOf);
}
