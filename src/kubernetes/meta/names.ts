/**
 * The formats of names in Kubernetes, with its error messages.
 *
 * Names are checked character by character rather than by the regular expressions that the messages quote: those take
 * time that grows with the square of the length.
 */
import { byteLength } from '../../base/json.ts';

type Form = {
  readonly description: string;
  readonly examples: readonly string[];
  /** The name of the format in the message. */
  readonly pattern: string;
  readonly maxBytes: number;
  readonly fits: (name: string) => boolean;
};

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const isLabel = (text: string) => /^[-a-z0-9]+$/.test(text) && !text.startsWith('-') && !text.endsWith('-');
const isNamePart = (text: string) =>
  /^[-A-Za-z0-9_.]+$/.test(text) && /^[A-Za-z0-9]/.test(text) && /[A-Za-z0-9]$/.test(text);

const DNS_LABEL: Form = {
  description:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ['my-name', '123-abc'],
  pattern: LABEL,
  maxBytes: 63,
  fits: isLabel,
};
const DNS_SUBDOMAIN: Form = {
  description:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
  pattern: `${LABEL}(\\.${LABEL})*`,
  maxBytes: 253,
  fits: (name) => name.split('.').every(isLabel),
};
const DNS_1035_LABEL: Form = {
  description:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ['my-name', 'abc-123'],
  pattern: '[a-z]([-a-z0-9]*[a-z0-9])?',
  maxBytes: 63,
  fits: (name) => isLabel(name) && /^[a-z]/.test(name),
};
const LABEL_VALUE: Form = {
  description:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyValue', 'my_value', '12345'],
  pattern: `(${QUALIFIED})?`,
  maxBytes: 63,
  fits: (value) => value === '' || isNamePart(value),
};
const NAME_PART: Form = {
  description:
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyName', 'my.name', '123-abc'],
  pattern: QUALIFIED,
  maxBytes: 63,
  fits: isNamePart,
};

export function checkDnsLabel(name: string): readonly string[] {
  const problems = tooLong(DNS_LABEL, name);
  if (DNS_LABEL.fits(name)) return problems;
  return [...problems, DNS_SUBDOMAIN.fits(name) ? 'must not contain dots' : explain(DNS_LABEL)];
}

export const checkDnsSubdomain = (name: string): readonly string[] => check(DNS_SUBDOMAIN, name);
export const checkDns1035Label = (name: string): readonly string[] => check(DNS_1035_LABEL, name);
export const checkLabelValue = (value: string): readonly string[] => check(LABEL_VALUE, value);

/** The key of a label or annotation: `example.com/name`, or only a name. */
export function checkQualifiedName(key: string): readonly string[] {
  if (validKeys.has(key)) return [];
  const problems = qualifiedNameProblems(key);
  if (problems.length === 0) {
    if (validKeys.size >= MAX_VALID_KEYS) validKeys.clear();
    validKeys.add(key);
  }
  return problems;
}

/** Every write checks all keys of an object, and all objects of a kind have the same few. A valid key is short. */
const validKeys = new Set<string>();
const MAX_VALID_KEYS = 1_000;

function qualifiedNameProblems(key: string): readonly string[] {
  const [first = '', second, ...more] = key.split('/');
  if (more.length > 0) {
    const optional = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a qualified name ${explain(NAME_PART)}${optional}`];
  }
  const name = second ?? first;
  return [
    ...(second === undefined ? [] : checkPrefix(first)),
    ...(name === ''
      ? ['name part must be non-empty']
      : tooLong(NAME_PART, name).map((text) => `name part ${text}`)),
    ...(NAME_PART.fits(name) ? [] : [`name part ${explain(NAME_PART)}`]),
  ];
}

/** A prefix, to which the server appends a suffix, may end in a dash. */
export function asPrefix(check: (name: string) => readonly string[]): (name: string) => readonly string[] {
  return (name) => check(name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name);
}

function checkPrefix(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return checkDnsSubdomain(prefix).map((text) => `prefix part ${text}`);
}

function check(form: Form, name: string): readonly string[] {
  return form.fits(name) ? tooLong(form, name) : [...tooLong(form, name), explain(form)];
}

function tooLong(form: Form, name: string): readonly string[] {
  return byteLength(name) > form.maxBytes ? [`must be no more than ${form.maxBytes} characters`] : [];
}

/** The two spaces before each "or" are what Kubernetes prints. */
function explain({ description, pattern, examples }: Form): string {
  const list = examples.map((example) => `'${example}'`).join(',  or ');
  return `${description} (e.g. ${list}, regex used for validation is '${pattern}')`;
}
