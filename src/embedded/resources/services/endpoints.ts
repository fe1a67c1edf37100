/**
 * The strategy of Endpoints, which are deprecated: writing them gives a warning.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { numberAt, objectsAt, optionalStringAt, stringAt } from '../../../base/json-fields.ts';
import { endpoints } from '../../../kubernetes/types/index.ts';
import { builtinStrategy } from '../builtin-strategy.ts';
import { required } from '../field-problems.ts';
import { dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems } from '../name-problems.ts';
import { withChangedItems, withDefaults } from '../object-edits.ts';
import { addressProblems } from '../pods/pod-spec.ts';
import { addressRangeProblems } from './addresses.ts';
import { portProblems, protocolProblems } from './ports.ts';

export const endpointsStrategy = builtinStrategy({
  of: endpoints,
  allowsCreateOnUpdate: true,
  afterSchemaDefaults: (object) =>
    withChangedItems(object, 'subsets', (subset) =>
      withChangedItems(subset, 'ports', (port) => withDefaults(port, { protocol: 'TCP' })),
    ),
  validateCreate: subsetsProblems,
  validateUpdate: subsetsProblems,
  warnings: () => ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
});

function subsetsProblems(object: JsonObject): readonly Problem[] {
  return objectsAt(object, 'subsets').flatMap((subset, index) => {
    const path = `subsets[${index}]`;
    const ports = objectsAt(subset, 'ports');
    const lists = ['addresses', 'notReadyAddresses'];
    const isEmpty = lists.every((list) => objectsAt(subset, list).length === 0);
    return [
      ...(isEmpty ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...lists.flatMap((list) =>
        objectsAt(subset, list).flatMap((address, at) => endpointProblems(address, `${path}.${list}[${at}]`)),
      ),
      ...ports.flatMap((port, at) =>
        endpointPortProblems(port, `${path}.ports[${at}]`, { needsName: ports.length > 1 }),
      ),
    ];
  });
}

function endpointProblems(address: JsonObject, path: string): readonly Problem[] {
  const ip = stringAt(address, 'ip');
  const hostname = stringAt(address, 'hostname');
  const node = optionalStringAt(address, 'nodeName');
  return [
    ...addressProblems(`${path}.ip`, ip),
    ...(hostname === '' ? [] : dnsLabelProblems(`${path}.hostname`, hostname)),
    ...(node === undefined ? [] : dnsSubdomainProblems(`${path}.nodeName`, node)),
    ...addressRangeProblems(`${path}.ip`, ip),
  ];
}

function endpointPortProblems(
  port: JsonObject,
  path: string,
  { needsName }: { readonly needsName: boolean },
): readonly Problem[] {
  const name = stringAt(port, 'name');
  const protocol = stringAt(port, 'protocol');
  const spoken = optionalStringAt(port, 'appProtocol');
  return [
    ...(name === '' && needsName ? [required(`${path}.name`)] : []),
    ...(name === '' ? [] : dnsLabelProblems(`${path}.name`, name)),
    ...portProblems(`${path}.port`, numberAt(port, 'port')),
    ...protocolProblems(`${path}.protocol`, protocol),
    ...(spoken === undefined ? [] : qualifiedNameProblems(`${path}.appProtocol`, spoken)),
  ];
}
