/** The description of the API that clients validate and explain with. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { eventually } from './eventually.ts';
import { type Loose, listOf, textOf } from './loose.ts';
import type { Scene } from './scene.ts';

/** The document of one group and version, by its URL in the index. */
async function documentOf(scene: Scene, name: string): Promise<Loose> {
  const { json } = await scene.get('/openapi/v3');
  return (await scene.get(textOf(json.paths?.[name]?.serverRelativeURL))).json;
}

/** The schema of a kind, found by its x-kubernetes-group-version-kind. */
function schemaOf(document: Loose, group: string, version: string, kind: string): Loose | undefined {
  return Object.values(document.components?.schemas ?? {}).find((schema) => {
    const kinds = schema?.['x-kubernetes-group-version-kind'];
    return (
      kinds !== undefined &&
      listOf(kinds).some((one) => `${one.group}/${one.version}/${one.kind}` === `${group}/${version}/${kind}`)
    );
  });
}

export const openapiCases = topic('OpenAPI', {
  'the index names a document for each version, with the hash of its contents': async (scene) => {
    const { status, headers, json } = await scene.get('/openapi/v3');
    // The server leaves the type of the index to chance; that of the documents is right.
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    for (const name of ['api', 'api/v1', 'apis', 'apis/apps', 'apis/apps/v1', 'apis/policy/v1', 'version']) {
      expect(json.paths?.[name]?.serverRelativeURL).toMatch(
        new RegExp(`^/openapi/v3/${name}\\?hash=[0-9A-F]{128}$`),
      );
    }
  },

  'a document with its hash may be kept for ever, and another hash leads to it': async (scene) => {
    const { json } = await scene.get('/openapi/v3');
    const url = textOf(json.paths?.['apis/policy/v1']?.serverRelativeURL);
    const { headers } = await scene.get(url);
    expect(headers['cache-control']).toBe('public, immutable');
    expect(headers.etag).toBe(`"${url.split('hash=')[1]}"`);
    const moved = await scene.get('/openapi/v3/apis/policy/v1?hash=0');
    expect([moved.status, moved.headers.location]).toEqual([301, url]);
    const plain = await scene.get('/openapi/v3/apis/policy/v1');
    expect([plain.status, plain.headers.etag]).toEqual([200, headers.etag]);
    const known = await scene.get('/openapi/v3/apis/policy/v1', {
      headers: { 'if-none-match': String(headers.etag) },
    });
    expect(known.status).toBe(304);
  },

  'a document that is not there is not found': async (scene) => {
    const answer = await scene.get('/openapi/v3/apis/none.example.com/v1');
    expect(answer.status).toBe(404);
  },

  'a document describes kinds and operations': async (scene) => {
    const document = await documentOf(scene, 'api/v1');
    expect(document).toMatchObject({ openapi: '3.0.0', info: { title: 'Kubernetes' } });
    const schema = schemaOf(document, '', 'v1', 'ConfigMap');
    expect(Object.keys(schema?.properties ?? {})).toEqual([
      'apiVersion',
      'binaryData',
      'data',
      'immutable',
      'kind',
      'metadata',
    ]);
    expect(schema?.properties?.data).toMatchObject({
      type: 'object',
      additionalProperties: { type: 'string', default: '' },
    });
    const path = document.paths?.['/api/v1/namespaces/{namespace}/configmaps/{name}'];
    expect(Object.keys(path ?? {}).sort()).toEqual(['delete', 'get', 'parameters', 'patch', 'put']);
    expect(path?.patch?.['x-kubernetes-action']).toBe('patch');
    expect(path?.patch?.['x-kubernetes-group-version-kind']).toEqual({
      group: '',
      version: 'v1',
      kind: 'ConfigMap',
    });
    const parameters = listOf(path?.patch?.parameters).map(({ name }) => String(name));
    expect(parameters).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    expect(Object.keys(path?.patch?.requestBody?.content ?? {}).sort()).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ]);
  },

  'lists say how they are merged': async (scene) => {
    const document = await documentOf(scene, 'api/v1');
    const schema = document.components?.schemas?.['io.k8s.api.core.v1.PodSpec'];
    expect(schema?.properties?.containers).toMatchObject({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
  },

  'a defined kind is described as it was defined': async (scene) => {
    const widgets = await defineWidgets(scene, {
      spec: {
        type: 'object',
        description: 'What it is',
        properties: { size: { type: 'integer', minimum: 1 } },
      },
      version: { subresources: { status: {} } },
    });
    const document = await eventually('it is described', async () => {
      const { json } = await scene.get('/openapi/v3');
      const url = json.paths?.[`apis/${widgets.group}/v1`]?.serverRelativeURL;
      return url === undefined ? undefined : (await scene.get(textOf(url))).json;
    });
    const schema = schemaOf(document, widgets.group, 'v1', 'Widget');
    expect(schema?.properties?.spec).toEqual({
      type: 'object',
      description: 'What it is',
      properties: { size: { type: 'integer', minimum: 1 } },
    });
    expect(Object.keys(schema?.properties ?? {})).toEqual([
      'apiVersion',
      'kind',
      'metadata',
      'spec',
      'status',
    ]);
    expect(Object.keys(document.paths ?? {})).toEqual([
      `/apis/${widgets.group}/v1/widgets`,
      `/apis/${widgets.group}/v1/widgets/{name}`,
      `/apis/${widgets.group}/v1/widgets/{name}/status`,
    ]);
    expect(schemaOf(document, widgets.group, 'v1', 'WidgetList')).toBeDefined();
  },

  'the second version of the description is served too': async (scene) => {
    const { status, json } = await scene.get('/openapi/v2');
    expect([status, json.swagger]).toEqual([200, '2.0']);
    expect(json.definitions?.['io.k8s.api.core.v1.ConfigMap']).toBeDefined();
  },
});
