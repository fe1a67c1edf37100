/** Recorded from kube-apiserver 1.33. */

import { describe, expect, it } from 'vitest';
import { created, statusUpdated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt } from '../../../base/json-fields.ts';
import { podStrategy as strategy } from './pod.ts';

const container = { name: 'a', image: 'x' };
const specOf = (spec: JsonObject): JsonObject => {
  const { object, causes } = created(strategy, {
    metadata: { name: 'a' },
    spec: { containers: [container], ...spec },
  });
  expect(causes).toEqual([]);
  return objectAt(object, 'spec') ?? {};
};
const containerWith = (fields: JsonObject): unknown =>
  specOf({ containers: [{ ...container, ...fields }] }).containers;
const volume = (fields: JsonObject): unknown => specOf({ volumes: [{ name: 'v', ...fields }] }).volumes;

describe('the defaults of a pod', () => {
  it('are set on an empty pod', () => {
    expect(specOf({})).toEqual({
      containers: [
        {
          ...container,
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
      enableServiceLinks: true,
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'probes',
      { livenessProbe: { httpGet: { port: 80 } } },
      {
        livenessProbe: {
          httpGet: { path: '/', port: 80, scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ],
    [
      'a probe with a timeout',
      { readinessProbe: { tcpSocket: { port: 1 }, timeoutSeconds: 5, periodSeconds: 0 } },
      { readinessProbe: { tcpSocket: { port: 1 }, timeoutSeconds: 5, periodSeconds: 10 } },
    ],
    [
      'a gRPC probe',
      { startupProbe: { grpc: { port: 5 } } },
      { startupProbe: { grpc: { port: 5, service: '' } } },
    ],
    [
      'hooks',
      { lifecycle: { postStart: { httpGet: { port: 1 } } } },
      { lifecycle: { postStart: { httpGet: { path: '/', port: 1, scheme: 'HTTP' } } } },
    ],
    ['ports', { ports: [{ containerPort: 80 }] }, { ports: [{ containerPort: 80, protocol: 'TCP' }] }],
    [
      'variables',
      {
        env: [
          { name: 'E', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'R', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        ],
      },
      {
        env: [
          { valueFrom: { fieldRef: { apiVersion: 'v1' } } },
          { valueFrom: { resourceFieldRef: { divisor: '0' } } },
        ],
      },
    ],
    [
      'limits',
      { resources: { limits: { cpu: 1, memory: '1Gi' }, requests: { cpu: '500m' } } },
      { resources: { limits: { cpu: '1' }, requests: { cpu: '500m', memory: '1Gi' } } },
    ],
    ['an image with a tag', { image: 'host:5000/x:1' }, { imagePullPolicy: 'IfNotPresent' }],
  ])('are set on containers: %s', (_, fields, expected) => {
    expect(containerWith(fields)).toMatchObject([expected]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['no source', {}, { emptyDir: {} }],
    ['configMap', { configMap: { name: 'c' } }, { configMap: { name: 'c', defaultMode: 420 } }],
    ['secret', { secret: { secretName: 's' } }, { secret: { secretName: 's', defaultMode: 420 } }],
    ['hostPath', { hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
    [
      'downwardAPI',
      { downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } },
      {
        downwardAPI: {
          items: [{ path: 'p', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }],
          defaultMode: 420,
        },
      },
    ],
    [
      'a projected token',
      { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      {
        projected: {
          sources: [{ serviceAccountToken: { expirationSeconds: 3600, path: 't' } }],
          defaultMode: 420,
        },
      },
    ],
    [
      'an ephemeral claim',
      { ephemeral: { volumeClaimTemplate: { spec: {} } } },
      {
        ephemeral: {
          volumeClaimTemplate: {
            metadata: { creationTimestamp: null },
            spec: { resources: {}, volumeMode: 'Filesystem' },
          },
        },
      },
    ],
  ])('are set on volumes: %s', (_, fields, expected) => {
    expect(volume(fields)).toEqual([{ name: 'v', ...expected }]);
  });

  it('include host ports with hostNetwork', () => {
    const ports = [{ containerPort: 80 }];
    expect(specOf({ hostNetwork: true, containers: [{ ...container, ports }] }).containers).toMatchObject([
      { ports: [{ containerPort: 80, hostPort: 80 }] },
    ]);
  });

  it('include both names of the ServiceAccount', () => {
    for (const spec of [
      { serviceAccount: 's' },
      { serviceAccountName: 's' },
      { serviceAccount: 'x', serviceAccountName: 's' },
    ]) {
      expect(specOf(spec)).toMatchObject({ serviceAccount: 's', serviceAccountName: 's' });
    }
  });

  it('replace a negative grace period by one second', () => {
    expect(specOf({ terminationGracePeriodSeconds: -5 })).toMatchObject({ terminationGracePeriodSeconds: 1 });
    expect(specOf({ terminationGracePeriodSeconds: 0 })).toMatchObject({ terminationGracePeriodSeconds: 0 });
  });

  it('include both podIP and podIPs', () => {
    const old = created(strategy, { metadata: { name: 'a' }, spec: { containers: [container] } }).object;
    const both = { podIP: '1.2.3.4', podIPs: [{ ip: '1.2.3.4' }] };
    for (const status of [
      { podIP: '1.2.3.4' },
      { podIPs: [{ ip: '1.2.3.4' }] },
      { ...both, podIPs: [{ ip: '5.6.7.8' }] },
    ]) {
      expect(statusUpdated(strategy, old, { ...old, status }).object.status).toMatchObject(both);
    }
  });
});
