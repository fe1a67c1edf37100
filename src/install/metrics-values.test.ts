import { describe, expect, it } from 'vitest';
import { installObjects } from './install-objects.ts';
import { defaultValues } from './values.ts';

const values = defaultValues('1.2.3');
const metrics = {
  ...values.metrics,
  labels: { release: 'monitoring' },
  prometheus: { serviceAccount: 'scraper', namespace: 'watching' },
  runbooks: 'https://wiki.example/runbooks',
};

function installed(object: { readonly kind: string; readonly [field: string]: unknown }, given = metrics) {
  const files = [{ name: 'a.yaml', objects: [{ apiVersion: 'v1', ...object } as never] }];
  return installObjects(files, {
    ...values,
    daemon: { ...values.daemon, metricsPort: 9998 },
    metrics: given,
  })[0];
}

describe('the objects of metrics', () => {
  it('give Services of components on the network of nodes their port, and no other Service', () => {
    const service = (name: string) => ({
      kind: 'Service',
      metadata: { name },
      spec: { clusterIP: 'None', ports: [{ name: 'metrics', port: 9001 }] },
    });
    expect(installed(service('machine-config-daemon'))).toMatchObject({
      spec: { clusterIP: 'None', ports: [{ name: 'metrics', port: 9001, targetPort: 9998 }] },
    });
    expect(installed(service('machine-config-server'))).toMatchObject({
      spec: { ports: [{ name: 'metrics', port: 9001, targetPort: 9002 }] },
    });
    expect(installed(service('machine-config-operator'))).toEqual({
      apiVersion: 'v1',
      ...service('machine-config-operator'),
    });
  });

  it.each(['machine-config-prometheus', 'machine-config-metrics-reader'])(
    'bind %s to the account of Prometheus',
    (name) => {
      const subjects = [{ kind: 'ServiceAccount', name: 'scraper', namespace: 'watching' }];
      expect(installed({ kind: 'ClusterRoleBinding', metadata: { name }, subjects: [] })).toMatchObject({
        subjects,
      });
    },
  );

  it('leave other bindings alone', () => {
    const binding = { kind: 'RoleBinding', metadata: { name: 'other' }, subjects: [] };
    expect(installed(binding)).toEqual({ apiVersion: 'v1', ...binding });
  });

  it('have the labels by which Prometheus selects them, and links to where the runbooks are', () => {
    const rule = {
      kind: 'PrometheusRule',
      metadata: { name: 'a', labels: {} },
      spec: { groups: [{ rules: [{ annotations: { runbook_url: 'docs/troubleshooting.md#a' } }] }] },
    };
    expect(installed(rule)).toMatchObject({
      metadata: { name: 'a', labels: { release: 'monitoring' } },
      spec: {
        groups: [{ rules: [{ annotations: { runbook_url: 'https://wiki.example/runbooks#a' } }] }],
      },
    });
    expect(installed({ kind: 'ServiceMonitor', metadata: { name: 'a' } })).toMatchObject({
      metadata: { labels: { release: 'monitoring' } },
    });
  });

  it.each([
    [{}, ['reviews', 'service']],
    [{ enabled: false }, []],
    [{ serviceMonitors: true, rules: true }, ['monitor', 'rule', 'reviews', 'service']],
  ])('are installed as %j says', (given, expected) => {
    const files = [
      ['prometheus-monitors.yaml', 'monitor'],
      ['prometheus-rules.yaml', 'rule'],
      ['rbac-metrics.yaml', 'reviews'],
      ['services-metrics.yaml', 'service'],
    ].map(([file = '', name = '']) => ({ name: file, objects: [{ kind: 'A', metadata: { name } }] }));
    const objects = installObjects(files, { ...values, metrics: { ...values.metrics, ...given } });
    expect(objects.map((object) => (object.metadata as { name: string }).name)).toEqual(expected);
  });
});
