/**
 * CEL rules that several kinds share, with upstream's messages.
 *
 * They use `matches` rather than the newer `format` library: the results are the same, and every Kubernetes since
 * 1.25 supports them.
 */
import type { ValidationRule } from '../kubernetes/schema/index.ts';

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = `^${DNS_LABEL}(\\.${DNS_LABEL})*$`;

/** The value must match a regular expression (RE2). */
export function matching(pattern: string, message: string): ValidationRule {
  return { rule: `self.matches(${celString(pattern)})`, message };
}

/** A CEL string literal of the text. */
export function celString(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

export const dnsSubdomain: ValidationRule = matching(
  DNS_SUBDOMAIN,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character.",
);

/** The same rule with the message for stream names. */
export const streamName: ValidationRule = matching(
  DNS_SUBDOMAIN,
  "a RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character.",
);

export const dnsLabel: ValidationRule = matching(
  `^${DNS_LABEL}$`,
  'the value must consist of only lowercase alphanumeric characters and hyphens',
);

/** Like a DNS label, but must not begin with a digit. */
export const dns1035Label: ValidationRule = matching(
  '^[a-z]([-a-z0-9]*[a-z0-9])?$',
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
);

const QUALIFIED_HOST = '([a-zA-Z0-9-]+\\.)+[a-zA-Z0-9-]+';
const PORT = '(:[0-9]{2,5})?';
const REPOSITORY = '/([a-zA-Z0-9-_]{0,61}/)?[a-zA-Z0-9-_.]*?';

/** An image by digest: exactly one `@`, followed by a digest. */
export const digestSuffix: ValidationRule = matching(
  '^[^@]*@sha256:[a-f0-9]{64}$',
  "the OCI Image reference must end with a valid '@sha256:<digest>' suffix, where '<digest>' is 64 characters long",
);

/** An image by digest: the part before the `@`. */
export const imageName: ValidationRule = matchingBeforeDigest(
  `^${QUALIFIED_HOST}${PORT}${REPOSITORY}$`,
  'the OCI Image name should follow the host[:port][/namespace]/name format, resembling a valid URL without the scheme',
);

/** The same for images that a node serves locally. */
export const imageNameOrLocalhost: ValidationRule = matchingBeforeDigest(
  `^(localhost|${QUALIFIED_HOST})${PORT}${REPOSITORY}$`,
  "the OCI Image name should follow the host[:port][/namespace]/name format, resembling a valid URL without the scheme; host must be either 'localhost' or a dot-qualified domain name",
);

/** The reference that an image is pushed to: a name with a tag, on any registry or a Service of the cluster. */
export const taggedImage: ValidationRule = {
  rule: [
    `^${QUALIFIED_HOST}${PORT}(/[a-zA-Z0-9-_]{1,61})*/[a-zA-Z0-9-_.]+:[a-zA-Z0-9._-]+$`,
    '^[^.]+\\.[^.]+\\.svc:\\d+\\/[^\\/]+\\/[^\\/]+:[^\\/]+$',
  ]
    .map((pattern) => `self.matches(${celString(pattern)})`)
    .join(' || '),
  message:
    'the OCI Image name should follow the host[:port][/namespace]/name format, resembling a valid URL without the scheme. Or it must be a valid .svc followed by a port, repository, image name, and tag.',
};

export const absolutePath: ValidationRule = matching(
  '^/[a-zA-Z0-9/._-]+$',
  "path must be absolute and contain only alphanumeric characters, '/', '.', '_', and '-'",
);

export const singleSlashes: ValidationRule = {
  rule: "!self.contains('//')",
  message: 'path must not contain consecutive forward slashes',
};

/** A number that must not decrease. */
export function neverDecreasing(message: string): ValidationRule {
  return { rule: 'self >= oldSelf', message };
}

/** An immutable value. Removing the field is not detected by such a rule. */
export function immutable(message: string): ValidationRule {
  return { rule: 'self == oldSelf', message };
}

function matchingBeforeDigest(pattern: string, message: string): ValidationRule {
  return { rule: `self.split('@')[0].matches(${celString(pattern)})`, message };
}
