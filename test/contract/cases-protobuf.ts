/** Bodies in protobuf: kubectl sends them since 1.32, and does not fall back. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { envelope } from './protobuf.ts';
import { badRequest, expectFailure } from './statuses.ts';

const contentType = 'application/vnd.kubernetes.protobuf';

export const protobufCases = topic('protobuf', {
  'a ConfigMap is read from protobuf and answered in JSON': async (scene) => {
    const space = await scene.namespace();
    const body = envelope('v1', 'ConfigMap', [
      [
        1,
        [
          [1, 'a'],
          [3, space],
        ],
      ],
      [
        2,
        [
          [1, 'k'],
          [2, 'v'],
        ],
      ],
    ]);
    const made = await scene.post(`/api/v1/namespaces/${space}/configmaps`, body, { contentType });
    expect([made.status, made.json.metadata?.name, made.json.data]).toEqual([201, 'a', { k: 'v' }]);
  },

  'a Namespace, a Secret and an account are read from protobuf': async (scene) => {
    const space = scene.name('space');
    scene.tidy(`/api/v1/namespaces/${space}`);
    const made = await scene.post('/api/v1/namespaces', envelope('v1', 'Namespace', [[1, [[1, space]]]]), {
      contentType,
    });
    expect(made.status).toBe(201);
    const secret = envelope('v1', 'Secret', [
      [
        1,
        [
          [1, 'a'],
          [
            11,
            [
              [1, 'x'],
              [2, 'y'],
            ],
          ],
        ],
      ],
      [
        2,
        [
          [1, 'k'],
          [2, 'v'],
        ],
      ],
      [3, 'example.com/mine'],
    ]);
    const kept = await scene.post(`/api/v1/namespaces/${space}/secrets`, secret, { contentType });
    expect(kept.json).toMatchObject({
      metadata: { name: 'a', labels: { x: 'y' } },
      data: { k: 'dg==' },
      type: 'example.com/mine',
    });
    const account = envelope('v1', 'ServiceAccount', [[1, [[1, 'robot']]]]);
    const robot = await scene.post(`/api/v1/namespaces/${space}/serviceaccounts`, account, { contentType });
    expect([robot.status, robot.json.metadata?.name]).toEqual([201, 'robot']);
  },

  'a review is read from protobuf': async (scene) => {
    const body = envelope('authorization.k8s.io/v1', 'SelfSubjectAccessReview', [
      [1, []],
      [
        2,
        [
          [
            1,
            [
              [1, 'default'],
              [2, 'get'],
              [3, ''],
              [4, '*'],
              [5, 'pods'],
            ],
          ],
        ],
      ],
    ]);
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const answer = await scene.post(path, body, { contentType });
    expect(answer.status).toBe(201);
    expect(answer.json.spec).toEqual({
      resourceAttributes: { namespace: 'default', verb: 'get', version: '*', resource: 'pods' },
    });
    expect(answer.json.status).toMatchObject({ allowed: true });
  },

  'an answer in protobuf is given where it is asked for': async (scene) => {
    const { status, headers, body } = await scene.get('/api/v1/namespaces/default', { accept: contentType });
    expect([status, headers['content-type']]).toEqual([200, contentType]);
    expect(body.startsWith('k8s\0')).toBe(true);
  },

  'where JSON is accepted too and protobuf comes first, either is right': async (scene) => {
    const { status, headers } = await scene.get('/api/v1/namespaces/default', {
      accept: `${contentType},application/json`,
    });
    expect(status).toBe(200);
    expect([contentType, 'application/json']).toContain(headers['content-type']);
  },

  'bytes that are no protobuf are refused': async (scene) => {
    const path = '/api/v1/namespaces/default/configmaps';
    expectFailure(
      await scene.post(path, 'nonsense', { contentType }),
      badRequest(
        'the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (6e6f6e73656e7365)',
      ),
    );
    const secret = envelope('v1', 'Secret', [[1, [[1, 'a']]]]);
    expectFailure(
      await scene.post(path, secret, { contentType }),
      badRequest(
        'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
      ),
    );
  },
});
