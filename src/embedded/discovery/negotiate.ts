/**
 * In which form discovery answers: what the client asks for, as far as the server has it.
 */
import { acceptedTypes, type MediaType } from './media-types.ts';

export type ResponseFormat = {
  readonly syntax: 'json' | 'yaml';
  /** The newer form, all in one. */
  readonly isAggregated: boolean;
};

/** `unknown type`: none that is asked for exists. `unknown form`: one does, but not with those parameters. */
type Negotiated = ResponseFormat | 'unknown type' | 'unknown form';

/** Who speaks of the aggregated form at all gets it, even if another one is liked better. */
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

/** As it stands in the header `Content-Type`. */
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

/** The version must be the very one: older clients ask for v2beta1 and cannot read anything else. */
function asksForAggregated({ parameters }: MediaType): boolean {
  return (
    parameters.get('g') === 'apidiscovery.k8s.io' &&
    parameters.get('v') === 'v2' &&
    parameters.get('as') === 'APIGroupDiscoveryList'
  );
}
