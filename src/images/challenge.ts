/**
 * The challenge of a 401: `WWW-Authenticate: Bearer realm="…",service="…",scope="…"` or `Basic …`.
 */
export type Challenge =
  | { readonly kind: 'basic' }
  | { readonly kind: 'bearer'; readonly realm: string; readonly service?: string; readonly scope?: string };

const MAX_HEADER_LENGTH = 8 * 1024;

/** The best supported challenge; undefined where there is none. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
  const challenges = challengesOf(header);
  return challenges.find(({ kind }) => kind === 'bearer') ?? challenges[0];
}

type Parameters = Map<string, string>;

function challengesOf(header: string): readonly Challenge[] {
  return split(header).flatMap(({ scheme, parameters }): readonly Challenge[] => {
    if (scheme === 'basic') return [{ kind: 'basic' }];
    const realm = parameters.get('realm');
    if (scheme !== 'bearer' || realm === undefined) return [];
    const service = parameters.get('service');
    const scope = parameters.get('scope');
    return [
      {
        kind: 'bearer',
        realm,
        ...(service === undefined ? {} : { service }),
        ...(scope === undefined ? {} : { scope }),
      },
    ];
  });
}

/** A scheme is a token without `=`; what follows up to the next scheme belongs to it. */
function split(header: string): readonly { readonly scheme: string; readonly parameters: Parameters }[] {
  const found: { scheme: string; parameters: Parameters }[] = [];
  const token = /([A-Za-z0-9!#$%&'*+.^_`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?[\s,]*/gy;
  for (let match = token.exec(header); match !== null; match = token.exec(header)) {
    const [, name = '', quoted, bare] = match;
    const value = quoted === undefined ? bare : quoted.replace(/\\(.)/g, '$1');
    if (value === undefined) found.push({ scheme: name.toLowerCase(), parameters: new Map() });
    else found.at(-1)?.parameters.set(name.toLowerCase(), value);
  }
  return found;
}
