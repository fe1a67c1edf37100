/** Invalid requests and their errors. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { configMap } from './objects.ts';
import { badRequest, causesOf, expectFailure, invalid, notFound } from './statuses.ts';

const NO_SUCH_RESOURCE = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
};
const NO_SUCH_METHOD = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
};

const NO_OBJECT =
  "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ";

export const errorCases = topic('errors', {
  'a group that nobody serves is plain text and 404': async (scene) => {
    for (const path of ['/apis/none.example.com', '/apis/none.example.com/v1/x', '/none']) {
      const answer = await scene.get(path);
      expect([path, answer.status, answer.body]).toEqual([path, 404, '404 page not found\n']);
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    }
  },

  'an unknown resource, subresource or version of a built-in group is a Status': async (scene) => {
    for (const path of [
      '/api/v1/gadgets',
      '/api/v2/pods',
      '/apis/apps/v9/deployments',
      '/api/v1/namespaces/default/configmaps/a/status',
    ]) {
      expectFailure(await scene.get(path), NO_SUCH_RESOURCE);
    }
  },

  'a resource that a custom group does not have is plain text and 404': async (scene) => {
    const widgets = await defineWidgets(scene);
    const answer = await scene.get(`/apis/${widgets.group}/v1/gadgets`);
    expect([answer.status, answer.body]).toEqual([404, '404 page not found\n']);
  },

  'a subresource that a custom kind does not have is answered as if the object were not there': async (
    scene,
  ) => {
    const widgets = await defineWidgets(scene);
    await scene.make(widgets.collection(), widgets.object('a'));
    for (const subresource of ['status', 'scale', 'other']) {
      const answer = await scene.get(`${widgets.collection()}/a/${subresource}`);
      expectFailure(answer, notFound({ resource: 'widgets', group: widgets.group }, 'a'));
    }
  },

  'a verb that a resource does not know is not allowed': async (scene) => {
    const answer = await scene.put('/api/v1/namespaces/default/configmaps', configMap('a'));
    expectFailure(answer, NO_SUCH_METHOD);
  },
  'asking for headers or options alone is not allowed': async (scene) => {
    expectFailure(await scene.request('OPTIONS', '/api/v1/namespaces/default'), NO_SUCH_METHOD);
    const head = await scene.request('HEAD', '/api/v1/namespaces/default');
    expect([head.status, head.body]).toEqual([405, '']);
  },

  'creating where a name stands in the path is not allowed': async (scene) => {
    const answer = await scene.post('/api/v1/namespaces/default/configmaps/a', configMap('a'));
    expectFailure(answer, NO_SUCH_METHOD);
  },

  'a media type that cannot be read is refused with those that can': async (scene) => {
    const answer = await scene.post('/api/v1/namespaces/default/configmaps', 'x', {
      contentType: 'text/plain',
    });
    expectFailure(answer, {
      code: 415,
      reason: 'UnsupportedMediaType',
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    });
  },

  'a custom resource is read from JSON and YAML': async (scene) => {
    const widgets = await defineWidgets(scene);
    expectFailure(await scene.post(widgets.collection(), 'x', { contentType: 'text/plain' }), {
      code: 415,
      reason: 'UnsupportedMediaType',
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    });
    const yaml = `apiVersion: ${widgets.apiVersion}\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n`;
    const made = await scene.post(widgets.collection(), yaml, { contentType: 'application/yaml' });
    expect([made.status, made.json.spec]).toEqual([201, { size: 1 }]);
  },

  'a media type that cannot be written is refused with those that can': async (scene) => {
    const answer = await scene.get('/api/v1/namespaces/default/configmaps', { accept: 'text/html' });
    expectFailure(answer, {
      code: 406,
      reason: 'NotAcceptable',
      message:
        '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
      details: {},
    });
  },

  'an unknown type of patch is refused': async (scene) => {
    const path = '/api/v1/namespaces/default/configmaps/a';
    const answer = await scene.request('PATCH', path, { body: {}, contentType: 'application/json' });
    expectFailure(answer, {
      code: 415,
      reason: 'UnsupportedMediaType',
      message: '415: Unsupported Media Type',
      details: {},
    });
  },

  'a body that is no JSON is refused with what the parser says': async (scene) => {
    const answer = await scene.post('/api/v1/namespaces/default/configmaps', '{');
    expectFailure(answer, badRequest(`${NO_OBJECT}unexpected end of JSON input ({)`));
  },

  'an empty body is refused': async (scene) => {
    const answer = await scene.post('/api/v1/namespaces/default/configmaps', '');
    expectFailure(answer, badRequest(`${NO_OBJECT}unexpected end of JSON input (<empty>)`));
  },

  'a field of the wrong type is refused with its Go type': async (scene) => {
    const answer = await scene.post('/api/v1/namespaces/default/configmaps', configMap('a', { k: 1 }));
    expectFailure(
      answer,
      badRequest(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
      ),
    );
  },

  'a body larger than 3 MiB is refused': async (scene) => {
    const answer = await scene.post(
      '/api/v1/namespaces/default/configmaps',
      configMap('a', { k: 'x'.repeat(3 * 2 ** 20) }),
    );
    expectFailure(answer, {
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    });
  },

  'a ConfigMap larger than 1 MiB is refused': async (scene) => {
    const answer = await scene.post(
      '/api/v1/namespaces/default/configmaps',
      configMap('a', { k: 'x'.repeat(2 ** 20 + 1) }),
    );
    expectFailure(
      answer,
      invalid(
        { kind: 'ConfigMap', name: 'a' },
        { reason: 'FieldValueTooLong', message: 'Too long: may not be more than 1048576 bytes', field: '[]' },
      ),
    );
  },

  'a body of another kind is refused': async (scene) => {
    const answer = await scene.post('/api/v1/namespaces/default/configmaps', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a' },
    });
    expectFailure(
      answer,
      badRequest(
        'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
      ),
    );
  },

  'a body of another version is refused': async (scene) => {
    const answer = await scene.post('/api/v1/namespaces/default/configmaps', {
      ...configMap('a'),
      apiVersion: 'v2',
    });
    expect([answer.status, answer.json.reason]).toEqual([400, 'BadRequest']);
    // A place in the server's own sources follows.
    expect(answer.json.message).toMatch(
      /^ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "/,
    );
  },

  'a custom resource of another kind or version is refused': async (scene) => {
    const widgets = await defineWidgets(scene);
    expectFailure(
      await scene.post(widgets.collection(), { ...widgets.object('a'), kind: 'Gadget' }),
      invalid(
        { kind: 'Gadget', group: widgets.group, name: 'a' },
        { reason: 'FieldValueInvalid', message: 'Invalid value: "Gadget": must be Widget', field: 'kind' },
      ),
    );
    expectFailure(
      await scene.post(widgets.collection(), { ...widgets.object('a'), apiVersion: 'v1' }),
      badRequest(
        `the API version in the data (v1) does not match the expected API version (${widgets.apiVersion})`,
      ),
    );
    const text = '{"metadata":{"name":"a"}}';
    expectFailure(
      await scene.post(widgets.collection(), text),
      badRequest(
        `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '${text}' (${text})`,
      ),
    );
  },

  'a name in the body must be the one in the path': async (scene) => {
    const space = await scene.namespace();
    await scene.make(`/api/v1/namespaces/${space}/configmaps`, configMap('a'));
    const answer = await scene.put(`/api/v1/namespaces/${space}/configmaps/a`, configMap('b'));
    expectFailure(answer, badRequest('the name of the object (b) does not match the name on the URL (a)'));
  },

  'a namespace in the body must be the one in the path': async (scene) => {
    const body = configMap('a', {}, { namespace: 'other' });
    const answer = await scene.post('/api/v1/namespaces/default/configmaps', body);
    expectFailure(
      answer,
      badRequest('the namespace of the provided object does not match the namespace sent on the request'),
    );
  },

  'a namespaced object cannot be created at the path of all namespaces': async (scene) => {
    const answer = await scene.post('/api/v1/configmaps', configMap('a', {}, { namespace: 'default' }));
    expectFailure(answer, NO_SUCH_METHOD);
  },

  'names must be DNS subdomains': async (scene) => {
    const cause = {
      reason: 'FieldValueInvalid',
      message: `Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      field: 'metadata.name',
    };
    const answer = await scene.post('/api/v1/namespaces/default/configmaps', configMap('A_b'));
    expectFailure(answer, invalid({ kind: 'ConfigMap', name: 'A_b' }, cause));
  },

  'names of namespaces must be DNS labels of at most 63 characters': async (scene) => {
    const label = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`;
    expectFailure(
      await scene.post('/api/v1/namespaces', { metadata: { name: 'a_b' } }),
      invalid(
        { kind: 'Namespace', name: 'a_b' },
        { reason: 'FieldValueInvalid', message: `Invalid value: "a_b": ${label}`, field: 'metadata.name' },
      ),
    );
    expectFailure(
      await scene.post('/api/v1/namespaces', { metadata: { name: 'a.b' } }),
      invalid(
        { kind: 'Namespace', name: 'a.b' },
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "a.b": must not contain dots',
          field: 'metadata.name',
        },
      ),
    );
    const long = 'x'.repeat(64);
    expectFailure(
      await scene.post('/api/v1/namespaces', { metadata: { name: long } }),
      invalid(
        { kind: 'Namespace', name: long },
        {
          reason: 'FieldValueInvalid',
          message: `Invalid value: "${long}": must be no more than 63 characters`,
          field: 'metadata.name',
        },
        // The name is a label as well.
        {
          reason: 'FieldValueInvalid',
          message: `Invalid value: "${long}": must be no more than 63 characters`,
          field: 'metadata.labels',
        },
      ),
    );
  },

  'labels and annotations must be well formed': async (scene) => {
    const metadata = { labels: { 'bad key': 'x', good: 'no space' }, annotations: { 'a/b/c': '' } };
    const answer = await scene.post('/api/v1/namespaces/default/configmaps', configMap('a', {}, metadata));
    const name = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;
    const causes = causesOf(answer, { kind: 'ConfigMap', name: 'a' });
    // Labels are looked at in no order.
    expect([...causes].sort()).toEqual([
      `metadata.annotations FieldValueInvalid: Invalid value: "a/b/c": a qualified name ${name} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      `metadata.labels FieldValueInvalid: Invalid value: "bad key": name part ${name}`,
      `metadata.labels FieldValueInvalid: Invalid value: "no space": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ]);
  },

  'a key of a ConfigMap must be a file name': async (scene) => {
    const answer = await scene.post('/api/v1/namespaces/default/configmaps', configMap('a', { 'a/b': '' }));
    expectFailure(
      answer,
      invalid(
        { kind: 'ConfigMap', name: 'a' },
        {
          reason: 'FieldValueInvalid',
          message: `Invalid value: "a/b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
          field: 'data[a/b]',
        },
      ),
    );
  },

  'data of a Secret must be base64': async (scene) => {
    const answer = await scene.post('/api/v1/namespaces/default/secrets', {
      metadata: { name: 'a' },
      data: { k: '%' },
    });
    expectFailure(
      answer,
      badRequest('Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0'),
    );
  },

  'the options of a request must be well formed': async (scene) => {
    expectFailure(
      await scene.get('/api/v1/namespaces?limit=x'),
      badRequest('strconv.ParseInt: parsing "x": invalid syntax'),
    );
    expectFailure(
      await scene.get('/api/v1/namespaces?timeoutSeconds=1.5'),
      badRequest('strconv.ParseInt: parsing "1.5": invalid syntax'),
    );
  },

  'owners must be named in full': async (scene) => {
    const made = await scene.post(
      '/api/v1/namespaces/default/configmaps',
      configMap('a', {}, { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] }),
    );
    expect(causesOf(made, { kind: 'ConfigMap', name: 'a' })).toEqual([
      'metadata.ownerReferences.apiVersion FieldValueInvalid: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind FieldValueInvalid: Invalid value: "": kind must not be empty',
      'metadata.ownerReferences.name FieldValueInvalid: Invalid value: "": name must not be empty',
      'metadata.ownerReferences.uid FieldValueInvalid: Invalid value: "": uid must not be empty',
    ]);
  },

  'one owner at most is in control': async (scene) => {
    const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true });
    const made = await scene.post(
      '/api/v1/namespaces/default/configmaps',
      configMap('a', {}, { ownerReferences: [owner('1'), owner('2')] }),
    );
    const [cause = '', ...rest] = causesOf(made, { kind: 'ConfigMap', name: 'a' });
    expect(rest).toEqual([]);
    // Between the two it shows the owners as Go prints them.
    expect(cause).toMatch(
      /^metadata\.ownerReferences FieldValueInvalid: Invalid value: \[\]v1\.OwnerReference\{/,
    );
    expect(cause.slice(cause.lastIndexOf('}: ') + 3)).toBe(
      'Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/p',
    );
  },
});
