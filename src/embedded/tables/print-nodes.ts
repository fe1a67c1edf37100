/**
 * Printer of Nodes.
 */

import { compareBytes } from '../../base/json.ts';
import { listAt, stringAt, valueAt } from '../../base/json-fields.ts';
import { NODE } from './descriptions-pods.ts';
import { entriesAt } from './fields.ts';
import { age, name, printer, text, wide } from './printer.ts';

export const nodePrinter = printer(NODE, [
  name,
  text('Status', stateOf),
  text('Roles', rolesOf),
  age,
  text('Version', (node) => stringAt(node, 'status', 'nodeInfo', 'kubeletVersion')),
  wide('Internal-IP', (node) => addressOf(node, 'InternalIP')),
  wide('External-IP', (node) => addressOf(node, 'ExternalIP')),
  wide('OS-Image', (node) => systemInfo(node, 'osImage')),
  wide('Kernel-Version', (node) => systemInfo(node, 'kernelVersion')),
  wide('Container-Runtime', (node) => systemInfo(node, 'containerRuntimeVersion')),
]);

function stateOf(node: unknown): string {
  // Of several conditions of one type the last one counts.
  const ready = listAt(node, 'status', 'conditions').findLast((one) => stringAt(one, 'type') === 'Ready');
  const isReady = stringAt(ready, 'status') === 'True';
  const state = ready === undefined ? 'Unknown' : isReady ? 'Ready' : 'NotReady';
  return valueAt(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

function rolesOf(node: unknown): string {
  const roles = entriesAt(node, 'metadata', 'labels').map(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return key.slice(ROLE_PREFIX.length);
    return key === ROLE_LABEL ? value : '';
  });
  const distinct = new Set(roles.filter((role) => role !== ''));
  return [...distinct].sort(compareBytes).join(',') || '<none>';
}

function addressOf(node: unknown, type: string): string {
  const address = listAt(node, 'status', 'addresses').find((one) => stringAt(one, 'type') === type);
  return address === undefined ? '<none>' : stringAt(address, 'address');
}

function systemInfo(node: unknown, field: string): string {
  return stringAt(node, 'status', 'nodeInfo', field) || '<unknown>';
}
