/**
 * Endpoints: the addresses of the pods of a service. Replaced by EndpointSlices; old clients still read it.
 */
import { objectReference } from '../meta/index.ts';
import { int32, named, oneOf, pointer, required, string, struct } from '../schema/index.ts';
import { defineBuiltin } from './builtin.ts';
import { items } from './fields.ts';
import { protocols } from './pods/pod-container.ts';

const endpointAddress = struct(
  'core.EndpointAddress',
  'An address.',
  {
    ip: required(string('As a number.')),
    hostname: string('As a name.'),
    nodeName: pointer(string('The node it is on.')),
    targetRef: objectReference('The pod behind it.'),
  },
  { atomic: true },
);

const endpointPort = struct(
  'core.EndpointPort',
  'A port.',
  {
    port: required(int32('Its number.')),
    name: string('Its name in the service.'),
    protocol: named('core.Protocol', oneOf('Its protocol; TCP unless given.', protocols)),
    appProtocol: pointer(string('The application protocol.')),
  },
  { atomic: true },
);

export const endpoints = defineBuiltin({
  group: '',
  kind: 'Endpoints',
  plural: 'endpoints',
  shortNames: ['ep'],
  description: 'Where the pods of a service are.',
  fields: {
    subsets: items(
      'Groups of addresses that offer the same ports.',
      struct('core.EndpointSubset', 'A group.', {
        addresses: items('Those that are ready.', endpointAddress),
        notReadyAddresses: items('Those that are not.', endpointAddress),
        ports: items('The ports of all of them.', endpointPort),
      }),
    ),
  },
});
