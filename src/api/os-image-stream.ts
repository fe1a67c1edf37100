/**
 * OSImageStream: the OS images of the cluster, by stream name.
 */

import { defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { list, object, required } from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';
import { digestPullSpec, streamNameOf } from './shapes.ts';

const availableStream = object('One stream.', {
  name: required(streamNameOf('Name of the stream, as used by pools.')),
  osImage: required(digestPullSpec('OS image of the stream, by digest.')),
  osExtensionsImage: required(digestPullSpec('Extensions image that matches the OS image, by digest.')),
});

export const osImageStream = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'OSImageStream',
  plural: 'osimagestreams',
  description: 'OS images that are available to pools, by stream. There is one object, named cluster.',
  crdLabels: operatorManagedLabels,
  rules: [
    {
      rule: "self.metadata.name == 'cluster'",
      message: "osimagestream is a singleton, .metadata.name must be 'cluster'",
    },
    {
      // A removed stream must not make the object unwritable, so only a changed choice is validated.
      rule: 'self.spec.defaultStream == oldSelf.spec.defaultStream || !has(self.status) || self.status.availableStreams.exists(stream, stream.name == self.spec.defaultStream)',
      message: 'spec.defaultStream must reference an existing stream name from status.availableStreams',
    },
  ],
  spec: object('Desired state of the streams.', {
    defaultStream: required(streamNameOf('Stream of pools that do not set one.')),
  }),
  status: object(
    'Observed state of the streams.',
    {
      defaultStream: required(streamNameOf('Stream in effect for pools that do not set one.')),
      availableStreams: required(
        list('Streams that are available to pools.', availableStream, {
          minItems: 1,
          maxItems: 100,
          list: { map: ['name'] },
        }),
      ),
    },
    {
      rules: [
        {
          rule: 'self.availableStreams.exists(stream, stream.name == self.defaultStream)',
          message: 'defaultStream must reference a stream name from availableStreams',
        },
      ],
    },
  ),
});
export type OSImageStream = ObjectOfKind<typeof osImageStream>;
