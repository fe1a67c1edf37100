/** What a client may get wrong in the text of a body, and how it hears of it: Strict, Warn, Ignore. */
import { defineWidgets } from './custom-resources.ts';
import type { Loose } from './loose.ts';
import { configMap } from './objects.ts';
import { recorded, type Story } from './recorded.ts';

const WAYS = ['Strict', 'Warn', 'Ignore'] as const;
const MERGE = 'application/merge-patch+json';
const data = ({ data: found }: Loose): unknown => found;

/** The same body in each of the ways; `NAME` in it is a name of its own. */
async function inEachWay({ ask, space }: Story, contentType: string, body: string): Promise<void> {
  for (const way of WAYS) {
    const text = body.replaceAll('NAME', way.toLowerCase());
    const path = `/api/v1/namespaces/${space}/configmaps?fieldValidation=${way}`;
    await ask('POST', path, { contentType, body: text, pick: data });
  }
}

async function patchInEachWay({ ask, space, make }: Story, contentType: string, body: string): Promise<void> {
  await make(`/api/v1/namespaces/${space}/configmaps`, configMap('a', { k: 'v' }));
  for (const way of WAYS) {
    const path = `/api/v1/namespaces/${space}/configmaps/a?fieldValidation=${way}`;
    const answer = await ask('PATCH', path, { contentType, body, pick: data });
    if (answer.status >= 500) throw new Error(answer.body);
  }
}

export const fieldValidationCases = recorded('field validation', {
  'a key that JSON holds twice, and one that nobody knows': (story) =>
    inEachWay(
      story,
      'application/json',
      '{"metadata":{"name":"NAME","x":1},"data":{"a":"1","a":"2"},"foo":1}',
    ),

  'a key that YAML holds twice is told by its line': (story) =>
    inEachWay(
      story,
      'application/yaml',
      'metadata: {name: NAME}\ndata:\n  a: "1"\n  a: "2"\n  b: "1"\n  b: "3"\nzip: 1\n',
    ),

  'a strategic patch shows itself where it is refused': (story) =>
    patchInEachWay(
      story,
      'application/strategic-merge-patch+json',
      '{"data":{"k":"1","k":"2"},"bar":{"x":[1]}}',
    ),

  'a JSON patch with a key twice': async (story) => {
    const body = '[{"op":"add","path":"/data/x","value":"1","op":"add"}]';
    const { ask, space, make } = story;
    await make(`/api/v1/namespaces/${space}/configmaps`, configMap('a', { k: 'v' }));
    const contentType = 'application/json-patch+json';
    for (const way of ['Warn', 'Ignore']) {
      const path = `/api/v1/namespaces/${space}/configmaps/a?fieldValidation=${way}`;
      await ask('PATCH', path, { contentType, body, pick: data });
    }
  },

  'a merge patch with a key twice': async ({ ask, space, make }) => {
    await make(`/api/v1/namespaces/${space}/configmaps`, configMap('a', { k: 'v' }));
    for (const way of ['Warn', 'Ignore']) {
      const path = `/api/v1/namespaces/${space}/configmaps/a?fieldValidation=${way}`;
      const body = '{"data":{"q":"1","q":"2"},"zz":1,"metadata":{"wrong":1}}';
      await ask('PATCH', path, { contentType: MERGE, body, pick: data });
    }
  },

  'an applied text with a key twice': async ({ ask, space }) => {
    for (const way of WAYS) {
      const path = `/api/v1/namespaces/${space}/configmaps/a?fieldManager=me&fieldValidation=${way}`;
      const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: "1"\n  a: "2"\n';
      await ask('PATCH', path, { contentType: 'application/apply-patch+yaml', body, pick: data });
    }
  },

  'a custom resource is looked over for its keys first': async (story) => {
    const properties = { a: { type: 'string' } };
    const widgets = await defineWidgets(story, { spec: { type: 'object', properties } });
    for (const way of WAYS) {
      const head = `"apiVersion":"${widgets.apiVersion}","kind":"Widget"`;
      const body = `{${head},"metadata":{"name":"${way.toLowerCase()}","foo":1},"spec":{"a":"1","a":"2","zip":1}}`;
      const path = `${widgets.collection()}?fieldValidation=${way}`;
      await story.ask('POST', path, { body, pick: ({ spec }) => spec });
    }
  },

  'a custom resource in YAML': async (story) => {
    const properties = { a: { type: 'string' } };
    const widgets = await defineWidgets(story, { spec: { type: 'object', properties } });
    for (const way of WAYS) {
      const head = `apiVersion: ${widgets.apiVersion}\nkind: Widget\nmetadata: {name: ${way.toLowerCase()}}\n`;
      const body = `${head}spec:\n  a: "1"\n  a: "2"\n  zip: 1\n`;
      const path = `${widgets.collection()}?fieldValidation=${way}`;
      await story.ask('POST', path, { contentType: 'application/yaml', body, pick: ({ spec }) => spec });
    }
  },

  'fields deep in a template that nobody knows': async ({ ask, space }) => {
    const container = { name: 'main', image: 'x', imagee: 'y' };
    const spec = { containers: [container], volumes: [{ name: 'v', configmap: { name: 'x' } }] };
    const template = { metadata: { labels: { a: 'b' } }, spec };
    const selector = { matchLabels: { a: 'b' }, x: 1 };
    const body = { metadata: { name: 'a', foo: 1 }, spec: { selector, template, Replicas: 3 }, Status: {} };
    for (const way of WAYS) {
      const path = `/apis/apps/v1/namespaces/${space}/deployments?dryRun=All&fieldValidation=${way}`;
      await ask('POST', path, { body, pick: () => 'accepted' });
    }
  },

  'reviews and requests for tokens are read as strictly': async ({ ask, space }) => {
    const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods', bad: 1 } } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const token = `/api/v1/namespaces/${space}/serviceaccounts/default/token`;
    for (const way of WAYS) {
      await ask('POST', `${path}?fieldValidation=${way}`, { body: review, pick: ({ spec }) => spec });
      const body = { spec: { audience: ['x'] } };
      await ask('POST', `${token}?fieldValidation=${way}`, { body, pick: ({ spec }) => spec });
    }
  },

  'a dry run of nothing, and an unknown way': async ({ ask, space }) => {
    const body = configMap('a');
    const path = `/api/v1/namespaces/${space}/configmaps`;
    for (const query of ['dryRun=', 'dryRun=all', 'dryRun=All&dryRun=All', 'fieldValidation=strict']) {
      await ask('POST', `${path}?${query}`, { body, pick: () => 'accepted' });
    }
    await ask('GET', `${path}/a`);
  },
});
