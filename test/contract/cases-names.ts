/** Names in paths and bodies, kinds, and empty bodies. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { configMap, deployment, type Fields } from './objects.ts';
import type { Scene } from './scene.ts';
import { badRequest, conflict, expectFailure, invalid, notFound } from './statuses.ts';

const NOWHERE = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
};
const OTHER_NAMESPACE = badRequest(
  'the namespace of the provided object does not match the namespace sent on the request',
);
const otherName = (given: string, wanted: string) =>
  badRequest(`the name of the object (${given}) does not match the name on the URL (${wanted})`);
const noName = (wanted: string) =>
  badRequest(`the name of the object (${wanted} based on URL) was undeterminable: name must be provided`);
const unregistered = (kind: string, apiVersion: string) =>
  `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:110"`;

async function configMapsOf(scene: Scene): Promise<string> {
  return `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
}

function scale(metadata: Fields, replicas = 2): Fields {
  return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas } };
}

export const nameCases = topic('names', {
  'an update must say the name that the path says, whether or not the object is there': async (scene) => {
    const path = await configMapsOf(scene);
    await scene.make(path, configMap('a'));
    for (const name of ['a', 'missing']) {
      expectFailure(await scene.put(`${path}/${name}`, configMap('b')), otherName('b', name));
      expectFailure(await scene.put(`${path}/${name}`, { kind: 'ConfigMap' }), noName(name));
      const elsewhere = configMap('b', {}, { namespace: 'elsewhere' });
      expectFailure(await scene.put(`${path}/${name}`, elsewhere), OTHER_NAMESPACE);
    }
    expectFailure(
      await scene.put(`${path}/missing`, configMap('missing')),
      notFound({ resource: 'configmaps' }, 'missing'),
    );
    expectFailure(await scene.patch(`${path}/a`, 'merge', { metadata: { name: null } }), noName('a'));
  },

  'a Scale says the name that the path says, and need not say the namespace': async (scene) => {
    const path = `/apis/apps/v1/namespaces/${await scene.namespace()}/deployments`;
    await scene.make(path, deployment('web'));
    const scaled = await scene.put(`${path}/web/scale`, scale({ name: 'web' }));
    expect(scaled.status).toBe(200);
    expect(scaled.json.spec).toEqual({ replicas: 2 });
    for (const name of ['web', 'missing']) {
      expectFailure(
        await scene.put(`${path}/${name}/scale`, scale({ name: 'nope' })),
        otherName('nope', name),
      );
      expectFailure(await scene.put(`${path}/${name}/scale`, scale({})), noName(name));
    }
    const elsewhere = scale({ name: 'web', namespace: 'elsewhere' });
    expectFailure(await scene.put(`${path}/web/scale`, elsewhere), OTHER_NAMESPACE);
    const renamed = await scene.patch(`${path}/web/scale`, 'merge', { metadata: { name: 'nope' } });
    expectFailure(renamed, otherName('nope', 'web'));
    const negative = await scene.put(`${path}/web/scale`, scale({ name: 'web' }, -1));
    const cause = {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: -1: must be greater than or equal to 0',
      field: 'spec.replicas',
    };
    expectFailure(negative, invalid({ kind: 'Scale', group: 'autoscaling', name: 'web' }, cause));
  },

  'names that would mean another path are refused on paths': async (scene) => {
    const path = `${await configMapsOf(scene)}/a%25b`;
    const refused = badRequest('Name parameter invalid: "a%b": may not contain \'%\'');
    expectFailure(await scene.get(path), refused);
    expectFailure(await scene.delete(path), refused);
    expectFailure(await scene.patch(path, 'merge', {}), refused);
    // A client would take the dots out of a path, and what is before them; not if they come to be there later.
    const dots = badRequest('Name parameter invalid: "..": may not be \'..\'');
    expectFailure(await scene.get(path.replace('/a%25b', '%2f..')), dots);
  },

  'a slash in a path is a slash, however it is written': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await scene.make(path, configMap('a'));
    expectFailure(await scene.get(`${path}/a%2fb`), NOWHERE);
    expectFailure(await scene.delete(`${path}/a%2Fb`), NOWHERE);
    expectFailure(await scene.get('/api/v1/namespaces/a%2fb/configmaps'), NOWHERE);
    expect((await scene.get(`/api/v1/namespaces%2f${space}/configmaps%2fa`)).json.kind).toBe('ConfigMap');
    expect((await scene.get('/apis%2fapps')).json.kind).toBe('APIGroup');
  },

  'names are quoted in messages': async (scene) => {
    const path = await configMapsOf(scene);
    expectFailure(await scene.get(`${path}/a%22b`), {
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "a\\"b" not found',
      details: { name: 'a"b', kind: 'configmaps' },
    });
  },

  'a body of nothing is an object without anything in it': async (scene) => {
    const path = await configMapsOf(scene);
    const cause = {
      reason: 'FieldValueRequired',
      message: 'Required value: name or generateName is required',
      field: 'metadata.name',
    };
    const nameless = invalid({ kind: 'ConfigMap', name: '' }, cause);
    expectFailure(await scene.post(path, 'null'), nameless);
    expectFailure(await scene.post(path, '', { contentType: 'application/yaml' }), nameless);
    expectFailure(await scene.put(`${path}/a`, 'null'), noName('a'));
    expectFailure(await scene.delete(`${path}/a`, 'null'), notFound({ resource: 'configmaps' }, 'a'));
    expectFailure(await scene.delete(`${path}/a`, '[]'), {
      code: 500,
      message: `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    });
  },

  'a kind that is not known is told so, and one that is known cannot be another': async (scene) => {
    const path = await configMapsOf(scene);
    const refused = (kind: string, apiVersion: string, why: string) =>
      badRequest(
        `${kind} in version "${apiVersion.split('/').at(-1)}" cannot be handled as a ConfigMap: ${why}`,
      );
    for (const [kind, apiVersion] of [
      ['Foo', 'v1'],
      ['Foo', 'example.com/v1'],
      ['ConfigMap', 'v2'],
      ['configmap', 'v1'],
      ['CustomResourceDefinition', 'apiextensions.k8s.io/v1'],
    ] as const) {
      const answer = await scene.post(path, { ...configMap('a'), kind, apiVersion });
      expectFailure(answer, refused(kind, apiVersion, unregistered(kind, apiVersion)));
    }
    for (const [kind, apiVersion] of [
      ['Secret', 'v1'],
      ['Status', 'v1'],
      ['List', 'v1'],
      ['SecretList', 'v1'],
      ['Deployment', 'apps/v1'],
      ['Deployment', 'extensions/v1beta1'],
    ] as const) {
      const answer = await scene.post(path, { metadata: { name: 'a' }, kind, apiVersion });
      const why = `converting (${apiVersion.split('/').at(-1)}.${kind}) to (core.ConfigMap): unknown conversion`;
      expectFailure(answer, refused(kind, apiVersion, why));
    }
    expectFailure(await scene.delete(`${path}/a`, { kind: 'Foo', apiVersion: 'v1' }), {
      code: 500,
      message: unregistered('Foo', 'v1'),
    });
  },

  'an older version of a kind has to be sent elsewhere': async (scene) => {
    const space = await scene.namespace();
    for (const [path, kind, wanted, given] of [
      [`/apis/apps/v1/namespaces/${space}/deployments`, 'Deployment', 'apps/v1', 'apps/v1beta1'],
      [
        `/apis/policy/v1/namespaces/${space}/poddisruptionbudgets`,
        'PodDisruptionBudget',
        'policy/v1',
        'policy/v1beta1',
      ],
      [`/api/v1/namespaces/${space}/events`, 'Event', 'v1', 'events.k8s.io/v1'],
    ] as const) {
      const answer = await scene.post(path, { apiVersion: given, kind, metadata: { name: 'a' } });
      const why = `the API version in the data (${given}) does not match the expected API version (${wanted})`;
      expectFailure(answer, badRequest(why));
    }
  },

  'no patch makes of an object one of another kind': async (scene) => {
    const path = await configMapsOf(scene);
    await scene.make(path, configMap('a', { k: 'v' }));
    for (const [body, kind, apiVersion] of [
      [{ kind: 'Foo' }, 'Foo', 'v1'],
      [{ apiVersion: 'apps/v1' }, 'ConfigMap', 'apps/v1'],
    ] as const) {
      const answer = await scene.patch(`${path}/a`, 'merge', body);
      expect(answer.status).toBe(422);
      expect(String(answer.json.message)).toMatch(/^ "" is invalid: patch: Invalid value: "/);
      expect(String(answer.json.message)).toContain(`": ${unregistered(kind, apiVersion)}`);
      const ignored = await scene.patch(`${path}/a`, 'strategic', body);
      expect(ignored.json).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
    }
    const nameless = await scene.patch(`${path}/a`, 'merge', { kind: null });
    expect(nameless.json).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
  },

  'whoever names a uid means an object that is there': async (scene) => {
    const space = await scene.namespace();
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${space}/leases`;
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a', uid: 'b' } };
    const resource = { resource: 'leases', group: 'coordination.k8s.io' };
    const why = `StorageError: invalid object, Code: 4, Key: /registry/leases/${space}/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: b, UID in object meta: `;
    expectFailure(await scene.put(`${leases}/a`, lease), conflict(resource, 'a', why));
    const applied = await scene.patch(`${leases}/a?fieldManager=me`, 'apply', lease);
    const mismatch = 'uid mismatch: the provided object specified uid b, and no existing object was found';
    expectFailure(applied, conflict(resource, 'a', mismatch));
  },

  'a version at creation is refused last, and only if it is one': async (scene) => {
    const path = await configMapsOf(scene);
    const made = (name: string, metadata: Fields) => configMap(name, {}, metadata);
    const cause = {
      reason: 'FieldValueRequired',
      message: 'Required value: name or generateName is required',
      field: 'metadata.name',
    };
    const nameless = await scene.post(path, { metadata: { resourceVersion: '5' } });
    expectFailure(nameless, invalid({ kind: 'ConfigMap', name: '' }, cause));
    const nowhere = '/api/v1/namespaces/none/configmaps';
    expect((await scene.post(nowhere, made('a', { resourceVersion: '5' }))).status).toBe(404);
    expectFailure(await scene.post(path, made('a', { resourceVersion: '5' })), {
      code: 500,
      message: 'resourceVersion should not be set on objects to be created',
    });
    expect((await scene.post(`${path}?dryRun=All`, made('a', { resourceVersion: '5' }))).status).toBe(201);
    expect((await scene.post(path, made('a', { resourceVersion: 'x' }))).status).toBe(201);
    expect((await scene.post(path, made('b', { resourceVersion: '0' }))).status).toBe(201);
  },

  'custom resources on the wrong level are nowhere': async (scene) => {
    const widgets = await defineWidgets(scene);
    const answer = await scene.get(`${widgets.collection(await scene.namespace())}/a`);
    expect(answer.status).toBe(404);
    expect(answer.body).toBe('404 page not found\n');
  },
});
