/**
 * The query and path parameters of operations.
 */

export type Parameter = {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly description: string;
  readonly required?: true;
  readonly schema: { readonly type: 'string' | 'integer' | 'boolean'; readonly uniqueItems: true };
};

type Described = readonly [type: Parameter['schema']['type'], description: string];

const described = {
  allowWatchBookmarks: ['boolean', 'Whether a watch may send bookmarks.'],
  container: ['string', 'The container of the log; optional if there is only one.'],
  continue: ['string', 'The continue token of the previous page.'],
  dryRun: ['string', 'All: the request is validated, but nothing is stored.'],
  fieldManager: ['string', 'The name of the client in managedFields; required for apply patches.'],
  fieldSelector: ['string', 'Only objects whose fields have these values, such as metadata.name=a.'],
  fieldValidation: [
    'string',
    'The handling of unknown fields: Ignore drops them, Warn also warns, Strict refuses the object.',
  ],
  follow: ['boolean', 'Whether to follow the log.'],
  force: ['boolean', 'Whether an apply patch takes fields from other managers.'],
  gracePeriodSeconds: ['integer', 'The seconds until the object is deleted; 0 deletes it immediately.'],
  ignoreStoreReadErrorWithClusterBreakingPotential: [
    'boolean',
    'Whether to delete an object that can no longer be decoded.',
  ],
  insecureSkipTLSVerifyBackend: [
    'boolean',
    'Whether to skip verification of the certificate of the kubelet.',
  ],
  labelSelector: ['string', 'Only objects with matching labels, such as app=web,tier!=test.'],
  limit: ['integer', 'The maximum number of objects of a page.'],
  limitBytes: ['integer', 'The maximum number of bytes of the log.'],
  orphanDependents: ['boolean', 'The older form of propagationPolicy=Orphan.'],
  pretty: ['string', 'Whether the response is indented; by default it is for browsers and curl.'],
  previous: ['boolean', 'Whether to return the log of the previous container.'],
  propagationPolicy: ['string', 'The deletion of dependents: Orphan, Background or Foreground.'],
  resourceVersion: [
    'string',
    'The minimum version of the response, or the version from which a watch continues.',
  ],
  resourceVersionMatch: ['string', 'How resourceVersion is matched: Exact or NotOlderThan.'],
  sendInitialEvents: ['boolean', 'Whether a watch begins with the existing objects.'],
  sinceSeconds: ['integer', 'Only lines of the last seconds.'],
  stream: ['string', 'All, Stdout or Stderr.'],
  tailLines: ['integer', 'Only this number of lines from the end.'],
  timeoutSeconds: ['integer', 'The timeout of a list or watch.'],
  timestamps: ['boolean', 'Whether each line begins with its time.'],
  watch: ['boolean', 'Whether to watch for changes in place of a list.'],
} as const satisfies { readonly [name: string]: Described };

type ParameterName = keyof typeof described;

/** Query parameters, in the order of their names. */
export function queryParameters(names: readonly ParameterName[]): readonly Parameter[] {
  return names.toSorted().map((name) => {
    const [type, description] = described[name];
    return { name, in: 'query', description, schema: { type, uniqueItems: true } };
  });
}

export function pathParameter(name: 'name' | 'namespace', description: string): Parameter {
  return { name, in: 'path', description, required: true, schema: { type: 'string', uniqueItems: true } };
}

const page: readonly ParameterName[] = [
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
];
const deletion: readonly ParameterName[] = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];
const write: readonly ParameterName[] = ['dryRun', 'fieldManager', 'fieldValidation'];

/** By verb. All requests take `pretty` in addition. */
export const parametersOf = {
  list: ['allowWatchBookmarks', 'watch', ...page],
  create: write,
  deletecollection: [...deletion, ...page],
  get: [],
  update: write,
  delete: deletion,
  patch: [...write, 'force'],
  log: [
    'container',
    'follow',
    'insecureSkipTLSVerifyBackend',
    'limitBytes',
    'previous',
    'sinceSeconds',
    'stream',
    'tailLines',
    'timestamps',
  ],
} as const satisfies { readonly [what: string]: readonly ParameterName[] };
