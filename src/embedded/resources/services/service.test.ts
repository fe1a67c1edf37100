/** Recorded from kube-apiserver 1.33. */

import { describe, expect, it } from 'vitest';
import { created, someContext, statusUpdated, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt } from '../../../base/json-fields.ts';
import { serviceStrategy as strategy } from './service.ts';

const service = (spec: JsonObject): JsonObject => ({ metadata: { name: 's' }, spec });
const plain = () => created(strategy, service({ ports: [{ port: 80 }] })).object;
const changed = (spec: JsonObject) => {
  const old = plain();
  return updated(strategy, old, { ...old, spec: { ...objectAt(old, 'spec'), ...spec } });
};

describe('the strategy of Services', () => {
  it('allocates a cluster IP', () => {
    expect(plain()).toMatchObject({
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
        clusterIP: '10.96.128.127',
        clusterIPs: ['10.96.128.127'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    });
  });

  it('allocates no cluster IP and no node port of another service', () => {
    const sent = service({ type: 'NodePort', ports: [{ port: 80 }, { port: 81, name: 'b' }] });
    const read = strategy.decode(sent);
    const object = read.kind === 'decoded' ? strategy.setDefaults(read.object) : {};
    const first = strategy.prepareForCreate(object, someContext);
    const second = strategy.prepareForCreate(object, { ...someContext, others: () => [first] });
    expect(second).toMatchObject({
      spec: { clusterIP: '10.96.128.128', ports: [{ nodePort: 31_386 }, { nodePort: 31_387 }] },
    });
    expect(first).toMatchObject({
      spec: { clusterIP: '10.96.128.127', ports: [{ nodePort: 31_384 }, { nodePort: 31_385 }] },
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'a headless service without a selector',
      { metadata: { name: 's' }, spec: { clusterIP: 'None' } },
      {
        spec: {
          clusterIP: 'None',
          clusterIPs: ['None'],
          type: 'ClusterIP',
          sessionAffinity: 'None',
          ipFamilies: ['IPv4', 'IPv6'],
          ipFamilyPolicy: 'RequireDualStack',
          internalTrafficPolicy: 'Cluster',
        },
        status: { loadBalancer: {} },
      },
    ],
    [
      'a headless service with a selector',
      { metadata: { name: 's' }, spec: { clusterIP: 'None', selector: { a: 'b' }, ports: [{ port: 80 }] } },
      {
        spec: {
          ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
          selector: { a: 'b' },
          clusterIP: 'None',
          clusterIPs: ['None'],
          type: 'ClusterIP',
          sessionAffinity: 'None',
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          internalTrafficPolicy: 'Cluster',
        },
        status: { loadBalancer: {} },
      },
    ],
    [
      'an ExternalName service',
      { metadata: { name: 's' }, spec: { type: 'ExternalName', externalName: 'x.com' } },
      {
        spec: { type: 'ExternalName', sessionAffinity: 'None', externalName: 'x.com' },
        status: { loadBalancer: {} },
      },
    ],
    [
      'a requested cluster IP',
      { metadata: { name: 's' }, spec: { clusterIP: '10.96.0.50', ports: [{ port: 80 }] } },
      {
        spec: {
          ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
          clusterIP: '10.96.0.50',
          clusterIPs: ['10.96.0.50'],
          type: 'ClusterIP',
          sessionAffinity: 'None',
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          internalTrafficPolicy: 'Cluster',
        },
        status: { loadBalancer: {} },
      },
    ],
    [
      'a requested node port',
      { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30123 }] } },
      {
        spec: {
          ports: [{ protocol: 'TCP', port: 80, targetPort: 80, nodePort: 30123 }],
          clusterIP: '10.96.0.0',
          clusterIPs: ['10.96.0.0'],
          type: 'NodePort',
          sessionAffinity: 'None',
          externalTrafficPolicy: 'Cluster',
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          internalTrafficPolicy: 'Cluster',
        },
        status: { loadBalancer: {} },
      },
    ],
    [
      'session affinity for three hours',
      { metadata: { name: 's' }, spec: { sessionAffinity: 'ClientIP', ports: [{ port: 80 }] } },
      {
        spec: {
          ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
          clusterIP: '10.96.0.0',
          clusterIPs: ['10.96.0.0'],
          type: 'ClusterIP',
          sessionAffinity: 'ClientIP',
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          internalTrafficPolicy: 'Cluster',
        },
        status: { loadBalancer: {} },
      },
    ],
    [
      'session affinity config without session affinity',
      {
        metadata: { name: 's' },
        spec: { sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } }, ports: [{ port: 80 }] },
      },
      {
        spec: {
          ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
          clusterIP: '10.96.0.0',
          clusterIPs: ['10.96.0.0'],
          type: 'ClusterIP',
          sessionAffinity: 'None',
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          internalTrafficPolicy: 'Cluster',
        },
        status: { loadBalancer: {} },
      },
    ],
    [
      'policy PreferDualStack',
      { metadata: { name: 's' }, spec: { ipFamilyPolicy: 'PreferDualStack', ports: [{ port: 80 }] } },
      {
        spec: {
          ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
          clusterIP: '10.96.0.0',
          clusterIPs: ['10.96.0.0'],
          type: 'ClusterIP',
          sessionAffinity: 'None',
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'PreferDualStack',
          internalTrafficPolicy: 'Cluster',
        },
        status: { loadBalancer: {} },
      },
    ],
  ])('sets defaults: %s', (_, sent, expected) => {
    const { object, causes } = created(strategy, sent);
    expect(causes).toEqual([]);
    const rest = { spec: objectAt(object, 'spec'), status: objectAt(object, 'status') };
    const address = objectAt(expected, 'spec')?.clusterIP === '10.96.0.0' ? ['10.96.128.127'] : undefined;
    const spec = {
      ...objectAt(expected, 'spec'),
      ...(address && { clusterIP: address[0], clusterIPs: address }),
    };
    expect(rest).toEqual({ ...expected, spec });
  });

  it('keeps the cluster IP if an update omits it, and rejects another', () => {
    const old = plain();
    expect(updated(strategy, old, service({ ports: [{ port: 81 }] }))).toMatchObject({
      causes: [],
      object: { spec: { clusterIP: '10.96.128.127', ports: [{ port: 81, targetPort: 81 }] } },
    });
    for (const spec of [
      { clusterIP: '10.96.0.77' },
      { clusterIP: '10.96.0.77', clusterIPs: ['10.96.0.77'] },
    ]) {
      expect(changed(spec).causes).toEqual([
        'spec.clusterIPs[0] FieldValueInvalid: Invalid value: []string{"10.96.0.77"}: may not change once set',
      ]);
    }
  });

  it('releases the cluster IP when the type becomes ExternalName', () => {
    const { object, causes } = changed({ type: 'ExternalName', externalName: 'a.b' });
    expect(causes).toEqual([]);
    expect(object.spec).toEqual({
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      type: 'ExternalName',
      sessionAffinity: 'None',
      externalName: 'a.b',
    });
  });

  it('allocates node ports when the type changes, keeps them, and releases them', () => {
    const open = changed({ type: 'NodePort' }).object;
    expect(open).toMatchObject({ spec: { ports: [{ nodePort: 31_384 }], externalTrafficPolicy: 'Cluster' } });
    const kept = updated(strategy, open, service({ type: 'NodePort', ports: [{ port: 80 }] })).object;
    expect(kept).toMatchObject({ spec: { ports: [{ nodePort: 31_384 }] } });
    const closed = updated(strategy, open, {
      ...open,
      spec: { ...objectAt(open, 'spec'), type: 'ClusterIP' },
    });
    expect(closed.causes).toEqual([]);
    expect(closed.object.spec).toEqual(plain().spec);
  });

  it('writes the load balancer status only for type LoadBalancer', () => {
    const old = plain();
    const status = { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } };
    expect(statusUpdated(strategy, old, { ...old, status }).causes).toEqual([
      "status.loadBalancer.ingress FieldValueForbidden: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
    const balanced = created(strategy, service({ type: 'LoadBalancer', ports: [{ port: 80 }] })).object;
    expect(statusUpdated(strategy, balanced, { ...balanced, status })).toMatchObject({
      causes: [],
      object: { status },
    });
  });
});
