/** Recorded from kube-apiserver 1.33, which serves 10.96.0.0/16 and the ports 30000-32767. */

import { describe, expect, it } from 'vitest';
import { causeText, created, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt } from '../../../base/json-fields.ts';
import { serviceStrategy as strategy } from './service.ts';

const service = (spec: JsonObject, name = 's'): JsonObject => ({ metadata: { name }, spec });
const ports = (...list: readonly JsonObject[]) => list.map((port, index) => ({ name: `p${index}`, ...port }));

const other = created(
  strategy,
  service({ type: 'NodePort', clusterIP: '10.96.3.3', ports: [{ port: 80, nodePort: 30_001 }] }, 'other'),
).object;
const balanced = created(
  strategy,
  service(
    {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      clusterIP: '10.96.3.4',
      healthCheckNodePort: 30_002,
      ports: [{ port: 80, nodePort: 30_003 }],
    },
    'balanced',
  ),
).object;
const leading = created(
  strategy,
  service({ type: 'ExternalName', externalName: 'a.b', ports: [{ port: 80, nodePort: 30_009 }] }, 'leading'),
).object;
const kept = [other, balanced, leading];

/** The problems of one more service beside those three. */
function clashes(spec: JsonObject): readonly string[] {
  const { object } = created(strategy, service(spec));
  return (strategy.validateAgainstOthers?.(object, undefined, kept) ?? []).map(causeText);
}

const TAKEN = 'provided port is already allocated';
const OUT_OF_RANGE = 'provided port is not in the valid range. The range of valid ports is 30000-32767';
const invalidPort = (path: string, port: number, why: string) =>
  `${path} FieldValueInvalid: Invalid value: ${port}: ${why}`;
const invalidAddress = (address: string, why: string) =>
  `spec.clusterIPs FieldValueInvalid: Invalid value: []string{"${address}"}: failed to allocate IP ${address}: ${why}`;

describe('the allocation for a new Service rejects', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    [
      'an allocated node port',
      { ports: ports({ port: 80, nodePort: 30_001 }) },
      [invalidPort('spec.ports[0].nodePort', 30_001, TAKEN)],
    ],
    [
      'an allocated node port with another protocol',
      { ports: ports({ port: 80, nodePort: 30_001, protocol: 'UDP' }) },
      [invalidPort('spec.ports[0].nodePort', 30_001, TAKEN)],
    ],
    [
      'the health check node port of another service',
      { ports: ports({ port: 80, nodePort: 30_002 }) },
      [invalidPort('spec.ports[0].nodePort', 30_002, TAKEN)],
    ],
    [
      'a duplicate node port',
      { ports: ports({ port: 80, nodePort: 30_010 }, { port: 81, nodePort: 30_010 }) },
      [invalidPort('spec.ports[1].nodePort', 30_010, TAKEN)],
    ],
    [
      'a node port shared by ports of different number and protocol',
      { ports: ports({ port: 80, nodePort: 30_010 }, { port: 81, nodePort: 30_010, protocol: 'UDP' }) },
      [invalidPort('spec.ports[1].nodePort', 30_010, TAKEN)],
    ],
    [
      'several conflicts, of which only the first is reported',
      { ports: ports({ port: 80, nodePort: 30_001 }, { port: 81, nodePort: 3 }) },
      [invalidPort('spec.ports[0].nodePort', 30_001, TAKEN)],
    ],
    ...[29_999, 32_768, -5].map((port): [string, JsonObject, readonly string[]] => [
      `the port ${port}`,
      { ports: ports({ port: 80, nodePort: port }) },
      [invalidPort('spec.ports[0].nodePort', port, OUT_OF_RANGE)],
    ]),
    [
      'its own node port as health check node port',
      {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 30_020,
        ports: ports({ port: 80, nodePort: 30_020 }),
      },
      [invalidPort('spec.healthCheckNodePort', 30_020, TAKEN)],
    ],
    [
      'an allocated cluster IP in any notation',
      { clusterIP: '10.96.3.003', ports: ports({ port: 80, nodePort: 30_001 }) },
      [invalidAddress('10.96.3.003', 'provided IP is already allocated')],
    ],
    ...['10.97.3.3', '10.96.0.0', '10.96.255.255', '0.0.0.0'].map(
      (address): [string, JsonObject, readonly string[]] => [
        `the address ${address}`,
        { clusterIP: address, ports: ports({ port: 80 }) },
        [invalidAddress(address, 'the provided network does not match the current range')],
      ],
    ),
    [
      'an address of the other family',
      { clusterIP: 'fd00::1', ports: ports({ port: 80 }) },
      [
        'spec.clusterIPs[0] FieldValueInvalid: Invalid value: []string{"fd00::1"}: IPv6 is not configured on this cluster',
      ],
    ],
  ])('%s', (_, spec, causes) => {
    expect(clashes({ type: 'NodePort', ...spec })).toEqual(causes);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    [
      'two families with a dual-stack policy',
      { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] },
      [
        'spec.ipFamilyPolicy FieldValueInvalid: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
        'spec.ipFamilies[1] FieldValueInvalid: Invalid value: "IPv6": not configured on this cluster',
      ],
    ],
    [
      'two families with policy SingleStack',
      { ipFamilies: ['IPv4', 'IPv6'] },
      [
        "spec.ipFamilyPolicy FieldValueInvalid: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
      ],
    ],
    [
      'two cluster IPs',
      { clusterIP: '10.96.7.7', clusterIPs: ['10.96.7.7', 'fd00::1'] },
      [
        "spec.ipFamilyPolicy FieldValueInvalid: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified",
        'spec.clusterIPs[1] FieldValueInvalid: Invalid value: []string{"10.96.7.7", "fd00::1"}: IPv6 is not configured on this cluster',
      ],
    ],
    [
      'two cluster IPs of one family',
      { clusterIP: '10.96.7.7', clusterIPs: ['10.96.7.7', '10.96.7.8'] },
      [
        'spec.clusterIPs FieldValueInvalid: Invalid value: []string{"10.96.7.7", "10.96.7.8"}: may specify no more than one IP for each IP family',
      ],
    ],
    [
      'three cluster IPs',
      { clusterIP: '10.96.7.7', clusterIPs: ['10.96.7.7', 'fd00::1', 'fd00::2'] },
      [
        'spec.clusterIPs FieldValueInvalid: Invalid value: []string{"10.96.7.7", "fd00::1", "fd00::2"}: may only hold up to 2 values',
      ],
    ],
    [
      'a cluster IP and None',
      { clusterIP: 'None', clusterIPs: ['None', '10.96.1.1'] },
      [
        'spec.clusterIPs FieldValueInvalid: Invalid value: []string{"None", "10.96.1.1"}: \'None\' must be the first and only value',
      ],
    ],
    [
      'invalid cluster IPs that do not match',
      { clusterIP: 'x', clusterIPs: ['y', 'z'] },
      [
        'spec.clusterIPs FieldValueInvalid: Invalid value: []string{"y", "z"}: first value must match `clusterIP`',
        'spec.clusterIPs[0] FieldValueInvalid: Invalid value: "y": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'spec.clusterIPs[1] FieldValueInvalid: Invalid value: "z": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
    ],
    [
      'a duplicate family',
      { ipFamilies: ['IPv4', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' },
      ['spec.ipFamilies[1] FieldValueDuplicate: Duplicate value: "IPv4"'],
    ],
    [
      'a cluster IP of another family than the listed one',
      { ipFamilies: ['IPv4'], clusterIP: 'fd00::1' },
      [
        'spec.clusterIPs[0] FieldValueInvalid: Invalid value: "fd00::1": expected an IPv4 value as indicated by `ipFamilies[0]`',
      ],
    ],
    [
      'both families of a headless service with a selector',
      { clusterIP: 'None', ipFamilyPolicy: 'RequireDualStack', selector: { a: 'b' } },
      [
        'spec.ipFamilyPolicy FieldValueInvalid: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
      ],
    ],
  ])('%s, and reports nothing else', (_, spec, causes) => {
    expect(created(strategy, service({ ports: [], ...spec })).causes).toEqual(causes);
  });
});

describe('the allocation for a new Service accepts', () => {
  it.each<[string, JsonObject]>([
    [
      'one node port for two ports of the same number',
      { ports: ports({ port: 80, nodePort: 30_011 }, { port: 80, nodePort: 30_011, protocol: 'UDP' }) },
    ],
    ['a number that an ExternalName service has', { ports: ports({ port: 80, nodePort: 30_009 }) }],
    ['the last address of the range', { clusterIP: '10.96.255.254', ports: ports({ port: 80 }) }],
    ['an IPv4-mapped IPv6 address', { clusterIP: '::ffff:10.96.12.13', ports: ports({ port: 80 }) }],
  ])('%s', (_, spec) => {
    expect(clashes({ type: 'NodePort', ...spec })).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['both families', {}, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }],
    ['the other family first', { ipFamilies: ['IPv6'] }, { ipFamilies: ['IPv6', 'IPv4'] }],
    ['one family', { ipFamilyPolicy: 'SingleStack' }, { ipFamilies: ['IPv4'] }],
  ])('%s, if it is headless without a selector', (_, spec, expected) => {
    const { object, causes } = created(strategy, service({ clusterIP: 'None', ...spec }));
    expect(causes).toEqual([]);
    expect(object.spec).toMatchObject({ ...expected });
  });

  it('the same node port for ports with the same number, also one that a later port requests', () => {
    const both = ports({ port: 80 }, { port: 80, protocol: 'UDP' });
    expect(created(strategy, service({ type: 'NodePort', ports: both })).object).toMatchObject({
      spec: { ports: [{ nodePort: 31_384 }, { nodePort: 31_384 }] },
    });
    const named = ports({ port: 80 }, { port: 80, protocol: 'UDP', nodePort: 30_111 });
    expect(created(strategy, service({ type: 'NodePort', ports: named })).object).toMatchObject({
      spec: { ports: [{ nodePort: 30_111 }, { nodePort: 30_111 }] },
    });
  });
});

describe('the update of a Service', () => {
  const change = (old: JsonObject, spec: JsonObject) => {
    const { object } = updated(strategy, old, service(spec, String(objectAt(old, 'metadata')?.name)));
    return {
      spec: objectAt(object, 'spec'),
      causes: (strategy.validateAgainstOthers?.(object, old, kept) ?? []).map(causeText),
    };
  };

  it('keeps node ports by port name', () => {
    const { spec, causes } = change(other, { type: 'NodePort', ports: [{ port: 82, protocol: 'UDP' }] });
    expect(causes).toEqual([]);
    expect(spec).toMatchObject({ clusterIP: '10.96.3.3', ports: [{ nodePort: 30_001 }] });
    const renamed = change(other, { type: 'NodePort', ports: [{ port: 80, name: 'x' }] });
    expect(renamed.spec).toMatchObject({ ports: [{ nodePort: 31_384 }] });
  });

  it.each<[string, JsonObject, string]>([
    [
      'an allocated node port',
      { ports: ports({ port: 80, nodePort: 30_003 }) },
      invalidPort('spec.ports[0].nodePort', 30_003, TAKEN),
    ],
    [
      'a node port out of range',
      { ports: ports({ port: 80, nodePort: 3 }) },
      invalidPort('spec.ports[0].nodePort', 3, OUT_OF_RANGE),
    ],
    [
      'a duplicate node port',
      { ports: ports({ port: 82, nodePort: 30_125 }, { port: 83, nodePort: 30_125 }) },
      invalidPort('spec.ports[1].nodePort', 30_125, TAKEN),
    ],
  ])('rejects %s', (_, spec, cause) => {
    expect(change(other, { type: 'NodePort', ...spec }).causes).toEqual([cause]);
  });

  it('rejects its health check node port as a node port, and the reverse', () => {
    const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    expect(change(balanced, { ...local, ports: [{ port: 80, nodePort: 30_002 }] }).causes).toEqual([
      invalidPort('spec.ports[0].nodePort', 30_002, TAKEN),
    ]);
    const requested = { ...local, healthCheckNodePort: 30_001, ports: [{ port: 80, nodePort: 30_001 }] };
    expect(change(other, requested).causes).toEqual([invalidPort('spec.healthCheckNodePort', 30_001, TAKEN)]);
  });

  it('allows one node port for two protocols, whatever the port numbers', () => {
    const shared = ports({ port: 82, nodePort: 30_125 }, { port: 83, nodePort: 30_125, protocol: 'UDP' });
    expect(change(other, { type: 'NodePort', ports: shared }).causes).toEqual([]);
  });

  it('allocates a cluster IP when the type is no longer ExternalName', () => {
    expect(change(leading, { clusterIP: '10.96.3.3', ports: [{ port: 80 }] }).causes).toEqual([
      invalidAddress('10.96.3.3', 'provided IP is already allocated'),
    ]);
    expect(change(leading, { clusterIP: '10.96.3.9', ports: [{ port: 80 }] }).causes).toEqual([]);
  });

  it('keeps the IP family policy, which must change to release a family', () => {
    const both = created(strategy, service({ clusterIP: 'None' })).object;
    expect(change(both, { clusterIP: 'None', ipFamilies: ['IPv6'] }).causes).toEqual([
      'spec.ipFamilyPolicy FieldValueInvalid: Invalid value: "RequireDualStack": must be \'SingleStack\' to release the secondary IP family',
    ]);
    const one = change(both, {
      clusterIP: 'None',
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'SingleStack',
    });
    expect(one).toMatchObject({ causes: [], spec: { ipFamilies: ['IPv4'] } });
  });

  it('does not restore node ports that were released', () => {
    const without = { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] };
    expect(change(other, without).spec?.ports).toEqual([{ port: 80, protocol: 'TCP', targetPort: 80 }]);
  });

  it('keeps the health check node port and the load balancer class', () => {
    const sent = { ...objectAt(balanced, 'spec'), healthCheckNodePort: 30_050, loadBalancerClass: 'a/b' };
    expect(updated(strategy, balanced, service(sent, 'balanced')).causes).toEqual([
      'spec.healthCheckNodePort FieldValueForbidden: Forbidden: field is immutable',
      'spec.loadBalancerClass FieldValueInvalid: Invalid value: "a/b": may not change once set',
    ]);
  });
});

it('accepts an unchanged Service', () => {
  for (const one of kept) expect(strategy.validateAgainstOthers?.(one, one, kept)).toEqual([]);
});
