/**
 * In which form an answer is wanted: JSON or YAML, as it is, as rows (Table) or as metadata alone.
 */
import { type Refusal, refusal } from './refusal.ts';

export type Form = {
  readonly encoding: 'json' | 'yaml' | 'protobuf';
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** The version of the transformed kind that was asked for. */
  readonly version: 'v1' | 'v1beta1';
};

const JSON_FORM: Form = { encoding: 'json', as: 'object', version: 'v1' };
const TRANSFORMED = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'] as const;
const VERSIONS = ['v1', 'v1beta1'] as const;

export type Offer = {
  /** There are objects to transform. */
  readonly hasTables: boolean;
  /** The objects have a form in protobuf. */
  readonly hasProtobuf: boolean;
};

/** The first form of the header that can be given; protobuf only to clients that take nothing else. */
export function negotiate(accept: string | undefined, { hasTables, hasProtobuf }: Offer): Form {
  if (accept === undefined || accept.trim() === '') return JSON_FORM;
  for (const clause of accept.split(',')) {
    const form = formOf(clause, hasTables);
    if (form !== undefined) return form;
  }
  if (hasProtobuf && accept.split(',').some(isProtobuf)) return { ...JSON_FORM, encoding: 'protobuf' };
  throw notAcceptable();
}

function isProtobuf(clause: string): boolean {
  const [type = '', ...parameters] = clause.split(';').map((part) => part.trim().toLowerCase());
  return (
    type === 'application/vnd.kubernetes.protobuf' && !parameters.some((one) => /^(as|stream)=/.test(one))
  );
}

function formOf(clause: string, hasTables: boolean): Form | undefined {
  const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
  const encoding = encodingOf(type);
  if (encoding === undefined) return undefined;
  const values = new Map(parameters.map((parameter) => splitOnce(parameter)));
  const kind = values.get('as');
  if (kind === undefined) return { ...JSON_FORM, encoding };
  const as = TRANSFORMED.find((one) => one === kind);
  const version = VERSIONS.find((one) => one === values.get('v'));
  if (!hasTables || as === undefined || version === undefined || values.get('g') !== 'meta.k8s.io') {
    return undefined;
  }
  return { encoding, as, version };
}

function encodingOf(type: string): Form['encoding'] | undefined {
  switch (type.toLowerCase()) {
    case 'application/json':
    case 'application/*':
    case '*/*':
      return 'json';
    case 'application/yaml':
      return 'yaml';
    default:
      return undefined;
  }
}

function splitOnce(parameter: string): [string, string] {
  const at = parameter.indexOf('=');
  return at < 0 ? [parameter, ''] : [parameter.slice(0, at).trim(), parameter.slice(at + 1).trim()];
}

/** The text names what the real server has, protobuf too, since clients compare it. */
function notAcceptable(): Refusal {
  return refusal({
    code: 406,
    reason: 'NotAcceptable',
    message:
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    details: {},
  });
}
