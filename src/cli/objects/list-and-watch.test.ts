import { expect, it } from 'vitest';
import { systemClock } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { isExpired, type Transport } from '../../kubernetes/client/index.ts';
import { ClusterSession } from './cluster-session.ts';
import { type Change, itemsOf, listAll, type Scope, watchChanges } from './list-and-watch.ts';
import { waitForObjects } from './wait-for-objects.ts';

const scope: Scope = {
  resource: {
    group: '',
    version: 'v1',
    plural: 'things',
    singular: 'thing',
    kind: 'Thing',
    scope: 'Namespaced',
    shortNames: [],
    categories: [],
    verbs: [],
  },
  namespace: 'here',
};
const thing = (name: string, resourceVersion: string) => ({ metadata: { name, resourceVersion } });
const list = (items: readonly object[], metadata: object) => JSON.stringify({ items, metadata });
const event = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };

type Step = string | { readonly status: number; readonly body: string } | Failure;

/** Answers one step per request; a failure is a connection that breaks after the previous chunks. */
function server(...steps: readonly (readonly Step[])[]) {
  const queries: string[] = [];
  const transport: Transport = {
    async send({ query }) {
      const [first = '', ...rest] = steps[queries.length] ?? [];
      queries.push(query);
      if (first instanceof Failure) throw first;
      const { status, body } = typeof first === 'string' ? { status: 200, body: first } : first;
      return { status, headers: {}, body: pieces([body, ...rest]) };
    },
  };
  const session = new ClusterSession({
    transport,
    clock: systemClock,
    namespace: 'here',
    warn: () => undefined,
  });
  return { session, queries };
}

async function* pieces(steps: readonly Step[]): AsyncGenerator<Uint8Array> {
  for (const step of steps) {
    if (step instanceof Failure) throw step;
    yield new TextEncoder().encode(typeof step === 'string' ? step : step.body);
  }
}

const cut = () => new Failure('transient', 'Unreachable', 'cut');
const { signal } = new AbortController();

async function taken(changes: AsyncIterable<Change>): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const { type, object } of changes) {
    seen.push(`${type} ${JSON.stringify(object.metadata)}`);
  }
  return seen;
}

it('a list whose continue token expires is requested again without pagination', async () => {
  const { session, queries } = server(
    [list([thing('a', '1')], { resourceVersion: '5', continue: 'more' })],
    [{ status: 410, body: JSON.stringify(gone) }],
    [list([thing('a', '1'), thing('b', '2')], { resourceVersion: '6' })],
  );
  const listed = await listAll(session, { ...scope, labelSelector: 'a=b' });
  expect(itemsOf(listed)).toHaveLength(2);
  expect(listed.resourceVersion).toBe('6');
  expect(queries).toEqual([
    'labelSelector=a%3Db&limit=500',
    'labelSelector=a%3Db&limit=500&continue=more',
    'labelSelector=a%3Db',
  ]);
});

it('a watch resumes after a lost connection until the server is unreachable', async () => {
  const { session, queries } = server(
    [event('ADDED', thing('a', '7')), event('BOOKMARK', { metadata: { resourceVersion: '9' } }), cut()],
    [cut()],
  );
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { type } of watchChanges(session, scope, { resourceVersion: '6', signal }))
      seen.push(type);
  })();
  await expect(watching).rejects.toThrow('cut');
  expect(seen).toEqual(['ADDED']);
  expect(queries.map((query) => /resourceVersion=(\d+)/.exec(query)?.[1])).toEqual(['6', '9']);
});

it('a watch of tables takes the resource version from the row', async () => {
  const table = { kind: 'Table', rows: [{ object: thing('a', '8') }] };
  const { session, queries } = server([event('MODIFIED', table)], [cut()]);
  await expect(taken(watchChanges(session, scope, { resourceVersion: '1', signal }))).rejects.toThrow('cut');
  expect(queries[1]).toContain('resourceVersion=8');
});

it('a watch reports an expired resource version and a malformed line', async () => {
  const from = { resourceVersion: '1', signal };
  const expired = server([event('ERROR', gone)]);
  const error = await taken(watchChanges(expired.session, scope, from)).catch((thrown: unknown) => thrown);
  expect(isExpired(error)).toBe(true);
  const garbled = server(['{"type":\n']);
  await expect(taken(watchChanges(garbled.session, scope, from))).rejects.toThrow('not an event');
});

it('waitForObjects lists again after an expired resource version', async () => {
  const { session } = server(
    [list([thing('a', '1')], { resourceVersion: '1' })],
    [{ status: 410, body: JSON.stringify(gone) }],
    [list([], { resourceVersion: '2' })],
  );
  const ended: string[] = [];
  const late = await waitForObjects(session, {
    objects: [{ resource: scope.resource, namespace: 'here', name: 'a' }],
    check: (_awaited, object) => (object === undefined ? 'met' : 'pending'),
    onSettled: ({ name }, verdict) => ended.push(`${name} ${verdict}`),
    timeoutMs: 10_000,
  });
  expect([late, ended]).toEqual([[], ['a met']]);
});
