/**
 * The grammar of label and annotation keys (`example.com/name`) and of label values, in the words in which
 * Kubernetes refuses bad ones.
 */
import { byteLength } from '../json.ts';

const MAX_NAME_BYTES = 63;
const MAX_PREFIX_BYTES = 253;

const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;

const nameExpression = new RegExp(`^${NAME}$`);
const valueExpression = new RegExp(`^(${NAME})?$`);
const prefixExpression = new RegExp(`^${DNS_SUBDOMAIN}$`);

const NAME_DEMAND = withExamples(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  NAME,
  ['MyName', 'my.name', '123-abc'],
);
const VALUE_DEMAND = withExamples(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${NAME})?`,
  ['MyValue', 'my_value', '12345'],
);
const PREFIX_DEMAND = withExamples(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  DNS_SUBDOMAIN,
  ['example.com'],
);

/** What is wrong with the key of a label or annotation; nothing if it is a good one. */
export function qualifiedNameProblems(key: string): readonly string[] {
  const slash = key.indexOf('/');
  if (slash !== key.lastIndexOf('/')) {
    return [
      `a qualified name ${NAME_DEMAND} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  return [...(slash < 0 ? [] : prefixProblems(key.slice(0, slash))), ...nameProblems(key.slice(slash + 1))];
}

/** What is wrong with the value of a label. */
export function labelValueProblems(value: string): readonly string[] {
  return [
    ...(byteLength(value) > MAX_NAME_BYTES ? [tooLong(MAX_NAME_BYTES)] : []),
    ...(valueExpression.test(value) ? [] : [VALUE_DEMAND]),
  ];
}

function prefixProblems(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return [
    ...(byteLength(prefix) > MAX_PREFIX_BYTES ? [`prefix part ${tooLong(MAX_PREFIX_BYTES)}`] : []),
    ...(prefixExpression.test(prefix) ? [] : [`prefix part ${PREFIX_DEMAND}`]),
  ];
}

function nameProblems(name: string): readonly string[] {
  return [
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(byteLength(name) > MAX_NAME_BYTES ? [`name part ${tooLong(MAX_NAME_BYTES)}`] : []),
    ...(nameExpression.test(name) ? [] : [`name part ${NAME_DEMAND}`]),
  ];
}

function tooLong(limit: number): string {
  return `must be no more than ${limit} characters`;
}

/** The two spaces before each "or" are what Kubernetes prints. */
function withExamples(demand: string, pattern: string, examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${demand} (e.g. ${list}regex used for validation is '${pattern}')`;
}
