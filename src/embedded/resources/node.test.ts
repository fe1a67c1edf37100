/** Recorded from kube-apiserver 1.33. */

import { describe, expect, it } from 'vitest';
import { created, statusUpdated, updated } from '../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../base/json.ts';
import { objectAt } from '../../base/json-fields.ts';
import { nodeStrategy as strategy } from './node.ts';

const brief = (causes: readonly string[]) => causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''));

const node = (spec: JsonObject = {}, status: JsonObject = {}): JsonObject => ({
  metadata: { name: 'n' },
  spec,
  status,
});
const EMPTY_STATUS = {
  daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
  nodeInfo: {
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: '',
    osImage: '',
    containerRuntimeVersion: '',
    kubeletVersion: '',
    kubeProxyVersion: '',
    operatingSystem: '',
    architecture: '',
  },
};

describe('the strategy of Nodes', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    [
      'taints, quantities and CIDRs',
      {
        metadata: { name: 'n' },
        spec: {
          podCIDR: 'x',
          taints: [
            {},
            { key: 'a b', effect: 'X' },
            { key: 'a', value: 'b c', effect: 'NoSchedule' },
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', effect: 'NoSchedule', value: 'z' },
          ],
        },
        status: { capacity: { cpu: '-1' } },
      },
      [
        'metadata.taints[0].key FieldValueInvalid: Invalid value: "": name part must be non-empty',
        "metadata.taints[0].key FieldValueInvalid: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        'metadata.taints[0].effect FieldValueRequired: Required value',
        "metadata.taints[1].key FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        'metadata.taints[1].effect FieldValueNotSupported: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        "metadata.taints[2].value FieldValueInvalid: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        'metadata.taints[3] FieldValueDuplicate: Duplicate value: core.Taint{Key:"a", Value:"", Effect:"NoSchedule", TimeAdded:<nil>}: taints must be unique by key and effect pair',
        'metadata.taints[4] FieldValueDuplicate: Duplicate value: core.Taint{Key:"a", Value:"z", Effect:"NoSchedule", TimeAdded:<nil>}: taints must be unique by key and effect pair',
        'status.capacity.cpu FieldValueInvalid: Invalid value: "-1": must be greater than or equal to 0',
        'status.allocatable.cpu FieldValueInvalid: Invalid value: "-1": must be greater than or equal to 0',
        'spec.podCIDRs[0] FieldValueInvalid: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      ],
    ],
    [
      'two CIDRs of one family',
      { metadata: { name: 'n' }, spec: { podCIDRs: ['10.0.0.0/24', '10.0.1.0/24'] } },
      [
        'spec.podCIDRs FieldValueInvalid: Invalid value: []string{"10.0.0.0/24", "10.0.1.0/24"}: may specify no more than one CIDR for each IP family',
      ],
    ],
  ])('rejects with the messages of kube-apiserver: %s', (_, sent, causes) => {
    expect(brief(created(strategy, sent).causes)).toEqual(causes);
  });

  it('keeps the status that a new node is created with', () => {
    const spec = { podCIDR: '10.0.0.0/24', configSource: {} };
    const status = {
      capacity: { cpu: '4000m', memory: '1024Mi' },
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    const { object, causes } = created(strategy, node(spec, status));
    expect(causes).toEqual([]);
    expect(object.spec).toEqual({ podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] });
    expect(object.status).toEqual({
      ...EMPTY_STATUS,
      capacity: { cpu: '4', memory: '1Gi' },
      allocatable: { cpu: '4', memory: '1Gi' },
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: null, lastTransitionTime: null }],
    });
  });

  it.each<[string, JsonObject, string]>([
    [
      'the pod CIDR',
      { podCIDR: '10.0.1.0/24' },
      'spec.podCIDRs FieldValueForbidden: Forbidden: node updates may not change podCIDR except from "" to valid',
    ],
    [
      'the provider ID',
      { providerID: 'q' },
      'spec.providerID FieldValueForbidden: Forbidden: node updates may not change providerID except from "" to valid',
    ],
    [
      'the external ID',
      { externalID: 'q' },
      'spec.externalID FieldValueForbidden: Forbidden: may not be updated',
    ],
  ])('makes %s immutable once set', (_, change, cause) => {
    const old = created(strategy, node({ podCIDR: '10.0.0.0/24', providerID: 'p' })).object;
    const spec = { ...objectAt(old, 'spec'), ...change };
    expect(updated(strategy, old, { ...old, spec }).causes).toEqual([cause]);
  });

  it('allows setting pod CIDRs, the provider ID and taints later', () => {
    const old = created(strategy, node()).object;
    const spec = {
      podCIDRs: ['10.0.0.0/24', 'fd00::/64'],
      providerID: 'p',
      unschedulable: true,
      taints: [{ key: 'a', effect: 'NoExecute' }],
    };
    const { object, causes } = updated(strategy, old, { ...old, spec });
    expect(causes).toEqual([]);
    expect(object.spec).toEqual({ ...spec, podCIDR: '10.0.0.0/24' });
  });

  it('writes the status only through the status subresource, and nothing else there', () => {
    const old = created(strategy, node()).object;
    const change = { ...old, spec: { unschedulable: true }, status: { phase: 'Running', config: {} } };
    expect(updated(strategy, old, change).object).toMatchObject({
      spec: { unschedulable: true },
      status: EMPTY_STATUS,
    });
    expect(statusUpdated(strategy, old, change).object).toEqual({
      ...old,
      status: { ...EMPTY_STATUS, phase: 'Running' },
    });
  });

  it('rejects duplicate addresses', () => {
    const old = created(strategy, node()).object;
    const address = { type: 'InternalIP', address: '1.2.3.4' };
    const status = { addresses: [address, address], allocatable: { cpu: '-1' } };
    expect(statusUpdated(strategy, old, { ...old, status }).causes).toEqual([
      'status.allocatable.cpu FieldValueInvalid: Invalid value: "-1": must be greater than or equal to 0',
      'status.addresses[1] FieldValueDuplicate: Duplicate value: core.NodeAddress{Type:"InternalIP", Address:"1.2.3.4"}',
    ]);
  });
});
