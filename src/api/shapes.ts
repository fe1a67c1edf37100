/**
 * Schemas that several of our kinds share: names, images, references.
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

/** A reference by name; the field determines the kind. */
export const nameReference = (description: string, limits: { readonly minLength?: number } = {}) =>
  object(description, { name: required(objectName('Name of the object.', limits)) });

export const streamNameOf = (description: string): Schema<string> =>
  string(description, { minLength: 1, maxLength: 253, rules: [streamName] });

/** The maximum length of an image reference. */
export const imageLengths = { minLength: 1, maxLength: 447 } as const;

/** An image by digest: `host[:port][/namespace]/name@sha256:<digest>`. */
export const digestPullSpec = (description: string): Schema<string> =>
  string(description, { ...imageLengths, rules: [digestSuffix, imageName] });

/** An image by tag: `host[:port][/namespace]/name:<tag>`. */
export const tagPushSpec = (description: string): Schema<string> =>
  string(description, { ...imageLengths, rules: [taggedImage] });

/** A reference by group and resource, for objects of a build. */
export const resourceReference = (description: string) =>
  object(description, {
    group: required(objectName('API group of the object.')),
    resource: required(
      string('Resource of the object, in the plural, such as jobs.', {
        minLength: 1,
        maxLength: 63,
        rules: [dns1035Label],
      }),
    ),
    namespace: string('Namespace of the object, if it is namespaced.', {
      minLength: 1,
      maxLength: 63,
      rules: [dnsLabel],
    }),
    name: required(objectName('Name of the object.', { minLength: 1 })),
  });
