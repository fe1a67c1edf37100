/** Content negotiation: the encoding of a response, and whether it is transformed to a Table or to metadata. */
import type { Resource } from '../resources/index.ts';
import { type StatusError, statusError } from '../status/index.ts';

export type ResponseFormat = {
  readonly encoding: 'json' | 'yaml' | 'protobuf';
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** The requested version of the transformed kind. */
  readonly version: 'v1' | 'v1beta1';
};

const JSON_FORMAT: ResponseFormat = { encoding: 'json', as: 'object', version: 'v1' };
const TRANSFORMED = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'] as const;
const VERSIONS = ['v1', 'v1beta1'] as const;

export type Offer = {
  readonly resource: Pick<Resource, 'group' | 'kind' | 'listKind' | 'origin'>;
  readonly subresource: string;
  /** Watches support JSON only. */
  readonly verb: string;
};

/** The first supported clause of the header; protobuf only if the client accepts nothing else. */
export function negotiate(accept: string | undefined, offer: Offer): ResponseFormat {
  if (accept === undefined || accept.trim() === '') return JSON_FORMAT;
  const { resource, verb } = offer;
  for (const clause of accept.split(',')) {
    const format = formatOf(clause, offer);
    if (format === undefined) continue;
    checkListKind(format, offer);
    return format;
  }
  const hasProtobuf = resource.origin === 'builtin' && verb !== 'watch';
  if (hasProtobuf && accept.split(',').some(isProtobuf)) return { ...JSON_FORMAT, encoding: 'protobuf' };
  throw notAcceptable(accept, offer);
}

/** PartialObjectMetadata must match whether the response is a list. */
function checkListKind({ as }: ResponseFormat, { resource, verb, subresource }: Offer): void {
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

/** The Go package of the internal type; events have one under two groups. */
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

function formatOf(clause: string, { resource, verb }: Offer): ResponseFormat | undefined {
  const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
  const encoding = encodingOf(type);
  if (encoding === undefined || (encoding === 'yaml' && verb === 'watch')) return undefined;
  const values = new Map(parameters.map((parameter) => splitOnce(parameter)));
  const kind = values.get('as');
  if (kind === undefined) return { ...JSON_FORMAT, encoding };
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

function encodingOf(type: string): ResponseFormat['encoding'] | undefined {
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
 * The messages list what kube-apiserver supports, including protobuf, since clients compare them. Routes of built-in
 * kinds reject unknown types themselves; other mismatches are reported by the serializer.
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
