import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/json.ts';
import { installObjects } from './install-objects.ts';
import { parseManifests } from './parse-manifests.ts';
import { defaultValues } from './values.ts';

const values = defaultValues('1.2.3');
const files = parseManifests(
  new Map([
    [
      'workloads.yaml',
      [
        workload('Deployment', 'machine-config-operator'),
        workload('DaemonSet', 'machine-config-daemon'),
      ].join('---\n'),
    ],
    ['rbac-builder.yaml', 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: builder}\n'],
    [
      'network-policies.yaml',
      'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: deny}\n',
    ],
    ['other.yaml', workload('Deployment', 'another')],
  ]),
);

function workload(kind: string, name: string): string {
  const probe = '{httpGet: {host: 127.0.0.1, port: 1}, periodSeconds: 3}';
  return `apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}}
spec:
  template:
    spec:
      containers:
      - {name: ${name}, command: [millwright], args: [--own], livenessProbe: ${probe}}
      - {name: beside, image: other}
`;
}

const named = (objects: readonly JsonObject[], name: string) =>
  objects.find(({ metadata }) => (metadata as JsonObject).name === name) as JsonObject;
const names = (objects: readonly JsonObject[]) =>
  objects.map(({ metadata }) => (metadata as JsonObject).name);

describe('installObjects', () => {
  it('keeps objects other than the workloads as they are, in the order of the files', () => {
    const objects = installObjects(files, values);
    expect(names(objects)).toEqual([
      'deny',
      'another',
      'builder',
      'machine-config-operator',
      'machine-config-daemon',
    ]);
    expect(named(objects, 'another')).toEqual(files[1]?.objects[0]);
  });

  it.each([
    [
      { builder: { enabled: false } },
      ['deny', 'another', 'machine-config-operator', 'machine-config-daemon'],
    ],
    [
      { networkPolicies: { enabled: false } },
      ['another', 'builder', 'machine-config-operator', 'machine-config-daemon'],
    ],
  ])('leaves out what %j turns off', (given, expected) => {
    expect(names(installObjects(files, { ...values, ...given }))).toEqual(expected);
  });

  it('gives a Deployment its values', () => {
    const given = { ...values, replicas: 3, base: 'coreos' as const, imagePullSecrets: [{ name: 'pull' }] };
    expect(named(installObjects(files, given), 'machine-config-operator')).toMatchObject({
      spec: {
        replicas: 3,
        template: {
          spec: {
            imagePullSecrets: [{ name: 'pull' }],
            nodeSelector: values.nodeSelector,
            tolerations: values.tolerations,
            containers: [
              {
                name: 'machine-config-operator',
                image: 'registry.millwright.dev/millwright:1.2.3',
                imagePullPolicy: 'IfNotPresent',
                args: [
                  '--own',
                  '--base=coreos',
                  '--metrics-address=:9001',
                  '--pause-master',
                  '--cluster-dns=',
                  '--cluster-domain=',
                  '--config-server-url=',
                  '--config-server-token=true',
                ],
                resources: values.resources.operator,
                livenessProbe: { httpGet: { host: '127.0.0.1', port: 1 }, periodSeconds: 3 },
              },
              { name: 'beside', image: 'other' },
            ],
          },
        },
      },
    });
  });

  it.each([
    ['openshift-machine-config-operator', 'mine'],
    ['system:serviceaccount:openshift-machine-config-operator:a', 'system:serviceaccount:mine:a'],
    [
      "user == 'system:serviceaccount:openshift-machine-config-operator:a' ||\n  b",
      "user == 'system:serviceaccount:mine:a' ||\n  b",
    ],
    ['openshift-config', 'openshift-config'],
    ['default', 'default'],
  ])('writes %j as %j for the namespace mine', (before, after) => {
    const subject = (text: string) => ({
      kind: 'A',
      metadata: { name: 'a' },
      some: [{ deep: text, count: 1 }],
    });
    const given = { ...values, namespace: 'mine' };
    expect(installObjects([{ name: 'a.yaml', objects: [subject(before)] }], given)).toEqual([subject(after)]);
  });

  it('gives the server its port, its rules and nodes of its own', () => {
    const server = { ...values.server, enabled: true, port: 8443, allowSources: '10.0.0.0/8' };
    const text = workload('DaemonSet', 'machine-config-server');
    const own = parseManifests(new Map([['workloads-server.yaml', text]]));
    const installed = named(installObjects(own, { ...values, server }), 'machine-config-server');
    expect(installed).toMatchObject({
      spec: {
        template: {
          spec: {
            nodeSelector: { 'node-role.kubernetes.io/control-plane': '' },
            containers: [
              {
                args: [
                  '--own',
                  '--port=8443',
                  '--metrics-address=:9002',
                  '--apiserver-url=',
                  '--allow-source=10.0.0.0/8',
                  '--require-token',
                ],
                livenessProbe: { httpGet: { port: 8443 } },
              },
              {},
            ],
          },
        },
      },
    });
    expect(installed).not.toHaveProperty('spec.replicas');
    expect(installObjects(own, values)).toEqual([]);
  });

  it('passes no flag for a pool master that is not to be paused', () => {
    const operator = named(
      installObjects(files, { ...values, pauseMaster: false }),
      'machine-config-operator',
    );
    expect(JSON.stringify(operator)).not.toContain('--pause-master');
  });

  it('gives the DaemonSet its own values, and its port to its flag and probes', () => {
    const daemon = { nodeSelector: { managed: 'yes' }, tolerations: [], port: 9999, metricsPort: 9998 };
    const found = named(installObjects(files, { ...values, daemon }), 'machine-config-daemon');
    expect(found).toMatchObject({
      spec: {
        template: {
          spec: {
            nodeSelector: { managed: 'yes' },
            tolerations: [],
            containers: [
              {
                args: ['--own', '--metrics-url=127.0.0.1:9999', '--metrics-address=:9998'],
                livenessProbe: { httpGet: { host: '127.0.0.1', port: 9999 }, periodSeconds: 3 },
                resources: values.resources.daemon,
              },
              { name: 'beside' },
            ],
          },
        },
      },
    });
    expect(found.spec).not.toHaveProperty('replicas');
  });
});
