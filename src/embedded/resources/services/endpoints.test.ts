/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { created } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { endpointsStrategy as strategy } from './endpoints.ts';

const brief = (causes: readonly string[]) => causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''));

describe('the strategy of Endpoints', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    [
      'addresses and ports',
      {
        metadata: { name: 'x' },
        subsets: [
          {},
          {
            addresses: [
              { ip: 'x' },
              { ip: '127.0.0.1' },
              { ip: '0.0.0.0' },
              { ip: '169.254.1.1' },
              { ip: '224.0.0.1' },
              { ip: '1.2.3.4', hostname: 'A B', nodeName: 'A B' },
              {},
            ],
            ports: [
              { port: 0 },
              { port: 70000, name: 'A_' },
              { port: 1, protocol: 'X', name: 'a' },
              { port: 2, name: 'b', appProtocol: 'a b' },
            ],
          },
          { addresses: [{ ip: '1.1.1.1' }], ports: [{ port: 1 }] },
          { notReadyAddresses: [{ ip: 'y' }] },
        ],
      },
      [
        'subsets[0] FieldValueRequired: Required value: must specify `addresses` or `notReadyAddresses`',
        'subsets[1].addresses[0].ip FieldValueInvalid: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'subsets[1].addresses[0].ip FieldValueInvalid: Invalid value: "x": must be a valid IP address',
        'subsets[1].addresses[1].ip FieldValueInvalid: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'subsets[1].addresses[2].ip FieldValueInvalid: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
        'subsets[1].addresses[3].ip FieldValueInvalid: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
        'subsets[1].addresses[4].ip FieldValueInvalid: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
        'subsets[1].addresses[5].hostname FieldValueInvalid: Invalid value: "A B": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
        "subsets[1].addresses[5].nodeName FieldValueInvalid: Invalid value: \"A B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        'subsets[1].addresses[6].ip FieldValueInvalid: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'subsets[1].addresses[6].ip FieldValueInvalid: Invalid value: "": must be a valid IP address',
        'subsets[1].ports[0].name FieldValueRequired: Required value',
        'subsets[1].ports[0].port FieldValueInvalid: Invalid value: 0: must be between 1 and 65535, inclusive',
        'subsets[1].ports[1].name FieldValueInvalid: Invalid value: "A_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
        'subsets[1].ports[1].port FieldValueInvalid: Invalid value: 70000: must be between 1 and 65535, inclusive',
        'subsets[1].ports[2].protocol FieldValueNotSupported: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        "subsets[1].ports[3].appProtocol FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        'subsets[3].notReadyAddresses[0].ip FieldValueInvalid: Invalid value: "y": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'subsets[3].notReadyAddresses[0].ip FieldValueInvalid: Invalid value: "y": must be a valid IP address',
      ],
    ],
    [
      'ports without names',
      {
        metadata: { name: 'x' },
        subsets: [{ addresses: [{ ip: '1.2.3.4' }], ports: [{ port: 80 }, { port: 81 }] }],
      },
      [
        'subsets[0].ports[0].name FieldValueRequired: Required value',
        'subsets[0].ports[1].name FieldValueRequired: Required value',
      ],
    ],
  ])('rejects with the messages of kube-apiserver: %s', (_, sent, causes) => {
    expect(brief(created(strategy, sent).causes)).toEqual(causes);
  });

  it('defaults the protocol, and warns that Endpoints are deprecated', () => {
    const sent = {
      metadata: { name: 'x' },
      subsets: [{ addresses: [{ ip: '1.2.3.4' }], ports: [{ port: 80 }] }],
    };
    const { object, causes, warnings } = created(strategy, sent);
    expect(causes).toEqual([]);
    expect(object.subsets).toEqual([
      { addresses: [{ ip: '1.2.3.4' }], ports: [{ port: 80, protocol: 'TCP' }] },
    ]);
    expect(warnings).toEqual(['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice']);
  });
});
