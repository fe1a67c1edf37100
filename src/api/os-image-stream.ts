/**
 * OSImageStream: the OS images that the cluster offers, by the names that pools use for them.
 */

import { defineKind, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { list, object, required } from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';
import { digestPullSpec, streamNameOf } from './shapes.ts';

const availableStream = object('One stream.', {
  name: required(streamNameOf('Its name, which pools use.')),
  osImage: required(digestPullSpec('The OS image of the stream, by digest.')),
  osExtensionsImage: required(
    digestPullSpec('The image with the extensions that match the OS image, by digest.'),
  ),
});

export const osImageStream = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'OSImageStream',
  plural: 'osimagestreams',
  description:
    'The OS images that the cluster offers to its pools, by stream. There is one such object, named cluster.',
  crdLabels: operatorManagedLabels,
  rules: [
    {
      rule: "self.metadata.name == 'cluster'",
      message: "osimagestream is a singleton, .metadata.name must be 'cluster'",
    },
    {
      // A stream that goes away must not make the object unwritable, so only a new choice is checked.
      rule: 'self.spec.defaultStream == oldSelf.spec.defaultStream || !has(self.status) || self.status.availableStreams.exists(stream, stream.name == self.spec.defaultStream)',
      message: 'spec.defaultStream must reference an existing stream name from status.availableStreams',
    },
  ],
  spec: object('What the cluster should use.', {
    defaultStream: required(streamNameOf('The stream of every pool that names none.')),
  }),
  status: object(
    'What the cluster offers.',
    {
      defaultStream: required(streamNameOf('The stream that pools use which name none.')),
      availableStreams: required(
        list('The streams that pools may name.', availableStream, {
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
