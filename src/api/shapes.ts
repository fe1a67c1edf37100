/**
 * Shapes that several of our kinds share: names, images, references.
 */
import { object, required, type Schema, string } from '../kubernetes/schema/index.ts';
import {
  digestSuffix,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  imageName,
  streamName,
  taggedImage,
} from './rules.ts';

/** The name of a pool, node, MachineConfig or Secret. */
export const objectName = (
  description: string,
  limits: { readonly minLength?: number } = {},
): Schema<string> => string(description, { ...limits, maxLength: 253, rules: [dnsSubdomain] });

/** A reference by name alone, where the field says of which kind. */
export const nameReference = (description: string, limits: { readonly minLength?: number } = {}) =>
  object(description, { name: required(objectName('Its name.', limits)) });

export const streamNameOf = (description: string): Schema<string> =>
  string(description, { minLength: 1, maxLength: 253, rules: [streamName] });

/** How long the name of an image may be, whether by digest or by tag. */
export const imageLengths = { minLength: 1, maxLength: 447 } as const;

/** An image that can be pulled and cannot change: `host[:port][/namespace]/name@sha256:<digest>`. */
export const digestPullSpec = (description: string): Schema<string> =>
  string(description, { ...imageLengths, rules: [digestSuffix, imageName] });

/** A place to push an image to: `host[:port][/namespace]/name:<tag>`. */
export const tagPushSpec = (description: string): Schema<string> =>
  string(description, { ...imageLengths, rules: [taggedImage] });

/** A reference by group and resource, which builds use for what they made. */
export const resourceReference = (description: string) =>
  object(description, {
    group: required(objectName('The API group of the object.')),
    resource: required(
      string('The resource of the object, in the plural, such as jobs.', {
        minLength: 1,
        maxLength: 63,
        rules: [dns1035Label],
      }),
    ),
    namespace: string('The namespace of the object, where it has one.', {
      minLength: 1,
      maxLength: 63,
      rules: [dnsLabel],
    }),
    name: required(objectName('The name of the object.', { minLength: 1 })),
  });
