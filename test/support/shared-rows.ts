/**
 * Rows for fields that several kinds share: names, images, references. Compatibility fixes the messages, so they are
 * repeated here and not taken from the rules.
 */
import type { FieldRow } from './field-rows.ts';

export const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
export const image = `registry.example.com:5000/team/os@${digest}`;
export const pushSpec = 'registry.example.com:5000/team/os:latest';
export const reference = { group: 'batch', resource: 'jobs', namespace: 'a-namespace', name: 'build-x' };

export const long = (length: number): string => 'a'.repeat(length);
export const many = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character.";
export const STREAM =
  "a RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character.";
export const DIGEST =
  "the OCI Image reference must end with a valid '@sha256:<digest>' suffix, where '<digest>' is 64 characters long";
export const IMAGE_NAME =
  'the OCI Image name should follow the host[:port][/namespace]/name format, resembling a valid URL without the scheme';
export const PUSH_SPEC = `${IMAGE_NAME}. Or it must be a valid .svc followed by a port, repository, image name, and tag.`;

export const objectNames = (at: string): readonly FieldRow[] => [
  {
    at,
    good: ['worker', '0.a-b', long(253)],
    bad: ['', 'Worker', '-a', 'a.', 'a..b', 'a_b'],
    message: SUBDOMAIN,
  },
  { at, good: [long(253)], bad: [long(254)], message: 'Too long' },
];
export const streamNames = (at: string): readonly FieldRow[] => [
  { at, good: ['rhel-9', 'a.b', long(253)], bad: ['RHEL', 'a-', 'a..b'], message: STREAM },
  { at, good: ['a'], bad: [''], message: 'should be at least 1 chars long' },
  { at, good: [long(253)], bad: [long(254)], message: 'Too long' },
];
export const digestRows = (at: string): readonly FieldRow[] => [
  {
    at,
    good: [image],
    bad: [
      'registry.example.com/os:latest',
      `${image}@${digest}`,
      image.slice(0, -1),
      `${image}0`,
      image.toUpperCase(),
    ],
    message: DIGEST,
  },
  {
    at,
    good: [`a.b/os@${digest}`, `a.b:80/${long(61)}/os@${digest}`, `a.b/@${digest}`],
    bad: [
      `registry/os@${digest}`,
      `a.b:1/os@${digest}`,
      `a.b/x/y/os@${digest}`,
      `a.b/${long(62)}/os@${digest}`,
    ],
    message: IMAGE_NAME,
  },
  { at, good: [image], bad: [`a.b/${long(372)}@${digest}`], message: 'Too long' },
  { at, good: [image], bad: [''], message: 'should be at least 1 chars long' },
];
export const pushSpecRows = (at: string): readonly FieldRow[] => [
  {
    at,
    good: [pushSpec, 'a.b/os:v1.0_a-b', 'a.b/x/y/z/os:1', 'registry.images.svc:5000/any thing/os:1'],
    bad: ['a.b/os', 'registry/os:latest', `a.b/os@${digest}`, 'a.b:1/os:latest', `a.b/${long(62)}/os:1`],
    message: PUSH_SPEC,
  },
  { at, good: [`a.b/${long(441)}:1`], bad: [`a.b/${long(442)}:1`], message: 'Too long' },
  { at, good: [pushSpec], bad: [''], message: 'should be at least 1 chars long' },
];
export const referenceRows = (at: string): readonly FieldRow[] => [
  { at: `${at}.group`, good: ['apps', 'a.b'], bad: ['', 'Apps'], message: SUBDOMAIN },
  {
    at: `${at}.resource`,
    good: ['jobs', 'a-1'],
    bad: ['1a', 'Jobs', 'a.b', 'a-'],
    message:
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  },
  { at: `${at}.resource`, good: [long(63)], bad: [long(64)], message: 'Too long' },
  {
    at: `${at}.namespace`,
    good: [undefined, '1a', 'a-b'],
    bad: ['A', 'a.b', '-a'],
    message: 'the value must consist of only lowercase alphanumeric characters and hyphens',
  },
  { at: `${at}.namespace`, good: ['a'], bad: [''], message: 'should be at least 1 chars long' },
  { at: `${at}.name`, good: ['a.b'], bad: ['a_b'], message: SUBDOMAIN },
  { at: `${at}.name`, good: ['a'], bad: [''], message: 'should be at least 1 chars long' },
];
