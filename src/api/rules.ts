/**
 * The CEL rules that several kinds share, with the messages that users and their tools know.
 *
 * They use `matches` rather than the newer `format` library: the same answers, and every Kubernetes since
 * 1.25 can run them.
 */
import type { ValidationRule } from '../schema/index.ts';

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = `^${DNS_LABEL}(\\.${DNS_LABEL})*$`;

/** A rule that the value matches a regular expression (RE2), whichever characters that holds. */
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

/** The same demand in the words that stream names use. */
export const streamName: ValidationRule = matching(
  DNS_SUBDOMAIN,
  "a RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character.",
);
