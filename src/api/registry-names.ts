/**
 * Names of registries and repositories, as regular expressions (RE2) and the rules that use them.
 *
 * The expressions are composed from parts for readability; the results are exactly upstream's.
 */
import type { ValidationRule } from '../kubernetes/schema/index.ts';
import { celString, matching } from './rules.ts';

const HOST_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const PORT = '(?::[0-9]+)?';
const PATH = '(?:(?:/[a-z0-9]+(?:(?:(?:[._]|__|[-]*)[a-z0-9]+)+)?)+)?';
const TAG = '[\\w][\\w.-]{0,127}';
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*[:][[:xdigit:]]{32,}';

/** `host[:port][/path]`, where the host may be a single word. */
const PLAIN_NAME = `^(${HOST_PART}(?:(?:\\.${HOST_PART})+)?${PORT})${PATH}$`;

/** `*.example.com`: every host below a domain. */
const WILDCARD = `^\\*(?:\\.${HOST_PART})+$`;

/** `host[:port][/path]`, where the host has a dot or is `localhost`. */
const QUALIFIED_NAME = `((${HOST_PART}(?:\\.${HOST_PART})+${PORT})|(localhost${PORT}))${PATH}`;

/** A mirror source: a registry, a repository or a prefix of its path, or a wildcard. */
export const SOURCE_PATTERN = `${WILDCARD}|${PLAIN_NAME}`;

/** A mirror: like a source, without wildcards. */
export const MIRROR_PATTERN = PLAIN_NAME;

/** An entry of the blocked, allowed or insecure registries. */
export const registryScope: ValidationRule = matching(
  SOURCE_PATTERN,
  'each registry must be a valid hostname[:port][/path] or wildcard *.hostname format without tags or digests',
);

/** A repository, or a prefix of one, in a signed identity. */
export const signedRepository: readonly ValidationRule[] = [
  {
    // A port looks like a tag; only the port of a bare `localhost` is recognized.
    rule: `!self.matches(${celString(`.*:(${TAG})$`)}) || self.matches('^(localhost:[0-9]+)$')`,
    message: 'invalid repository or prefix in the signedIdentity, should not include the tag or digest',
  },
  matching(
    `^${QUALIFIED_NAME}$`,
    "invalid repository or prefix in the signedIdentity. The repository or prefix must starts with 'localhost' or a valid '.' separated domain. If contains registry paths, the path component names must start with at least one letter or number, with following parts able to be separated by one period, one or two underscore and multiple dashes.",
  ),
];

/** A scope of a signature policy: an image, a repository, a namespace, a registry or a wildcard. */
export const imageScope: readonly ValidationRule[] = [
  {
    rule: `self.matches(${celString('^[^/]*\\.')}) || self.matches('^localhost(:[^/]*)?(/|$)')`,
    message: "invalid image scope format, scope must contain a fully qualified domain name or 'localhost'",
  },
  {
    rule: `!self.contains('*') || self.matches(${celString(WILDCARD)})`,
    message:
      'invalid image scope with wildcard, a wildcard can only be at the start of the domain and is only supported for subdomain matching, not path matching',
  },
  {
    rule: `self.contains('*') || self.matches(${celString(`^(${QUALIFIED_NAME})(?::(${TAG}))?(?:@(${DIGEST}))?$`)})`,
    message: 'invalid repository namespace or image specification in the image scope',
  },
];
