/** What can be done to pods: binding, eviction, logs. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { essence, normalised } from './normalised.ts';
import { type Fields, node, pod } from './objects.ts';
import type { Scene } from './scene.ts';
import { badRequest, causesOf, conflict, expectFailure, forbidden, notFound } from './statuses.ts';

async function podsOf(scene: Scene): Promise<string> {
  return `/api/v1/namespaces/${await scene.namespace()}/pods`;
}

/** Running and ready: only such a pod counts for a budget. */
async function aRunningPod(scene: Scene, path: string, name: string, labels: Fields): Promise<void> {
  await scene.make(path, pod(name, { nodeName: 'somewhere' }, { labels }));
  await scene.patch(`${path}/${name}/status`, 'merge', {
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
}

/** A budget as the disruption controller would have left it. */
async function aBudget(scene: Scene, pods: string, status: Fields): Promise<string> {
  const path = `${pods.replace('/api/v1', '/apis/policy/v1').replace(/pods$/, 'poddisruptionbudgets')}`;
  await scene.make(path, {
    metadata: { name: 'budget' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
  });
  const written = await scene.patch(`${path}/budget/status`, 'merge', {
    status: {
      observedGeneration: 1,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
      disruptionsAllowed: 0,
      ...status,
    },
  });
  expect(written.status).toBe(200);
  return `${path}/budget`;
}

const eviction = (name: string, more: Fields = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name },
  ...more,
});

export const podCases = topic('pods', {
  'a pod gets its defaults': async (scene) => {
    const path = await podsOf(scene);
    const made = await scene.make(path, pod('a'));
    expect(essence(made)).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: {
        name: 'a',
        namespace: path.split('/')[4],
        uid: '<uid>',
        resourceVersion: '<version>',
        generation: 1,
        creationTimestamp: '<time>',
      },
      spec: {
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'main',
            image: 'example.com/main',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        serviceAccountName: 'default',
        serviceAccount: 'default',
        securityContext: {},
        schedulerName: 'default-scheduler',
        tolerations: [
          {
            key: 'node.kubernetes.io/not-ready',
            operator: 'Exists',
            effect: 'NoExecute',
            tolerationSeconds: 300,
          },
          {
            key: 'node.kubernetes.io/unreachable',
            operator: 'Exists',
            effect: 'NoExecute',
            tolerationSeconds: 300,
          },
        ],
        priority: 0,
        enableServiceLinks: true,
        preemptionPolicy: 'PreemptLowerPriority',
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
  },
  'a class gives a pod its priority, and must be there': async (scene) => {
    const path = await podsOf(scene);
    const made = await scene.make(path, pod('a', { priorityClassName: 'system-node-critical' }));
    expect(made.spec).toMatchObject({ priorityClassName: 'system-node-critical', priority: 2_000_001_000 });
    expectFailure(
      await scene.post(path, pod('b', { priorityClassName: 'none' })),
      forbidden({ resource: 'pods' }, 'b', 'no PriorityClass with name none was found'),
    );
  },

  'a pod needs the account that it names': async (scene) => {
    const path = await podsOf(scene);
    expectFailure(
      await scene.post(path, pod('a', { serviceAccountName: 'none' })),
      forbidden(
        { resource: 'pods' },
        'a',
        `error looking up service account ${path.split('/')[4]}/none: serviceaccount "none" not found`,
      ),
    );
  },

  'a pod without containers or with a bad one is refused': async (scene) => {
    const path = await podsOf(scene);
    const refused = await scene.post(path, pod('a', { containers: [] }));
    expect(causesOf(refused, { kind: 'Pod', name: 'a' })).toEqual([
      'spec.containers FieldValueRequired: Required value',
    ]);
    const bad = await scene.post(path, pod('a', { containers: [{ name: 'A' }], restartPolicy: 'Often' }));
    expect(causesOf(bad, { kind: 'Pod', name: 'a' })).toEqual([
      `spec.containers[0].name FieldValueInvalid: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      'spec.containers[0].image FieldValueRequired: Required value',
      'spec.restartPolicy FieldValueNotSupported: Unsupported value: "Often": supported values: "Always", "OnFailure", "Never"',
    ]);
  },

  'little of a pod can be changed': async (scene) => {
    const path = await podsOf(scene);
    await scene.make(path, pod('a'));
    const refused = await scene.patch(`${path}/a`, 'merge', { spec: { restartPolicy: 'Never' } });
    expect([refused.status, refused.json.reason]).toEqual([422, 'Invalid']);
    expect(refused.json.message).toMatch(
      /^Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,`spec\.initContainers\[\*\]\.image`,`spec\.activeDeadlineSeconds`,`spec\.tolerations` \(only additions to existing tolerations\),`spec\.terminationGracePeriodSeconds` \(allow it to be set to 1 if it was previously negative\)\n/,
    );
    const image = await scene.patch(`${path}/a`, 'strategic', {
      spec: { containers: [{ name: 'main', image: 'new' }] },
    });
    expect(image.status).toBe(200);
    expect(image.json.metadata?.generation).toBe(2);
  },

  'binding puts a pod on a node': async (scene) => {
    const path = await podsOf(scene);
    await scene.make(path, pod('a'));
    const bound = await scene.post(`${path}/a/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'a', annotations: { note: 'x' } },
      target: { kind: 'Node', name: 'somewhere' },
    });
    expect(bound.status).toBe(201);
    expect(bound.json).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      code: 201,
    });
    const { json } = await scene.get(`${path}/a`);
    expect(json.spec?.nodeName).toBe('somewhere');
    expect(json.metadata?.annotations).toEqual({ note: 'x' });
    expect(normalised(json.status)).toMatchObject({
      conditions: [
        { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: '<time>' },
      ],
    });
    expectFailure(
      await scene.post(`${path}/a/binding`, {
        metadata: { name: 'a' },
        target: { kind: 'Node', name: 'elsewhere' },
      }),
      conflict({ resource: 'pods/binding' }, 'a', 'pod a is already assigned to node "somewhere"'),
    );
  },

  'binding what is not there is not found': async (scene) => {
    const path = await podsOf(scene);
    expectFailure(
      await scene.post(`${path}/none/binding`, {
        metadata: { name: 'none' },
        target: { kind: 'Node', name: 'x' },
      }),
      notFound({ resource: 'pods' }, 'none'),
    );
  },

  'eviction deletes a pod that no budget guards': async (scene) => {
    const path = await podsOf(scene);
    await aRunningPod(scene, path, 'a', { app: 'x' });
    const evicted = await scene.post(`${path}/a/eviction`, eviction('a'));
    expect(evicted.status).toBe(201);
    expect(evicted.json).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      code: 201,
    });
    expect((await scene.get(`${path}/a`)).json.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
  },

  'eviction takes the options of a deletion': async (scene) => {
    const path = await podsOf(scene);
    await aRunningPod(scene, path, 'a', { app: 'x' });
    const dry = await scene.post(`${path}/a/eviction`, eviction('a', { deleteOptions: { dryRun: ['All'] } }));
    expect(dry.status).toBe(201);
    expect((await scene.get(`${path}/a`)).json.metadata).not.toHaveProperty('deletionTimestamp');
    await scene.post(`${path}/a/eviction`, eviction('a', { deleteOptions: { gracePeriodSeconds: 0 } }));
    expect((await scene.get(`${path}/a`)).status).toBe(404);
  },

  'eviction that would break a budget is refused for now': async (scene) => {
    const path = await podsOf(scene);
    await aRunningPod(scene, path, 'a', { app: 'x' });
    await aBudget(scene, path, {});
    const refused = await scene.post(`${path}/a/eviction`, eviction('a'));
    expect(refused.headers['retry-after']).toBeUndefined();
    expectFailure(refused, {
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget budget needs 1 healthy pods and has 1 currently',
          },
        ],
      },
    });
  },

  'a budget that was not judged yet refuses, and says to try again': async (scene) => {
    const path = await podsOf(scene);
    await aRunningPod(scene, path, 'a', { app: 'x' });
    await aBudget(scene, path, { observedGeneration: 0 });
    const refused = await scene.post(`${path}/a/eviction`, eviction('a'));
    expect(refused.headers['retry-after']).toBe('10');
    expectFailure(refused, {
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget budget is still being processed by the server.',
          },
        ],
        retryAfterSeconds: 10,
      },
    });
  },

  'an allowed eviction is counted in the budget': async (scene) => {
    const path = await podsOf(scene);
    await aRunningPod(scene, path, 'a', { app: 'x' });
    const budget = await aBudget(scene, path, { currentHealthy: 2, disruptionsAllowed: 1 });
    const evicted = await scene.post(`${path}/a/eviction`, eviction('a'));
    expect(evicted.status).toBe(201);
    const { json } = await scene.get(budget);
    expect(normalised(json.status)).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { a: '<time>' } });
  },

  'two budgets on one pod refuse its eviction': async (scene) => {
    const path = await podsOf(scene);
    await aRunningPod(scene, path, 'a', { app: 'x' });
    const budget = await aBudget(scene, path, { disruptionsAllowed: 1 });
    await scene.make(budget.replace(/\/budget$/, ''), {
      metadata: { name: 'second' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
    });
    expectFailure(await scene.post(`${path}/a/eviction`, eviction('a')), {
      code: 500,
      message:
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
  },

  'a pod that has ended or waits is evicted whatever the budget': async (scene) => {
    const path = await podsOf(scene);
    await scene.make(path, pod('waiting', {}, { labels: { app: 'x' } }));
    await scene.make(path, pod('ended', { nodeName: 'somewhere' }, { labels: { app: 'x' } }));
    await scene.patch(`${path}/ended/status`, 'merge', { status: { phase: 'Succeeded' } });
    await aBudget(scene, path, {});
    for (const name of ['waiting', 'ended']) {
      expect((await scene.post(`${path}/${name}/eviction`, eviction(name))).status).toBe(201);
    }
  },

  'eviction of what is not there is not found, and of another name refused': async (scene) => {
    const path = await podsOf(scene);
    expectFailure(
      await scene.post(`${path}/none/eviction`, eviction('none')),
      notFound({ resource: 'pods' }, 'none'),
    );
    await scene.make(path, pod('a'));
    expectFailure(
      await scene.post(`${path}/a/eviction`, eviction('b')),
      badRequest('name in URL does not match name in Eviction object'),
    );
  },

  'a pod without a node has no log': async (scene) => {
    const path = await podsOf(scene);
    await scene.make(
      path,
      pod('a', {
        containers: [
          { name: 'one', image: 'x' },
          { name: 'two', image: 'x' },
        ],
      }),
    );
    expectFailure(
      await scene.get(`${path}/a/log`),
      badRequest('a container name must be specified for pod a, choose one of: [one two]'),
    );
    expectFailure(
      await scene.get(`${path}/a/log?container=three`),
      badRequest('container three is not valid for pod a'),
    );
    const none = await scene.get(`${path}/a/log?container=one`);
    expect([none.status, none.body]).toEqual([204, '']);
    expectFailure(await scene.get(`${path}/none/log`), notFound({ resource: 'pods' }, 'none'));
  },

  'a log on a node without addresses is an error of the server': async (scene) => {
    const path = await podsOf(scene);
    const name = scene.name('node');
    await scene.make('/api/v1/nodes', node(name));
    await scene.make(path, pod('a', { nodeName: name }));
    const answer = await scene.get(`${path}/a/log`);
    expectFailure(answer, { code: 500, message: 'no preferred addresses found; known addresses: []' });
  },

  'an old eviction and a bare one are understood': async (scene) => {
    const path = await podsOf(scene);
    await scene.make(path, pod('a'));
    const answer = await scene.post(`${path}/a/eviction`, { metadata: { name: 'a' } });
    expect(answer.status).toBe(201);
    await scene.make(path, pod('b'));
    const old = await scene.post(`${path}/b/eviction`, { ...eviction('b'), apiVersion: 'policy/v1beta1' });
    expect(old.status).toBe(201);
  },
});
