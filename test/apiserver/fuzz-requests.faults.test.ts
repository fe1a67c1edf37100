/**
 * Random requests over a real socket: path, query, headers, body and patch. Each gets an error response without
 * confidential data.
 */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { formatYaml } from '../../src/base/yaml/index.ts';
import { encodeProtobuf } from '../../src/embedded/protobuf/index.ts';
import { type FuzzWorld, runs, startFuzzWorld, TIMEOUT_MS, USERS } from './fuzz-server.ts';

let world: FuzzWorld;
beforeAll(async () => {
  world = await startFuzzWorld();
});
afterEach(async () => {
  await world.expectWell();
});
afterAll(async () => {
  await world.stop();
});

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: Uint8Array | string;
};

const send = async (user: string | undefined, { method, path, headers = {}, body }: Sent) => {
  const sized = body === undefined ? {} : { 'content-length': String(Buffer.from(body).length) };
  const answer = await world.ask(method, path, {
    ...(user === undefined ? {} : { user }),
    headers: { ...sized, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const asked = `${user ?? 'admin'}: ${method} ${path} ${JSON.stringify(headers)} ${String(body).slice(0, 300)}`;
  world.examine(answer, user, asked);
};

/** Halves of characters cannot be escaped. */
const escaped = (text: string) => encodeURIComponent(Buffer.from(text).toString());
const anyUser = fc.constantFrom(...USERS);
const method = fc.constantFrom('GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS');
const segment = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      'api',
      'apis',
      'v1',
      'apps',
      'rbac.authorization.k8s.io',
      'namespaces',
      'vault',
      'play',
      'default',
      'secrets',
      'configmaps',
      'pods',
      'nodes',
      'hidden',
      'seen',
      'status',
      'scale',
      'log',
      'proxy',
      'token',
      'watch',
      'openapi',
      'v2',
      'v3',
      '',
      '.',
      '..',
      '%2e%2e',
      '%2F',
      '%00',
      '%ff',
      '%zz',
      '*',
      '__proto__',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.string({ maxLength: 8 }).map((text) => escaped(text)),
  },
);
const path = fc.oneof(
  fc.array(segment, { maxLength: 9 }).map((parts) => `/${parts.join('/')}`),
  fc
    .tuple(fc.constantFrom('vault', 'play'), fc.constantFrom('secrets', 'configmaps'), fc.array(segment))
    .map(([namespace, plural, rest]) =>
      ['/api/v1/namespaces', namespace, plural, ...rest.slice(0, 3)].join('/'),
    ),
);
const odd = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1',
    'true',
    'false',
    '99999999999999999999',
    '1e3',
    'null',
    '%00',
    '%',
    'All',
  ),
  fc.string({ maxLength: 6 }).map((text) => escaped(text)),
);
const option = fc
  .tuple(
    fc.constantFrom(
      'watch',
      'limit',
      'continue',
      'resourceVersion',
      'resourceVersionMatch',
      'labelSelector',
      'pretty',
      'fieldSelector',
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
      'gracePeriodSeconds',
      'propagationPolicy',
      'allowWatchBookmarks',
      'sendInitialEvents',
      'includeObject',
      'follow',
      'exclude',
      'orphanDependents',
      'tailLines',
      'sinceTime',
      'container',
      'verbose',
      'timeout',
    ),
    odd,
  )
  .map(([name, value]) => `${name}=${value}`);
/** Without a timeout the response to a watch would never end. */
const query = fc.array(option, { maxLength: 4 }).map((all) => `?${[...all, 'timeoutSeconds=1'].join('&')}`);
const headerValue = fc.oneof(
  fc.constantFrom(
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    '*/*',
    ';',
    ',',
    'q=0',
    'application/json;as=Table;v=v1;g=meta.k8s.io',
    'application/json;as=PartialObjectMetadataList;g=;v=',
    'application/json;stream=watch',
    'application/apply-patch+yaml',
    'gzip',
    'identity;q=0',
    'x'.repeat(5_000),
  ),
  fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
);
const header = fc.tuple(
  fc.constantFrom(
    'accept',
    'content-type',
    'accept-encoding',
    'content-encoding',
    'user-agent',
    'if-none-match',
    'host',
    'authorization',
    'impersonate-user',
    'impersonate-group',
    'impersonate-uid',
    'impersonate-extra-a%2Fb',
    'x-forwarded-for',
    'x-remote-user',
    'x-remote-group',
    'origin',
    'range',
    'upgrade',
    'cookie',
  ),
  headerValue,
);
const headers = fc.array(header, { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));

const word = fc.constantFrom(
  'metadata',
  'spec',
  'data',
  'kind',
  'apiVersion',
  'name',
  'namespace',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'managedFields',
  'rules',
  'items',
  '__proto__',
  'constructor',
  'toString',
  '',
  'a',
  '$patch',
);
const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      -1,
      1.5,
      2 ** 53,
      '',
      'a',
      'vault',
      'hidden',
      '*',
      '\u0000',
      '\ud800',
    ),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(word, tie('any'), { maxKeys: 4 }),
  ),
})).any;
const object = fc
  .tuple(fc.constantFrom('Secret', 'ConfigMap', 'Pod', 'Status', 'List', ''), json, json)
  .map(([kind, metadata, data]) => ({ apiVersion: 'v1', kind, metadata, data, spec: data }));
const MAX_BODY = 3 * 1024 * 1024;

/** A good text with some bytes changed, or its end gone. */
const damaged = (bytes: fc.Arbitrary<Uint8Array>) =>
  fc
    .tuple(bytes, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.option(fc.nat()))
    .map(([good, changes, end]) => {
      const copy = Uint8Array.from(good);
      for (const [at, value] of changes) if (copy.length > 0) copy[at % copy.length] = value;
      return end === null || copy.length === 0 ? copy : copy.subarray(0, end % copy.length);
    });
const utf8 = (text: string) => new TextEncoder().encode(text);
const protobuf = fc
  .constantFrom<object>(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'p' }, data: { a: 'b' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'p' }, data: { a: 'YQ==' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'p', labels: { a: 'b' } } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'a', image: 'b' }] },
    },
  )
  .map((value) => encodeProtobuf(value as Parameters<typeof encodeProtobuf>[0]) ?? new Uint8Array());
const body = fc.oneof(
  damaged(fc.oneof(json, object).map((value) => utf8(JSON.stringify(value)))),
  damaged(object.map((value) => utf8(formatYaml(JSON.parse(JSON.stringify(value)))))),
  damaged(protobuf),
  damaged(json.map((value) => gzipSync(JSON.stringify(value)))),
  fc.uint8Array({ maxLength: 200 }),
  fc
    .constantFrom(
      '',
      '{',
      '[]',
      'null',
      '"',
      '{"a":1}{"b":2}',
      '{"a":1,"a":2}',
      '\ufeff{}',
      '- - -',
      '&a [*a]',
      '!!js x',
      'a: &a [*a,*a]',
      `${'[[{"a":'.repeat(5_000)}`,
      `${'- '.repeat(20_000)}`,
      `{"a":${'9'.repeat(10_000)}}`,
      // Every line doubles the expansion of the one before.
      Array.from({ length: 40 }, (_, at) => `a${at}: &a${at} [*a${at - 1},*a${at - 1}]`).join('\n'),
      'x'.repeat(MAX_BODY + 1),
    )
    .map(utf8),
);
const contentType = fc.constantFrom(
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  '',
  ';;',
  'application/json; charset=utf-16',
  'application/apply-patch+yaml',
  'multipart/form-data; boundary=x',
);

describe('the API server responds to any request', () => {
  it('with any path, query and headers', { timeout: TIMEOUT_MS }, async () => {
    const property = fc.asyncProperty(
      anyUser,
      method,
      path,
      query,
      headers,
      (user, verb, to, options, more) => send(user, { method: verb, path: `${to}${options}`, headers: more }),
    );
    await fc.assert(property, runs(700));
  });

  it('with any body', { timeout: TIMEOUT_MS }, async () => {
    const to = fc.constantFrom(
      '/api/v1/namespaces/play/configmaps',
      '/api/v1/namespaces/play/secrets',
      '/api/v1/namespaces',
      '/api/v1/namespaces/play/configmaps/seen',
      '/api/v1/namespaces/vault/secrets/hidden',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      '/api/v1/namespaces/default/serviceaccounts/default/token',
      '/api/v1/namespaces/play/pods',
    );
    const verb = fc.constantFrom('POST', 'PUT', 'DELETE');
    const isDry = fc.constantFrom(
      '?dryRun=All',
      '?dryRun=All&fieldValidation=Strict',
      '?dryRun=All&pretty=1',
    );
    const encoding = fc.constantFrom(
      {},
      {},
      { 'content-encoding': 'gzip' },
      { 'transfer-encoding': 'chunked' },
    );
    const property = fc.asyncProperty(
      ...([anyUser, verb, to, isDry, contentType, encoding, body] as const),
      (user, method, to, dry, type, more, bytes) => {
        const path = `${to}${dry}`;
        return send(user, { method, path, headers: { 'content-type': type, ...more }, body: bytes });
      },
    );
    await fc.assert(property, runs(700));
  });

  it('with any patch', { timeout: TIMEOUT_MS }, async () => {
    const to = fc.constantFrom(
      '/api/v1/namespaces/play/configmaps/seen',
      '/api/v1/namespaces/vault/secrets/hidden',
      '/api/v1/namespaces/play',
      '/api/v1/namespaces/play/status',
      '/api/v1/namespaces/play/configmaps/new',
    );
    const type = fc.constantFrom(
      'json-patch+json',
      'merge-patch+json',
      'strategic-merge-patch+json',
      'apply-patch+yaml',
    );
    const pointer = fc
      .array(fc.oneof(word, fc.constantFrom('0', '-', '~0', '~1', '~', '99')))
      .map((parts) => `/${parts.join('/')}`);
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'x'),
        path: pointer,
        from: pointer,
        value: json,
      },
      { requiredKeys: ['op'] },
    );
    const patch = fc.oneof(fc.array(operation, { maxLength: 5 }), json, object);
    const options = fc.constantFrom('?fieldManager=me', '?fieldManager=me&force=true', '?dryRun=All', '');
    const property = fc.asyncProperty(anyUser, to, options, type, patch, (user, to, query, type, value) =>
      send(user, {
        method: 'PATCH',
        path: `${to}${query}`,
        headers: { 'content-type': `application/${type}` },
        body: JSON.stringify(value),
      }),
    );
    await fc.assert(property, runs(600));
  });

  it('with any selector', { timeout: TIMEOUT_MS }, async () => {
    const token = fc.oneof(
      fc.constantFrom(
        'a',
        'in',
        'notin',
        '(',
        ')',
        ',',
        '=',
        '==',
        '!=',
        '!',
        ' ',
        '>',
        '<',
        '1',
        'a/b',
        '\\',
        '"',
        'é',
        '%',
        'metadata.name',
        'metadata.namespace',
        'data.key',
        'type',
        'hidden',
        'vault',
        'x'.repeat(300),
      ),
      fc.string({ maxLength: 3 }),
    );
    const selector = fc.array(token, { maxLength: 8 }).map((parts) => escaped(parts.join('')));
    const page = fc.oneof(
      fc.constantFrom('', 'limit=1', 'limit=1&continue=e30', 'resourceVersion=1&resourceVersionMatch=Exact'),
      fc.base64String({ maxLength: 60 }).map((text) => `limit=1&continue=${encodeURIComponent(text)}`),
      json.map((value) => `continue=${encodeURIComponent(btoa(escaped(JSON.stringify(value))))}`),
    );
    const verb = fc.constantFrom('GET', 'GET', 'DELETE');
    const to = fc.constantFrom(
      '/api/v1/secrets',
      '/api/v1/namespaces/vault/secrets',
      '/api/v1/namespaces/play/configmaps',
      '/api/v1/pods',
    );
    const flag = fc.constantFrom('', 'watch=1&timeoutSeconds=1&resourceVersion=1&');
    const property = fc.asyncProperty(
      ...([anyUser, verb, to, flag, selector, selector, page] as const),
      (user, method, to, flag, labels, fields, page) => {
        const path = `${to}?${method === 'GET' ? flag : 'dryRun=All&'}labelSelector=${labels}&fieldSelector=${fields}&${page}`;
        return send(user, { method, path });
      },
    );
    await fc.assert(property, runs(500));
  });
});
