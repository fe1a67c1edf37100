/**
 * Every request gets a response that describes the problem: never an internal error, and never no response.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../base/env.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { createBuiltinResources, groupResourceOf, type Resource } from '../resources/index.ts';
import { type ApiServer, createApiServer } from './api-server.ts';
import type { Request } from './http/http.ts';
import { createMemoryStore } from './store/memory-store.ts';
import type { Store } from './store/store.ts';

const builtinResources = createBuiltinResources();

const admin = { name: 'admin', groups: ['system:masters'] };
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

describe('the API server', () => {
  let store: Store;
  let server: ApiServer;
  const mistakes: string[] = [];
  beforeAll(async () => {
    store = createMemoryStore();
    const log = {
      ...silentLog,
      error: (message: string, fields = {}) => mistakes.push(`${message} ${JSON.stringify(fields)}`),
    };
    const env = { clock: systemClock, random: systemRandom, log };
    server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
  });
  afterAll(async () => {
    await server.close();
    await store.close();
  });

  const send = async (request: Partial<Request>): Promise<number> => {
    const response = await server.handle({
      method: 'GET',
      path: '/',
      query: '',
      headers: {},
      body: new Uint8Array(),
      certificateUser: admin,
      ...request,
    });
    if (!(response.body instanceof Uint8Array)) for await (const _ of response.body) break;
    return response.status;
  };

  /** With `pretty` an object is answered from what the server remembers of it, else from its bytes. */
  const read = async (path: string, query = '') => {
    const certificateUser = admin;
    const request = { method: 'GET', path, query, headers: {}, body: new Uint8Array(), certificateUser };
    const { body } = await server.handle(request);
    if (!(body instanceof Uint8Array)) throw new Error('an answer that goes on');
    return JSON.parse(new TextDecoder().decode(body));
  };

  const pathOf = ({ group, version, plural, scope }: Resource) =>
    `/${group === '' ? 'api' : `apis/${group}`}/${version}${scope === 'Namespaced' ? '/namespaces/default' : ''}/${plural}`;
  const word = fc.oneof(
    fc.constantFrom('metadata', 'spec', 'status', 'name', 'labels', '__proto__', 'constructor', 'a', ''),
    fc.string({ maxLength: 5 }),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 60, '', 'a', '*', '10%', '2020-01-01T00:00:00Z'),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(word, tie('any'), { maxKeys: 4 }),
    ),
  })).any;

  /** Objects that nearly have the shape of their kind: most fields right, some with anything in them. */
  const shaped = (schema: StructuralSchema, depth: number): fc.Arbitrary<unknown> => {
    if (depth > 6) return value;
    const { properties, additionalProperties, items } = schema;
    const usual = (): fc.Arbitrary<unknown> => {
      switch (schema.type) {
        case 'object':
          if (properties === undefined) {
            const entry =
              typeof additionalProperties === 'object' ? shaped(additionalProperties, depth + 1) : value;
            return fc.dictionary(word, entry, { maxKeys: 2 });
          }
          return fc
            .subarray(Object.keys(properties), { maxLength: Math.min(6, Object.keys(properties).length) })
            .chain((keys) =>
              fc.record(
                Object.fromEntries(keys.map((key) => [key, shaped(properties[key] ?? {}, depth + 1)])),
              ),
            );
        case 'array':
          return fc.array(shaped(items ?? {}, depth + 1), { maxLength: 2 });
        case 'integer':
        case 'number':
          return fc.constantFrom(0, 1, -1, 2 ** 31, 1.5);
        case 'boolean':
          return fc.boolean();
        case 'string':
          return fc.oneof(
            word,
            fc.constantFrom(...(schema.enum ?? ['x']), '10%', '1Gi', '2020-01-01T00:00:00Z'),
          );
        default:
          return value;
      }
    };
    return fc.oneof({ weight: 15, arbitrary: usual() }, { weight: 1, arbitrary: value });
  };

  it('responds to any body for any built-in resource', { timeout: 120_000 }, async () => {
    const collections = builtinResources.map(pathOf);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...collections),
        value,
        value,
        value,
        async (path, spec, metadata, rest) => {
          const body = { metadata, spec, ...(typeof rest === 'object' ? rest : {}) };
          await send({ method: 'POST', path, body: encode(body) });
          expect(mistakes.splice(0)).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each(builtinResources.map((resource) => [groupResourceOf(resource), resource] as const))(
    'answers any object that looks like one of %s',
    async (_, resource) => {
      await fc.assert(
        fc.asyncProperty(shaped(resource.schema, 0), fc.nat(), async (object, name) => {
          const named = { ...(object as object), metadata: { name: `n${name}` } };
          await send({ method: 'POST', path: pathOf(resource), body: encode(named) });
          await send({ method: 'PUT', path: `${pathOf(resource)}/n${name}`, body: encode(named) });
          expect(mistakes.splice(0)).toEqual([]);
        }),
        { numRuns: 60 },
      );
    },
  );

  it('responds to any patch of an object', { timeout: 120_000 }, async () => {
    await send({ method: 'POST', path: '/api/v1/nodes', body: encode({ metadata: { name: 'patched' } }) });
    const types = ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...types), value, fc.boolean(), async (type, patch, isStatus) => {
        await send({
          method: 'PATCH',
          path: `/api/v1/nodes/patched${isStatus ? '/status' : ''}`,
          query: type === 'apply-patch+yaml' ? 'fieldManager=me&force=true' : '',
          headers: { 'content-type': `application/${type}` },
          body: encode(patch),
        });
        expect(mistakes.splice(0)).toEqual([]);
        // What the server remembers of an object is what it keeps: lists are made of the bytes of the store.
        const { items } = await read('/api/v1/nodes');
        const kept = items.find((node: { metadata: { name: string } }) => node.metadata.name === 'patched');
        const { kind: _, apiVersion: __, ...shown } = await read('/api/v1/nodes/patched', 'pretty=1');
        expect(shown).toEqual(kept);
      }),
      { numRuns: 400 },
    );
  });

  it('responds to any path, query and header', { timeout: 120_000 }, async () => {
    const part = fc.constantFrom(
      'api',
      'apis',
      'v1',
      'apps',
      'namespaces',
      'default',
      'pods',
      'status',
      'log',
      '',
      '%2e%2e',
      '%',
      'watch',
      'openapi',
      'v3',
    );
    const option = fc.constantFrom(
      'watch=true&timeoutSeconds=1',
      'limit=-1',
      'limit=2&continue=x',
      'resourceVersion=-1',
      'labelSelector=%21',
      'fieldSelector==',
      'dryRun=x',
      'pretty',
      '',
    );
    const accept = fc.constantFrom(
      undefined,
      '*/*',
      'application/json;as=Table;v=v1;g=meta.k8s.io',
      'x',
      ';;',
      'application/yaml',
    );
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'x');
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 8 }),
        option,
        accept,
        method,
        async (parts, query, format, verb) => {
          const headers = format === undefined ? {} : { accept: format };
          await send({ method: verb, path: `/${parts.join('/')}`, query, headers });
          expect(mistakes.splice(0)).toEqual([]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
