/**
 * The version of Ignition that a machine gets: the best of those in the Accept header of its request.
 */
import { TARGET_VERSIONS, type TargetVersion } from '../config/ignition/index.ts';

type Negotiation =
  | { readonly kind: 'version'; readonly version: TargetVersion }
  | { readonly kind: 'unsupported'; readonly message: string };

/** For clients that accept no version of Ignition, such as curl, and for the Ignition of spec 2, which sends none. */
const FALLBACK: TargetVersion = '2.2.0';
const SUBTYPE = 'vnd.coreos.ignition+json';

/**
 * Items that are no media type, or have no readable version, count as absent. Of several versions, the one with the highest weight
 * (`q`) that is supported is chosen.
 */
export function negotiateVersion(accept: string | undefined): Negotiation {
  const wanted = (accept ?? '')
    .split(',')
    .flatMap((item) => parseItem(item) ?? [])
    .filter(({ weight }) => weight > 0)
    // Sorting is stable: the first of the same weight wins.
    .toSorted((a, b) => b.weight - a.weight);
  if (wanted.length === 0) return { kind: 'version', version: FALLBACK };
  for (const item of wanted) {
    const version = supported(item);
    if (version !== undefined) return { kind: 'version', version };
  }
  return { kind: 'unsupported', message: `unsupported Ignition version in Accept header: ${accept}` };
}

type Item = { readonly major: number; readonly minor: number; readonly weight: number };

function parseItem(item: string): Item | undefined {
  const [mediaType = '', ...parameters] = item.split(';').map((part) => part.trim());
  const [type, subtype] = mediaType.toLowerCase().split('/');
  if (!type || subtype !== SUBTYPE) return undefined;
  const read = (name: string) => {
    const found = parameters.find((parameter) => parameter.toLowerCase().startsWith(`${name}=`));
    return found?.slice(name.length + 1).replace(/^"(.*)"$/, '$1');
  };
  const version = VERSION.exec(read('version') ?? '');
  if (version === null) return undefined;
  return { major: Number(version[1]), minor: Number(version[2]), weight: weightOf(read('q')) };
}

const VERSION = /^(\d{1,9})\.(\d{1,9})\.\d{1,9}([-+][0-9A-Za-z.+-]+)?$/;
const WEIGHT = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** A weight that cannot be read is as good as none. */
function weightOf(text: string | undefined): number {
  return text !== undefined && WEIGHT.test(text) ? Number(text) : 1;
}

function supported({ major, minor }: Item): TargetVersion | undefined {
  if (major === 2) return minor >= 2 ? '2.2.0' : undefined;
  if (major !== 3) return undefined;
  // Ignition reads all older versions of spec 3.
  return TARGET_VERSIONS.find((version) => version === `3.${minor}.0`) ?? TARGET_VERSIONS[0];
}
