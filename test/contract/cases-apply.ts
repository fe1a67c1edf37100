/** Server-side apply: who owns what, and what happens when two want the same. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import type { Answer } from './http-client.ts';
import { type Loose, listOf, versionOf } from './loose.ts';
import { normalised } from './normalised.ts';
import type { Fields } from './objects.ts';
import type { Scene } from './scene.ts';
import { badRequest, expectFailure } from './statuses.ts';

type Apply = (manager: string, fields: Fields, more?: string) => Promise<Answer>;

/** Applies to one ConfigMap, as one manager or another. */
async function aConfigMap(scene: Scene): Promise<{ readonly path: string; readonly apply: Apply }> {
  const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps/a`;
  const apply: Apply = (manager, fields, more = '') =>
    scene.patch(`${path}?fieldManager=${manager}${more}`, 'apply', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', ...(fields.metadata ?? {}) },
      ...Object.fromEntries(Object.entries(fields).filter(([key]) => key !== 'metadata')),
    });
  return { path, apply };
}

function managersOf(object: Loose): readonly string[] {
  return listOf(object.metadata?.managedFields).map(({ manager, operation }) => `${manager} ${operation}`);
}

/** What a manager owns. */
function ownedBy(object: Loose, wanted: string): Loose | undefined {
  return listOf(object.metadata?.managedFields).find(({ manager }) => String(manager) === wanted)?.fieldsV1;
}

export const applyCases = topic('server-side apply', {
  'applying what is not there creates it': async (scene) => {
    const { apply } = await aConfigMap(scene);
    const made = await apply('me', { data: { k: 'v' } });
    expect(made.status).toBe(201);
    expect(made.json.data).toEqual({ k: 'v' });
    expect(normalised(made.json.metadata?.managedFields)).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'v1',
        time: '<time>',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:k': {} } },
      },
    ]);
  },

  'applying the same again changes nothing, not even the version': async (scene) => {
    const { apply } = await aConfigMap(scene);
    const first = await apply('me', { data: { k: 'v' } });
    const second = await apply('me', { data: { k: 'v' } });
    expect(second.status).toBe(200);
    expect(versionOf(second.json)).toBe(versionOf(first.json));
    expect(second.json).toEqual(first.json);
  },

  'what is no longer applied is removed': async (scene) => {
    const { apply } = await aConfigMap(scene);
    await apply('me', { data: { keep: '1', drop: '2' }, metadata: { labels: { drop: 'x' } } });
    const second = await apply('me', { data: { keep: '1' } });
    expect(second.json.data).toEqual({ keep: '1' });
    expect(second.json.metadata).not.toHaveProperty('labels');
  },

  'a field of another applier is a conflict that names it': async (scene) => {
    const { apply } = await aConfigMap(scene);
    await apply('first', { data: { k: 'v', other: 'x' } });
    expectFailure(await apply('second', { data: { k: 'w' } }), {
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "first": .data.k',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "first"', field: '.data.k' }],
      },
    });
  },

  'conflicts with several managers are listed by manager and field': async (scene) => {
    const { path, apply } = await aConfigMap(scene);
    await apply('first', { data: { a: '1', b: '1' } });
    await scene.patch(`${path}?fieldManager=third`, 'merge', { data: { c: '1' } });
    const refused = await apply('second', { data: { a: '2', b: '2', c: '2' } });
    expect([refused.status, refused.json.reason, refused.json.message]).toEqual([
      409,
      'Conflict',
      'Apply failed with 3 conflicts: conflicts with "first":\n- .data.a\n- .data.b\nconflicts with "third" using v1:\n- .data.c',
    ]);
    // The message is sorted, the causes are in no order.
    const causes = listOf(refused.json.details?.causes).map(({ message, field }) => `${field} ${message}`);
    expect([...causes].sort()).toEqual([
      '.data.a conflict with "first"',
      '.data.b conflict with "first"',
      '.data.c conflict with "third" using v1',
    ]);
  },

  'force takes the field over': async (scene) => {
    const { apply } = await aConfigMap(scene);
    await apply('first', { data: { k: 'v', other: 'x' } });
    const forced = await apply('second', { data: { k: 'w' } }, '&force=true');
    expect(forced.status).toBe(200);
    expect(forced.json.data).toEqual({ k: 'w', other: 'x' });
    expect(ownedBy(forced.json, 'first')).toEqual({ 'f:data': { 'f:other': {} } });
    expect(ownedBy(forced.json, 'second')).toEqual({ 'f:data': { 'f:k': {} } });
  },

  'two that apply the same value share it, and it stays until both let go': async (scene) => {
    const { apply } = await aConfigMap(scene);
    await apply('first', { data: { k: 'v' } });
    const shared = await apply('second', { data: { k: 'v' } });
    expect([...managersOf(shared.json)].sort()).toEqual(['first Apply', 'second Apply']);
    const one = await apply('first', { data: {} });
    expect(one.json.data).toEqual({ k: 'v' });
    const none = await apply('second', { data: {} });
    expect(none.json).not.toHaveProperty('data.k');
  },

  'an update takes a field over without asking': async (scene) => {
    const { path, apply } = await aConfigMap(scene);
    await apply('first', { data: { k: 'v', other: 'x' } });
    const updated = await scene.patch(`${path}?fieldManager=second`, 'merge', { data: { k: 'w' } });
    expect(managersOf(updated.json)).toEqual(['first Apply', 'second Update']);
    expect(ownedBy(updated.json, 'first')).toEqual({ 'f:data': { 'f:other': {} } });
    expect(ownedBy(updated.json, 'second')).toEqual({ 'f:data': { 'f:k': {} } });
  },

  'a manager that owns nothing any more is dropped': async (scene) => {
    const { apply } = await aConfigMap(scene);
    await apply('first', { data: { k: 'v' } });
    const forced = await apply('second', { data: { k: 'w' } }, '&force=true');
    expect(managersOf(forced.json)).toEqual(['second Apply']);
  },

  'managed fields can be cleared, and cannot be applied': async (scene) => {
    const { path, apply } = await aConfigMap(scene);
    await apply('first', { data: { k: 'v' } });
    const cleared = await scene.patch(path, 'merge', { metadata: { managedFields: [{}] } });
    expect(cleared.json.metadata).not.toHaveProperty('managedFields');
    expectFailure(
      await apply('first', { metadata: { managedFields: [{ manager: 'x' }] } }),
      badRequest('metadata.managedFields must be nil'),
    );
  },

  'apply needs a manager': async (scene) => {
    const { path } = await aConfigMap(scene);
    expectFailure(
      await scene.patch(path, 'apply', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }),
      {
        code: 422,
        reason: 'Invalid',
        message:
          'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
        details: {
          group: 'meta.k8s.io',
          kind: 'PatchOptions',
          causes: [
            {
              reason: 'FieldValueRequired',
              message: 'Required value: is required for apply patch',
              field: 'fieldManager',
            },
          ],
        },
      },
    );
  },

  'force is for apply alone': async (scene) => {
    const { path, apply } = await aConfigMap(scene);
    await apply('me', {});
    const refused = await scene.patch(`${path}?force=true`, 'merge', {});
    expect(refused.json.message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    );
  },

  'an applied object names its kind and version': async (scene) => {
    const { path } = await aConfigMap(scene);
    expectFailure(
      await scene.patch(`${path}?fieldManager=me`, 'apply', { metadata: { name: 'a' } }),
      badRequest('invalid object type: /, Kind='),
    );
  },

  'apply reads YAML, and a body that is none is refused': async (scene) => {
    const { path } = await aConfigMap(scene);
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n';
    const made = await scene.patch(`${path}?fieldManager=me`, 'apply', yaml);
    expect([made.status, made.json.data]).toEqual([201, { k: 'v' }]);
    expectFailure(
      await scene.patch(`${path}?fieldManager=me`, 'apply', '{'),
      badRequest(
        'error decoding YAML: error converting YAML to JSON: yaml: line 1: did not find expected node content',
      ),
    );
  },

  'a dry run of apply shows the result and keeps nothing': async (scene) => {
    const { path, apply } = await aConfigMap(scene);
    const dry = await apply('me', { data: { k: 'v' } }, '&dryRun=All');
    expect([dry.status, dry.json.data]).toEqual([201, { k: 'v' }]);
    expect((await scene.get(path)).status).toBe(404);
  },

  'applying from a stale version is a conflict': async (scene) => {
    const { apply } = await aConfigMap(scene);
    const first = await apply('me', { data: { k: 'v' } });
    await apply('me', { data: { k: 'w' } });
    const stale = await apply('me', {
      data: { k: 'x' },
      metadata: { resourceVersion: versionOf(first.json) },
    });
    expect(stale.json).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(stale.json.message).toBe(
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
  },

  'whoever applies as kubectl does not conflict with what kubectl applied at the client': async (scene) => {
    const { path, apply } = await aConfigMap(scene);
    const data = { k: 'v', kept: 'x' };
    const last = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': last };
    const body = { metadata: { name: 'a', annotations }, data };
    await scene.post(`${path.slice(0, -2)}?fieldManager=kubectl-client-side-apply`, body);
    expect((await apply('other', { data: { k: 'w' } })).json.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.k',
    );
    const applied = await apply('kubectl', { metadata: { annotations }, data: { k: 'w' } });
    expect(applied.status).toBe(200);
    expect(applied.json.data).toEqual({ k: 'w', kept: 'x' });
    expect(managersOf(applied.json)).toEqual(['kubectl Apply', 'kubectl-client-side-apply Update']);
  },

  'status is applied through its own door': async (scene) => {
    const widgets = await defineWidgets(scene, { version: { subresources: { status: {} } } });
    const path = `${widgets.collection()}/a`;
    await scene.patch(`${path}?fieldManager=a-spec`, 'apply', widgets.object('a', { size: 1 }));
    const applied = await scene.patch(`${path}/status?fieldManager=b-status`, 'apply', {
      ...widgets.object('a', { size: 9 }),
      status: { ready: true },
    });
    expect(applied.status).toBe(200);
    expect([applied.json.spec, applied.json.status]).toEqual([{ size: 1 }, { ready: true }]);
    expect(listOf(applied.json.metadata?.managedFields)).toMatchObject([
      { manager: 'a-spec', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:size': {} } } },
      {
        manager: 'b-status',
        operation: 'Apply',
        subresource: 'status',
        fieldsV1: { 'f:status': { 'f:ready': {} } },
      },
    ]);
  },
});
