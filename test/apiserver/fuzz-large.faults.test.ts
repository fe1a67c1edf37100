/**
 * Requests of maximum size with as many errors as fit: the server must handle hundreds of thousands of them, with a
 * response of reasonable size.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FuzzWorld, startFuzzWorld } from './fuzz-server.ts';

let world: FuzzWorld;
beforeAll(async () => {
  world = await startFuzzWorld();
  await make('sets', { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' });
  await make('maps', {
    type: 'array',
    items: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
  });
  await make('numbers', { type: 'array', items: { type: 'integer' } });
});
afterAll(async () => {
  await world.expectWell();
  await world.stop();
});

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CONFIG_MAPS = '/api/v1/namespaces/play/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const MAX_BODY_BYTES = 3 * 1024 * 1024;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

const definition = (group: string, spec: unknown, text = JSON.stringify(spec)) =>
  `{"metadata":{"name":"things.${group}.example.com"},"spec":{"group":"${group}.example.com","scope":"Namespaced",` +
  `"names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,` +
  `"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":${text}}}}}]}}`;
async function make(group: string, spec: object): Promise<void> {
  const { status, text } = await world.ask('POST', DEFINITIONS, json(definition(group, spec)));
  expect(`${status} ${status === 201 ? '' : text}`).toBe('201 ');
}
const json = (body: string) => ({ body, headers: { 'content-type': 'application/json' } });
/** More than a call of a function takes arguments, and with all that is in them fewer than a body may hold. */
const MAX_PIECES = 124_000;

/** As many as fit. */
const many = (piece: (at: number) => string, room = MAX_BODY_BYTES - 2_000): string => {
  const pieces: string[] = [];
  for (let at = 0, size = 0; ; at++) {
    const next = piece(at);
    size += next.length + 1;
    if (size > room || at >= MAX_PIECES) return pieces.join(',');
    pieces.push(next);
  }
};
const thing = (group: string, spec: string) =>
  `{"apiVersion":"${group}.example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":${spec}}`;
const things = (group: string) => `/apis/${group}.example.com/v1/namespaces/play/things`;

describe('a request with very many errors gets a short response', () => {
  it.each<[string, string, () => string]>([
    ['unknown fields', CONFIG_MAPS, () => `{"metadata":{"name":"a"},${many((at) => `"${at}":1`)}}`],
    [
      'unknown fields, to the strict',
      `${CONFIG_MAPS}?fieldValidation=Strict`,
      () => `{"metadata":{"name":"a"},${many((at) => `"${at}":1`)}}`,
    ],
    ['unknown fields below', CONFIG_MAPS, () => `{"metadata":{"name":"a",${many((at) => `"${at}":1`)}}}`],
    ['keys given again', CONFIG_MAPS, () => `{"metadata":{"name":"a"},"data":{${many(() => '"a":""')}}}`],
    ['bad finalizers', CONFIG_MAPS, () => `{"metadata":{"name":"a","finalizers":[${many(() => '"-"')}]}}`],
    ['bad labels', CONFIG_MAPS, () => `{"metadata":{"name":"a","labels":{${many((at) => `"-${at}":"-"`)}}}}`],
    ['bad keys', CONFIG_MAPS, () => `{"metadata":{"name":"a"},"data":{${many((at) => `"+${at}":""`)}}}`],
    ['empty owners', CONFIG_MAPS, () => `{"metadata":{"name":"a","ownerReferences":[${many(() => '{}')}]}}`],
    ['empty containers', PODS, () => `{"metadata":{"name":"a"},"spec":{"containers":[${many(() => '{}')}]}}`],
    [
      'empty variables',
      PODS,
      () =>
        `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"b","env":[${many(() => '{}')}]}]}}`,
    ],
    [
      'empty tolerations',
      PODS,
      () => `{"metadata":{"name":"a"},"spec":{"tolerations":[${many(() => '{}')}]}}`,
    ],
    ['twins in a set', things('sets'), () => thing('sets', `[${many(() => '""')}]`)],
    ['twins in a map', things('maps'), () => thing('maps', `[${many(() => '{"a":""}')}]`)],
    ['missing keys', things('maps'), () => thing('maps', `[${many(() => '{}')}]`)],
    ['wrong types', things('numbers'), () => thing('numbers', `[${many(() => '""')}]`)],
    [
      'unknown parts of items',
      things('maps'),
      () => thing('maps', `[${many((at) => `{"a":"${at}","b":1}`)}]`),
    ],
    [
      'parts of schemas without a type',
      DEFINITIONS,
      () => definition('x', {}, `{"type":"object","properties":{${many((at) => `"${at}":{}`)}}}`),
    ],
    [
      'wrong parts of a schema',
      DEFINITIONS,
      () => definition('x', {}, `{"type":"object","allOf":[${many(() => '{"type":"x"}')}]}`),
    ],
    [
      'values of an enum',
      DEFINITIONS,
      () => definition('x', {}, `{"type":"string","enum":[${many(() => '"a"')}]}`),
    ],
    [
      'rules',
      DEFINITIONS,
      () => definition('x', {}, `{"type":"object","x-kubernetes-validations":[${many(() => '{}')}]}`),
    ],
    [
      'rules that cannot be read',
      DEFINITIONS,
      () =>
        definition(
          'x',
          {},
          `{"type":"object","x-kubernetes-validations":[${many(() => '{"rule":"("}', 400_000)}]}`,
        ),
    ],
    [
      'empty versions',
      DEFINITIONS,
      () => `{"metadata":{"name":"a.b"},"spec":{"versions":[${many(() => '{}')}]}}`,
    ],
    [
      'empty rules of a role',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      () => `{"metadata":{"name":"a"},"rules":[${many(() => '{}')}]}`,
    ],
    [
      'empty subjects',
      '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      () =>
        `{"metadata":{"name":"a"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"x"},"subjects":[${many(() => '{}')}]}`,
    ],
    [
      'empty ports',
      '/api/v1/namespaces/play/services',
      () => `{"metadata":{"name":"a"},"spec":{"ports":[${many(() => '{}')}]}}`,
    ],
    [
      'empty taints',
      '/api/v1/nodes',
      () => `{"metadata":{"name":"a"},"spec":{"taints":[${many(() => '{}')}]}}`,
    ],
    [
      'empty validations',
      '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
      () => `{"metadata":{"name":"a"},"spec":{"validations":[${many(() => '{}')}]}}`,
    ],
  ])('%s', { timeout: 120_000 }, async (_, path, body) => {
    const sent = body();
    expect(sent.length).toBeLessThan(MAX_BODY_BYTES);
    const answer = await world.ask('POST', path, { ...json(sent), timeoutMs: 100_000 });
    world.examine(answer, undefined, `POST ${path} ${sent.slice(0, 200)}`);
    expect(answer.status).not.toBe(500);
    if (answer.status >= 400) expect(answer.text.length).toBeLessThan(MAX_ANSWER_BYTES);
  });

  it('more values than a body may hold', async () => {
    const body = `{"metadata":{"name":"a"},"data":[${'0,'.repeat(300_000)}0]}`;
    const { status, text } = await world.ask('POST', CONFIG_MAPS, json(body));
    expect(status).toBe(400);
    expect(JSON.parse(text).message).toBe('the object holds more than 250000 values');
  });

  it('a long path with invalid UTF-8', async () => {
    const path = `/api/v1/${'a'.repeat(500_000)}%ff`;
    const answer = await world.ask('GET', path);
    world.examine(answer, undefined, 'GET of a long path');
    expect(answer.status).toBe(404);
  });
});
