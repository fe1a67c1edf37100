/**
 * The header `Accept`: the media types that a client accepts, the preferred one first.
 */

export type MediaType = {
  /** In lower case: `application/json`. */
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
};

/** Longer headers are cut off: no client lists this many media types. */
const MAX_MEDIA_TYPES = 64;

/** No header, or an empty one, accepts everything. Entries that cannot be parsed are ignored. */
export function acceptedTypes(accept: string | undefined): readonly MediaType[] {
  if (accept === undefined || accept.trim() === '') return [ANYTHING];
  return accept
    .split(',', MAX_MEDIA_TYPES)
    .map(parse)
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ name, parameters }) => ({ name, parameters }));
}

const ANYTHING: MediaType = { name: '*/*', parameters: new Map() };

function parse(text: string): MediaType & { readonly quality: number } {
  const [name = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map(
    rest.map((part) => {
      const [key = '', value = ''] = part.split('=', 2);
      return [key.trim().toLowerCase(), value.trim()];
    }),
  );
  const quality = Number(parameters.get('q') ?? '1');
  parameters.delete('q');
  return { name: name.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
}
