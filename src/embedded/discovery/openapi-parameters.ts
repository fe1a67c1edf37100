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
  allowWatchBookmarks: ['boolean', 'Whether a watch may send bookmarks, which say how far it has come.'],
  container: ['string', 'The container whose log is wanted; may be left out where there is but one.'],
  continue: ['string', 'Where the next page begins: the value that came with the page before.'],
  dryRun: ['string', 'All: everything is checked, and nothing is kept.'],
  fieldManager: ['string', 'Who writes, as a name for managedFields; required for apply patches.'],
  fieldSelector: ['string', 'Only objects whose fields have these values, such as metadata.name=a.'],
  fieldValidation: [
    'string',
    'What becomes of fields that the kind does not know: Ignore drops them, Warn says so too, Strict refuses the object.',
  ],
  follow: ['boolean', 'Whether to go on with what is still to be written.'],
  force: ['boolean', 'Whether an apply patch takes fields from other managers.'],
  gracePeriodSeconds: ['integer', 'How long the object has to end in order; 0 deletes it at once.'],
  ignoreStoreReadErrorWithClusterBreakingPotential: [
    'boolean',
    'Whether an object that can no longer be read is deleted unread.',
  ],
  insecureSkipTLSVerifyBackend: ['boolean', 'Whether the certificate of the kubelet is left unchecked.'],
  labelSelector: ['string', 'Only objects whose labels fit, such as app=web,tier!=test.'],
  limit: ['integer', 'How many objects a page may hold.'],
  limitBytes: ['integer', 'How many bytes of the log to send at most.'],
  orphanDependents: ['boolean', 'The older way to say propagationPolicy=Orphan.'],
  pretty: ['string', 'Whether the answer is indented for people; as a rule it is for browsers and curl.'],
  previous: ['boolean', 'Whether to show the log of the container that ran before.'],
  propagationPolicy: ['string', 'What becomes of dependents: Orphan, Background or Foreground.'],
  resourceVersion: ['string', 'How new the answer must be, or from where a watch goes on.'],
  resourceVersionMatch: ['string', 'How resourceVersion is meant: Exact or NotOlderThan.'],
  sendInitialEvents: ['boolean', 'Whether a watch begins with what is there already.'],
  sinceSeconds: ['integer', 'Only what was written in the last seconds.'],
  stream: ['string', 'All, Stdout or Stderr.'],
  tailLines: ['integer', 'Only so many lines from the end.'],
  timeoutSeconds: ['integer', 'After how many seconds a list or watch ends.'],
  timestamps: ['boolean', 'Whether each line begins with its time.'],
  watch: ['boolean', 'Whether to send changes from here on in place of a list.'],
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
  ...(['continue', 'fieldSelector', 'labelSelector', 'limit'] as const),
  ...(['resourceVersion', 'resourceVersionMatch', 'sendInitialEvents', 'timeoutSeconds'] as const),
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
    ...(['container', 'follow', 'insecureSkipTLSVerifyBackend', 'limitBytes', 'previous'] as const),
    ...(['sinceSeconds', 'stream', 'tailLines', 'timestamps'] as const),
  ],
} as const satisfies { readonly [what: string]: readonly ParameterName[] };
