/**
 * Content negotiation of discovery: the format of the response, by the header `Accept`.
 */
import { acceptedTypes, type MediaType } from './media-types.ts';

export type ResponseFormat = {
  readonly syntax: 'json' | 'yaml';
  /** Whether all groups are in one document. */
  readonly isAggregated: boolean;
};

/**
 * `unknown type`: the server has none of the media types. `unknown form`: it has one, but not with those
 * parameters.
 */
type Negotiated = ResponseFormat | 'unknown type' | 'unknown form';

/** A client that accepts the aggregated form gets it, even if it prefers another one. */
export function negotiate(accept: string | undefined, offersAggregated: boolean): Negotiated {
  const known = acceptedTypes(accept).flatMap((type) => {
    const syntax = SYNTAXES.get(type.name);
    return syntax === undefined ? [] : [{ syntax, type }];
  });
  if (known.length === 0) return 'unknown type';
  const aggregated = offersAggregated ? known.find(({ type }) => asksForAggregated(type)) : undefined;
  if (aggregated !== undefined) return { syntax: aggregated.syntax, isAggregated: true };
  const plain = known.find(({ type }) => !type.parameters.has('as'));
  return plain === undefined ? 'unknown form' : { syntax: plain.syntax, isAggregated: false };
}

/** The value of the header `Content-Type`. */
export function contentType({ syntax, isAggregated }: ResponseFormat): string {
  return `application/${syntax}${isAggregated ? AGGREGATED : ''}`;
}

const AGGREGATED = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const SYNTAXES: ReadonlyMap<string, ResponseFormat['syntax']> = new Map([
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['*/*', 'json'],
  ['application/yaml', 'yaml'],
]);

/** Only this version: older clients request v2beta1 and cannot read anything else. */
function asksForAggregated({ parameters }: MediaType): boolean {
  return (
    parameters.get('g') === 'apidiscovery.k8s.io' &&
    parameters.get('v') === 'v2' &&
    parameters.get('as') === 'APIGroupDiscoveryList'
  );
}
