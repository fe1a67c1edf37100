/**
 * The forms of names that Kubernetes knows, with what it says about a name that has not got them.
 */
import { byteLength } from '../json.ts';
import { compileRegex, isFound } from './regex.ts';

type Form = {
  readonly pattern: string;
  readonly says: string;
  readonly examples: readonly string[];
  readonly max: number;
};

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const DNS_LABEL: Form = {
  pattern: LABEL,
  says: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ['my-name', '123-abc'],
  max: 63,
};
const DNS_SUBDOMAIN: Form = {
  pattern: `${LABEL}(\\.${LABEL})*`,
  says: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
  max: 253,
};
const DNS_1035_LABEL: Form = {
  pattern: '[a-z]([-a-z0-9]*[a-z0-9])?',
  says: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ['my-name', 'abc-123'],
  max: 63,
};
const LABEL_VALUE: Form = {
  pattern: `(${QUALIFIED})?`,
  says: "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyValue', 'my_value', '12345'],
  max: 63,
};
const NAME_PART: Form = {
  pattern: QUALIFIED,
  says: "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyName', 'my.name', '123-abc'],
  max: 63,
};

export function checkDnsLabel(name: string): readonly string[] {
  const complaints = tooLong(DNS_LABEL, name);
  if (hasForm(DNS_LABEL, name)) return complaints;
  return [...complaints, hasForm(DNS_SUBDOMAIN, name) ? 'must not contain dots' : explain(DNS_LABEL)];
}

export const checkDnsSubdomain = (name: string): readonly string[] => check(DNS_SUBDOMAIN, name);
export const checkDns1035Label = (name: string): readonly string[] => check(DNS_1035_LABEL, name);
export const checkLabelValue = (value: string): readonly string[] => check(LABEL_VALUE, value);

export function checkQualifiedName(value: string): readonly string[] {
  const [first = '', second, ...more] = value.split('/');
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
    ...(hasForm(NAME_PART, name) ? [] : [`name part ${explain(NAME_PART)}`]),
  ];
}

function checkPrefix(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return checkDnsSubdomain(prefix).map((text) => `prefix part ${text}`);
}

/** A name that the server will still add something to may end in a dash. */
export function asPrefix(check: (name: string) => readonly string[]): (name: string) => readonly string[] {
  return (name) => check(name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name);
}

function check(form: Form, name: string): readonly string[] {
  return hasForm(form, name) ? tooLong(form, name) : [...tooLong(form, name), explain(form)];
}

function tooLong(form: Form, name: string): readonly string[] {
  return byteLength(name) > form.max ? [`must be no more than ${form.max} characters`] : [];
}

function hasForm(form: Form, name: string): boolean {
  const regex = compileRegex(`^${form.pattern}$`);
  return regex.kind === 'regex' && isFound(regex, name);
}

function explain({ says, pattern, examples }: Form): string {
  const quotedExamples = examples.map((example) => `'${example}'`).join(',  or ');
  return `${says} (e.g. ${quotedExamples}, regex used for validation is '${pattern}')`;
}
