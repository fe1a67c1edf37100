/** Recorded from kube-apiserver 1.33. Messages are compared without the examples at their end. */
import { describe, expect, it } from 'vitest';
import { created } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { serviceStrategy as strategy } from './service.ts';

const brief = (causes: readonly string[]) => causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''));

describe('the validation of Services', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['no ports', { metadata: { name: 's' }, spec: {} }, ['spec.ports FieldValueRequired: Required value']],
    [
      'a missing external name',
      { metadata: { name: 's' }, spec: { type: 'ExternalName' } },
      ['spec.externalName FieldValueRequired: Required value'],
    ],
    [
      'an invalid external name',
      { metadata: { name: 's' }, spec: { type: 'ExternalName', externalName: 'A B', ports: [{ port: 1 }] } },
      [
        "spec.externalName FieldValueInvalid: Invalid value: \"A B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      ],
    ],
    [
      'a node port of a ClusterIP service',
      { metadata: { name: 's' }, spec: { ports: [{ port: 80, nodePort: 30123 }] } },
      ["spec.ports[0].nodePort FieldValueForbidden: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      'source ranges',
      {
        metadata: { name: 's' },
        spec: {
          type: 'LoadBalancer',
          ports: [{ port: 80 }],
          loadBalancerSourceRanges: ['x'],
          loadBalancerIP: '1.2.3.4',
          loadBalancerClass: 'a/b',
        },
      },
      [
        'spec.LoadBalancerSourceRanges[0] FieldValueInvalid: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      ],
    ],
    [
      'an unknown type',
      { metadata: { name: 's' }, spec: { type: 'Foo', ports: [{ port: 80 }] } },
      [
        'spec.type FieldValueNotSupported: Unsupported value: "Foo": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
    ],
    [
      'an unknown session affinity',
      { metadata: { name: 's' }, spec: { sessionAffinity: 'X', ports: [{ port: 80 }] } },
      [
        'spec.sessionAffinity FieldValueNotSupported: Unsupported value: "X": supported values: "ClientIP", "None"',
      ],
    ],
    [
      'a session affinity timeout of zero',
      {
        metadata: { name: 's' },
        spec: {
          sessionAffinity: 'ClientIP',
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
          ports: [{ port: 80 }],
        },
      },
      [
        'spec.sessionAffinityConfig.clientIP.timeoutSeconds FieldValueInvalid: Invalid value: 0: must be greater than 0 and less than 86400',
      ],
    ],
    [
      'a cluster IP out of range',
      { metadata: { name: 's' }, spec: { clusterIP: '10.97.0.50', ports: [{ port: 80 }] } },
      [
        'spec.clusterIPs FieldValueInvalid: Invalid value: []string{"10.97.0.50"}: failed to allocate IP 10.97.0.50: the provided network does not match the current range',
      ],
    ],
    [
      'an invalid cluster IP',
      { metadata: { name: 's' }, spec: { clusterIP: 'x', ports: [{ port: 80 }] } },
      [
        'spec.clusterIPs[0] FieldValueInvalid: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
    ],
    [
      'clusterIPs without the first one',
      { metadata: { name: 's' }, spec: { clusterIPs: ['10.96.0.51'], ports: [{ port: 80 }] } },
      [
        'spec.clusterIPs FieldValueInvalid: Invalid value: []string{"10.96.0.51"}: must be empty when `clusterIP` is not specified',
      ],
    ],
    [
      'clusterIP that differs from clusterIPs',
      {
        metadata: { name: 's' },
        spec: { clusterIP: '10.96.0.52', clusterIPs: ['10.96.0.51'], ports: [{ port: 80 }] },
      },
      [
        'spec.clusterIPs FieldValueInvalid: Invalid value: []string{"10.96.0.51"}: first value must match `clusterIP`',
      ],
    ],
    [
      'an unsupported family',
      { metadata: { name: 's' }, spec: { ipFamilies: ['IPv6'], ports: [{ port: 80 }] } },
      ['spec.ipFamilies[0] FieldValueInvalid: Invalid value: "IPv6": not configured on this cluster'],
    ],
    [
      'an unknown family',
      { metadata: { name: 's' }, spec: { ipFamilies: ['X'], ports: [{ port: 80 }] } },
      ['spec.ipFamilies[0] FieldValueNotSupported: Unsupported value: "X": supported values: "IPv4", "IPv6"'],
    ],
    [
      'two families',
      { metadata: { name: 's' }, spec: { ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 80 }] } },
      [
        'spec.ipFamilyPolicy FieldValueInvalid: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
      ],
    ],
    [
      'an unknown family policy',
      { metadata: { name: 's' }, spec: { ipFamilyPolicy: 'X', ports: [{ port: 80 }] } },
      [
        'spec.ipFamilyPolicy FieldValueNotSupported: Unsupported value: "X": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
      ],
    ],
    [
      'a headless LoadBalancer service',
      { metadata: { name: 's' }, spec: { type: 'LoadBalancer', clusterIP: 'None', ports: [{ port: 80 }] } },
      [
        'spec.clusterIPs[0] FieldValueInvalid: Invalid value: "None": may not be set to \'None\' for LoadBalancer services',
      ],
    ],
    [
      'a cluster IP of an ExternalName service',
      {
        metadata: { name: 's' },
        spec: { type: 'ExternalName', clusterIP: 'None', ipFamilies: ['X'], ipFamilyPolicy: 'X' },
      },
      [
        'spec.clusterIPs FieldValueForbidden: Forbidden: may not be set for ExternalName services',
        'spec.ipFamilies FieldValueForbidden: Forbidden: may not be set for ExternalName services',
        'spec.ipFamilyPolicy FieldValueForbidden: Forbidden: may not be set for ExternalName services',
        'spec.externalName FieldValueRequired: Required value',
      ],
    ],
    [
      'load balancer fields of another type',
      {
        metadata: { name: 's' },
        spec: {
          allocateLoadBalancerNodePorts: true,
          loadBalancerClass: 'a/b',
          loadBalancerSourceRanges: ['10.0.0.0/8'],
          ports: [{ port: 80 }],
        },
      },
      [
        "spec.LoadBalancerSourceRanges FieldValueForbidden: Forbidden: may only be used when `type` is 'LoadBalancer'",
        "spec.allocateLoadBalancerNodePorts FieldValueForbidden: Forbidden: may only be used when `type` is 'LoadBalancer'",
        "spec.loadBalancerClass FieldValueForbidden: Forbidden: may only be used when `type` is 'LoadBalancer'",
      ],
    ],
    [
      'an invalid load balancer class',
      {
        metadata: { name: 's' },
        spec: { type: 'LoadBalancer', loadBalancerClass: 'a b', ports: [{ port: 80 }] },
      },
      [
        "spec.loadBalancerClass FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      ],
    ],
    [
      'ports',
      {
        metadata: { name: 's' },
        spec: {
          ports: [
            { port: 0 },
            { port: 70000, name: 'A_' },
            { port: 1, name: 'a', protocol: 'X' },
            { port: 2, name: 'a' },
            { port: 3, name: 'b', targetPort: 'A_' },
            { port: 4, name: 'c', targetPort: 70000 },
            { port: 5 },
            { port: 5, name: 'd' },
            { port: 5, name: 'e', protocol: 'UDP' },
            { port: 6, name: 'f', appProtocol: 'a b' },
          ],
        },
      },
      [
        'spec.ports[0].name FieldValueRequired: Required value',
        'spec.ports[0].port FieldValueInvalid: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.ports[0].targetPort FieldValueInvalid: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.ports[1].name FieldValueInvalid: Invalid value: "A_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
        'spec.ports[1].port FieldValueInvalid: Invalid value: 70000: must be between 1 and 65535, inclusive',
        'spec.ports[1].targetPort FieldValueInvalid: Invalid value: 70000: must be between 1 and 65535, inclusive',
        'spec.ports[2].protocol FieldValueNotSupported: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        'spec.ports[3].name FieldValueDuplicate: Duplicate value: "a"',
        'spec.ports[4].targetPort FieldValueInvalid: Invalid value: "A_": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'spec.ports[4].targetPort FieldValueInvalid: Invalid value: "A_": must contain at least one letter (a-z)',
        'spec.ports[5].targetPort FieldValueInvalid: Invalid value: 70000: must be between 1 and 65535, inclusive',
        'spec.ports[6].name FieldValueRequired: Required value',
        "spec.ports[9].appProtocol FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        'spec.ports[7] FieldValueDuplicate: Duplicate value: core.ServicePort{Name:"", Protocol:"TCP", AppProtocol:(*string)(nil), Port:5, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}',
      ],
    ],
    [
      'a selector',
      { metadata: { name: 's' }, spec: { selector: { 'a b': 'c d' }, ports: [{ port: 80 }] } },
      [
        "spec.selector FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        "spec.selector FieldValueInvalid: Invalid value: \"c d\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      ],
    ],
    [
      'external IPs',
      { metadata: { name: 's' }, spec: { externalIPs: ['x', '127.0.0.1'], ports: [{ port: 80 }] } },
      [
        'spec.externalIPs[0] FieldValueInvalid: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'spec.externalIPs[1] FieldValueInvalid: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
    [
      'an external traffic policy of a ClusterIP service',
      { metadata: { name: 's' }, spec: { externalTrafficPolicy: 'Local', ports: [{ port: 80 }] } },
      [
        'spec.externalTrafficPolicy FieldValueInvalid: Invalid value: "Local": may only be set for externally-accessible services',
      ],
    ],
    [
      'an unknown internal traffic policy',
      { metadata: { name: 's' }, spec: { internalTrafficPolicy: 'X', ports: [{ port: 80 }] } },
      [
        'spec.internalTrafficPolicy FieldValueNotSupported: Unsupported value: "X": supported values: "Cluster", "Local"',
      ],
    ],
    [
      'an unknown external traffic policy',
      {
        metadata: { name: 's' },
        spec: { type: 'NodePort', externalTrafficPolicy: 'X', ports: [{ port: 80 }] },
      },
      [
        'spec.externalTrafficPolicy FieldValueNotSupported: Unsupported value: "X": supported values: "Cluster", "Local"',
      ],
    ],
    [
      'a health check node port',
      { metadata: { name: 's' }, spec: { healthCheckNodePort: 3, ports: [{ port: 80 }] } },
      [
        "spec.healthCheckNodePort FieldValueInvalid: Invalid value: 3: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ],
    ],
    [
      'an unknown traffic distribution',
      { metadata: { name: 's' }, spec: { trafficDistribution: 'X', ports: [{ port: 80 }] } },
      [
        'spec.trafficDistribution FieldValueNotSupported: Unsupported value: "X": supported values: "PreferClose"',
      ],
    ],
  ])('rejects with the messages of kube-apiserver: %s', (_, sent, causes) => {
    expect(brief(created(strategy, sent).causes)).toEqual(causes);
  });
});
