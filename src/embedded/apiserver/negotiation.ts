/**
 * In which form an answer is wanted: JSON or YAML, as it is, as rows (Table) or as metadata alone.
 */
import type { Resource } from '../resources/index.ts';
import { type StatusError, statusError } from '../status/index.ts';

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
  readonly resource: Pick<Resource, 'group' | 'kind' | 'listKind' | 'origin'>;
  readonly subresource: string;
  /** `list`, `watch`, `get`, …: lists and single objects are told apart, and watches know JSON alone. */
  readonly verb: string;
};

/** The first form of the header that can be given; protobuf only to clients that take nothing else. */
export function negotiate(accept: string | undefined, offer: Offer): Form {
  if (accept === undefined || accept.trim() === '') return JSON_FORM;
  const { resource, verb } = offer;
  for (const clause of accept.split(',')) {
    const form = formOf(clause, offer);
    if (form === undefined) continue;
    refuseOtherNumber(form, offer);
    return form;
  }
  const hasProtobuf = resource.origin === 'builtin' && verb !== 'watch';
  if (hasProtobuf && accept.split(',').some(isProtobuf)) return { ...JSON_FORM, encoding: 'protobuf' };
  throw notAcceptable(accept, offer);
}

/** Metadata alone comes as one object or as a list, and the client has to know which. */
function refuseOtherNumber({ as }: Form, { resource, verb, subresource }: Offer): void {
  const { group, kind, listKind = '', origin } = resource;
  const typeOf = (name: string, custom: string): string =>
    origin === 'custom' ? `*unstructured.${custom}` : `*${packageOf(group)}.${name}`;
  const isList = verb === 'list';
  if (isList && as === 'PartialObjectMetadata') {
    throw unlike(
      `you requested ${as}, but the requested object is a list (${typeOf(listKind, 'UnstructuredList')})`,
    );
  }
  if (!isList && verb === 'get' && subresource === '' && as === 'PartialObjectMetadataList') {
    throw unlike(
      `you requested ${as}, but the requested object is not a list (${typeOf(kind, 'Unstructured')})`,
    );
  }
}

/** Where the server keeps the type: events have one place under two names. */
function packageOf(group: string): string {
  const [first = ''] = group.split('.');
  return first === '' || first === 'events' ? 'core' : first;
}

function isProtobuf(clause: string): boolean {
  const [type = '', ...parameters] = clause.split(';').map((part) => part.trim().toLowerCase());
  return (
    type === 'application/vnd.kubernetes.protobuf' && !parameters.some((one) => /^(as|stream)=/.test(one))
  );
}

function formOf(clause: string, { resource, verb }: Offer): Form | undefined {
  const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
  const encoding = encodingOf(type);
  if (encoding === undefined || (encoding === 'yaml' && verb === 'watch')) return undefined;
  const values = new Map(parameters.map((parameter) => splitOnce(parameter)));
  const kind = values.get('as');
  if (kind === undefined) return { ...JSON_FORM, encoding };
  const as = TRANSFORMED.find((one) => one === kind);
  const version = VERSIONS.find((one) => one === values.get('v'));
  if (
    resource.listKind === undefined ||
    as === undefined ||
    version === undefined ||
    values.get('g') !== 'meta.k8s.io'
  ) {
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

const ENCODINGS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAMS = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

/**
 * The texts name what the real server has, protobuf too, since clients compare them. Paths of built-in kinds know what
 * they produce; whoever wants something else of it, or anything of a custom kind, hears it from the encoders.
 */
function notAcceptable(accept: string, { resource, subresource, verb }: Offer): StatusError {
  const isKnown = accept.split(',').some((clause) => ENCODINGS.includes(typeIn(clause)));
  if (resource.origin === 'builtin' && !isKnown) {
    const plain = subresource === 'log' ? ['text/plain'] : [];
    const produced = [...plain, ...ENCODINGS, ...(verb === 'list' || verb === 'watch' ? STREAMS : [])];
    const message = `406: Not Acceptable\n\nAvailable representations: ${produced.join(', ')}`;
    return statusError({ code: 406, reason: 'NotAcceptable', message, details: {} });
  }
  const types = verb === 'watch' ? STREAMS : ENCODINGS;
  return unlike(`only the following media types are accepted: ${types.join(', ')}`);
}

function typeIn(clause: string): string {
  return clause.split(';')[0]?.trim().toLowerCase() ?? '';
}

function unlike(message: string): StatusError {
  return statusError({ code: 406, reason: 'NotAcceptable', message });
}
