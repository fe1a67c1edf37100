/** Kinds that controllers act on: their defaults, and the number of their copies. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import { essence, normalised } from './normalised.ts';
import { deployment } from './objects.ts';
import { causesOf } from './statuses.ts';

const template = {
  metadata: { creationTimestamp: null, labels: { app: 'a' } },
  spec: {
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
    securityContext: {},
    schedulerName: 'default-scheduler',
  },
};

export const workloadCases = topic('workloads', {
  'a Deployment gets its defaults': async (scene) => {
    const space = await scene.namespace();
    const made = await scene.make(`/apis/apps/v1/namespaces/${space}/deployments`, deployment('a'));
    expect(essence(made)).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'a' } },
        template,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
      status: {},
    });
  },

  'a DaemonSet gets its defaults': async (scene) => {
    const space = await scene.namespace();
    const made = await scene.make(`/apis/apps/v1/namespaces/${space}/daemonsets`, {
      ...deployment('a'),
      kind: 'DaemonSet',
    });
    expect(essence(made)).toMatchObject({
      metadata: { generation: 1, annotations: { 'deprecated.daemonset.template.generation': '1' } },
      spec: {
        selector: { matchLabels: { app: 'a' } },
        template,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    });
  },

  'a Job gets its defaults, its labels and its selector': async (scene) => {
    const space = await scene.namespace();
    const made = await scene.make(`/apis/batch/v1/namespaces/${space}/jobs`, {
      metadata: { name: 'a' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x' }] } } },
    });
    expect(normalised(made.spec)).toMatchObject({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': '<uid>' } },
      template: {
        metadata: {
          labels: {
            'batch.kubernetes.io/controller-uid': '<uid>',
            'batch.kubernetes.io/job-name': 'a',
            'controller-uid': '<uid>',
            'job-name': 'a',
          },
        },
      },
    });
  },

  'a disruption budget, a lease and an event keep what they are given': async (scene) => {
    const space = await scene.namespace();
    const budget = await scene.make(`/apis/policy/v1/namespaces/${space}/poddisruptionbudgets`, {
      metadata: { name: 'a' },
      spec: { maxUnavailable: '50%', selector: { matchLabels: { app: 'x' } } },
    });
    expect(essence(budget)).toMatchObject({
      metadata: { generation: 1 },
      spec: { maxUnavailable: '50%', selector: { matchLabels: { app: 'x' } } },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    });
    const lease = await scene.make(`/apis/coordination.k8s.io/v1/namespaces/${space}/leases`, {
      metadata: { name: 'a' },
      spec: { leaseDurationSeconds: 10, renewTime: '2024-01-02T03:04:05.678901Z' },
    });
    expect(lease.spec).toEqual({ leaseDurationSeconds: 10, renewTime: '2024-01-02T03:04:05.678901Z' });
    const event = await scene.make(`/api/v1/namespaces/${space}/events`, {
      metadata: { name: 'a' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: space },
      reason: 'Made',
    });
    expect(essence(event)).toMatchObject({
      involvedObject: { kind: 'Pod', namespace: space, name: 'p' },
      reason: 'Made',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  },
  'an event is seen through both of its groups': async (scene) => {
    const space = await scene.namespace();
    await scene.make(`/api/v1/namespaces/${space}/events`, {
      metadata: { name: 'a' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: space },
      message: 'It was made.',
      count: 2,
      source: { component: 'me' },
    });
    const { json } = await scene.get(`/apis/events.k8s.io/v1/namespaces/${space}/events/a`);
    expect(essence(json)).toMatchObject({
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      regarding: { kind: 'Pod', namespace: space, name: 'p' },
      note: 'It was made.',
      deprecatedCount: 2,
      deprecatedSource: { component: 'me' },
      eventTime: null,
    });
  },

  'an event is about its own namespace': async (scene) => {
    const space = await scene.namespace();
    const refused = await scene.post(`/api/v1/namespaces/${space}/events`, {
      metadata: { name: 'a' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'other' },
    });
    expect(causesOf(refused, { kind: 'Event', name: 'a' })).toEqual([
      'involvedObject.namespace FieldValueInvalid: Invalid value: "other": does not match event.namespace',
    ]);
  },

  'a selector must match the labels of its template, and cannot change': async (scene) => {
    const path = `/apis/apps/v1/namespaces/${await scene.namespace()}/deployments`;
    const other = deployment('a', { selector: { matchLabels: { app: 'other' } } });
    expect(causesOf(await scene.post(path, other), { kind: 'Deployment', group: 'apps', name: 'a' })).toEqual(
      [
        'spec.template.metadata.labels FieldValueInvalid: Invalid value: map[string]string{"app":"a"}: `selector` does not match template `labels`',
      ],
    );
    await scene.make(path, deployment('a'));
    const changed = await scene.patch(`${path}/a`, 'merge', {
      spec: { selector: { matchLabels: { more: 'x' } }, template: { metadata: { labels: { more: 'x' } } } },
    });
    expect([changed.status, changed.json.message]).toEqual([
      422,
      'Deployment.apps "a" is invalid: spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"a", "more":"x"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ]);
  },

  'the scale of a Deployment is read and written as an object of its own': async (scene) => {
    const space = await scene.namespace();
    const path = `/apis/apps/v1/namespaces/${space}/deployments`;
    await scene.make(path, deployment('a', { replicas: 2 }));
    const { json } = await scene.get(`${path}/a/scale`);
    expect(normalised(json)).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: {
        name: 'a',
        namespace: space,
        uid: '<uid>',
        resourceVersion: '<version>',
        creationTimestamp: '<time>',
      },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=a' },
    });
    const scaled = await scene.patch(`${path}/a/scale`, 'merge', { spec: { replicas: 5 } });
    expect(scaled.json.spec).toEqual({ replicas: 5 });
    const after = await scene.get(`${path}/a`);
    expect([after.json.spec?.replicas, after.json.metadata?.generation]).toEqual([5, 2]);
  },

  'the scale of a custom resource is where its definition says': async (scene) => {
    const widgets = await defineWidgets(scene, {
      spec: { type: 'object', properties: { count: { type: 'integer' } } },
      version: {
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' },
        },
      },
    });
    await scene.make(widgets.collection(), widgets.object('a', { count: 1 }));
    const scaled = await scene.patch(`${widgets.collection()}/a/scale`, 'merge', { spec: { replicas: 4 } });
    expect(scaled.json).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 4 },
      status: { replicas: 0 },
    });
    expect((await scene.get(`${widgets.collection()}/a`)).json.spec).toEqual({ count: 4 });
  },
});
