/** The formats of responses: JSON, YAML, metadata only, and the errors for others. */
import { defineWidgets } from './custom-resources.ts';
import { configMap } from './objects.ts';
import { recorded } from './recorded.ts';
import { TABLE } from './table.ts';

const partial = (kind: string, version = 'v1') => `application/json;as=${kind};v=${version};g=meta.k8s.io`;

export const formCases = recorded('forms', {
  'each path says what it can produce': async ({ ask, space }) => {
    const accept = 'text/html';
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await ask('GET', path, { accept });
    await ask('GET', `${path}?watch=true`, { accept });
    await ask('GET', `${path}/a`, { accept });
    await ask('POST', path, { accept, body: configMap('a') });
    await ask('PUT', `${path}/a`, { accept, body: configMap('a') });
    await ask('PATCH', `${path}/a`, { accept, body: {}, contentType: 'application/merge-patch+json' });
    await ask('DELETE', `${path}/a`, { accept });
    await ask('DELETE', path, { accept });
    await ask('GET', `/apis/apps/v1/namespaces/${space}/deployments/a/scale`, { accept });
    await ask('GET', `/api/v1/namespaces/${space}/pods/a/log`, { accept });
    await ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { accept, body: {} });
  },

  'a custom kind says it in other words': async (scene) => {
    const widgets = await defineWidgets(scene);
    for (const accept of ['text/html', partial('Table', 'v9')]) {
      await scene.ask('GET', widgets.collection(), { accept });
      await scene.ask('GET', `${widgets.collection()}/a`, { accept });
    }
  },

  'a Table of the future cannot be had': async ({ ask, space }) => {
    const path = `/api/v1/namespaces/${space}/serviceaccounts`;
    await ask('GET', `${path}/default`, { accept: partial('Table', 'v2') });
    await ask('GET', path, { accept: partial('Table', 'v2') });
    await ask('GET', `${path}?includeObject=None`, {
      accept: `${partial('Table', 'v2')},${TABLE}`,
      pick: ({ rows }) => rows,
    });
  },

  'metadata of a list is a list, and of one object one': async (story) => {
    const one = partial('PartialObjectMetadata');
    const list = partial('PartialObjectMetadataList');
    for (const path of [
      '/api/v1/pods',
      '/apis/apps/v1/deployments',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      '/apis/coordination.k8s.io/v1/leases',
      '/apis/batch/v1/jobs',
      '/apis/policy/v1/poddisruptionbudgets',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      '/apis/events.k8s.io/v1/events',
      '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    ]) {
      await story.ask('GET', path, { accept: one });
    }
    const widgets = await defineWidgets(story);
    await story.ask('GET', widgets.collection(), { accept: one });
    await story.ask('GET', `/api/v1/namespaces/${story.space}/serviceaccounts/default`, { accept: list });
    await story.ask('GET', `/api/v1/namespaces/${story.space}/serviceaccounts`, { accept: list });
    await story.ask('GET', `/api/v1/namespaces/${story.space}/serviceaccounts/default`, {
      accept: partial('PartialObjectMetadata', 'v1beta1'),
    });
  },

  'a written object can be had as its metadata alone': async ({ ask, space }) => {
    const accept = partial('PartialObjectMetadata');
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await ask('POST', path, { accept, body: configMap('a', { k: 'v' }) });
    await ask('DELETE', `${path}/a`, { accept });
  },

  'YAML has its keys in order': async ({ ask, space }) => {
    const accept = 'application/yaml';
    const path = `/api/v1/namespaces/${space}/configmaps`;
    await ask('POST', path, { accept, body: configMap('a', { z: 'on', a: '1', m: 'two\nlines\n', e: '' }) });
    await ask('GET', `${path}/a`, { accept });
    await ask('GET', `${path}/none`, { accept: 'application/json' });
  },

  'a Table of a custom kind says nothing where nothing follows': async (story) => {
    const widgets = await defineWidgets(story);
    await story.ask('GET', widgets.collection(), { accept: TABLE });
    await story.ask('GET', widgets.collection());
  },
});
