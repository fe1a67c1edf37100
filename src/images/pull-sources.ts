/**
 * The sources of an image: its mirrors in order, then the location that it names, by the rules of
 * containers-registries.conf(5).
 *
 *     docker.io/library/nginx:1.25 ──prefix docker.io──> mirror.example/hub/library/nginx:1.25
 *                                                         docker.io/library/nginx:1.25
 */
import { formatProblem, invalid, type Outcome, ok } from '../base/errors.ts';
import type { Mirror, Registry } from '../config/registries/index.ts';
import {
  type ImageReference,
  parseImageReference,
  referenceText,
  repositoryText,
} from './image-reference.ts';
import type { MergedRegistriesConf } from './registries-conf.ts';

export type PullSource = {
  readonly reference: ImageReference;
  /** Any certificate is accepted, and plain HTTP. */
  readonly isInsecure: boolean;
  /** The prefix of the entry that blocks it. */
  readonly blockedBy?: string;
};

/** One image that a name may refer to, and its sources; its own location is the last. */
export type PullCandidate = {
  readonly image: ImageReference;
  readonly sources: readonly PullSource[];
};

/** A short name may refer to several images. The list is never empty. */
export function pullSources(conf: MergedRegistriesConf, name: string): Outcome<readonly PullCandidate[]> {
  const names = isShortName(name) ? longNames(conf, name) : ok([name]);
  if (names.kind === 'invalid') return names;
  const candidates: PullCandidate[] = [];
  for (const long of names.value) {
    const parsed = parseImageReference(long);
    if (parsed.kind === 'invalid') return parsed;
    const image = withoutIgnoredTag(parsed.value);
    const sources = sourcesOf(conf, image);
    if (sources.kind === 'invalid') return sources;
    candidates.push({ image, sources: sources.value });
  }
  return ok(candidates);
}

/** Whether the name has no registry. */
export function isShortName(name: string): boolean {
  const [first = '', ...rest] = name.split('/');
  return rest.length === 0 || !(/[.:]/.test(first) || first === 'localhost');
}

function longNames(conf: MergedRegistriesConf, name: string): Outcome<readonly string[]> {
  const end = name.search(/[:@]/);
  const bare = end < 0 ? name : name.slice(0, end);
  const alias = conf.aliases.get(bare);
  if (alias !== undefined) return ok([`${alias}${name.slice(bare.length)}`]);
  if (conf.search.length > 0) return ok(conf.search.map((host) => `${host}/${name}`));
  const where =
    conf.searchFrom === ''
      ? 'no containers-registries.conf(5) was found'
      : `no unqualified-search registries are defined in "${conf.searchFrom}"`;
  const message = `short-name "${name}" did not resolve to an alias and ${where}`;
  return invalid([{ path: '', message }]);
}

/** A tag beside a digest is ignored. */
function withoutIgnoredTag({ tag, ...image }: ImageReference): ImageReference {
  return tag === undefined || image.digest !== undefined ? image : { ...image, tag };
}

function sourcesOf(conf: MergedRegistriesConf, image: ImageReference): Outcome<readonly PullSource[]> {
  const entry = entryOf(conf, image);
  if (entry === undefined) return ok([{ reference: image, isInsecure: false }]);
  const sources: PullSource[] = [];
  for (const place of [...entry.mirrors.filter((mirror) => serves(mirror, image)), entry]) {
    const reference = rewritten(image, entry.prefix, place.location);
    if (reference.kind === 'invalid') return reference;
    const blocking = entryOf(conf, reference.value);
    sources.push({
      reference: reference.value,
      isInsecure: place.insecure,
      ...(blocking?.blocked === true ? { blockedBy: blocking.prefix } : {}),
    });
  }
  return ok(sources);
}

function serves({ pullFromMirror }: Mirror, { digest }: ImageReference): boolean {
  return pullFromMirror === 'all' || (pullFromMirror === 'digest-only') === (digest !== undefined);
}

/** The entry with the longest matching prefix. */
function entryOf({ registries }: MergedRegistriesConf, image: ImageReference): Registry | undefined {
  const name = repositoryText(image);
  let best: Registry | undefined;
  for (const entry of registries) {
    if (matchedLength(name, entry.prefix) === undefined) continue;
    if (best === undefined || entry.prefix.length > best.prefix.length) best = entry;
  }
  return best;
}

/** The length of the match of a prefix; undefined where it does not match. A host matches all its ports. */
function matchedLength(name: string, prefix: string): number | undefined {
  const isWild = prefix.startsWith('*.');
  const start = isWild ? name.indexOf(prefix.slice(1)) : 0;
  if (start < 0 || name.slice(0, start).includes('/')) return undefined;
  const end = isWild ? start + prefix.length - 1 : prefix.length;
  if (!isWild && !name.startsWith(prefix)) return undefined;
  return end === name.length || [':', '/', '@'].includes(name.charAt(end)) ? end : undefined;
}

function rewritten(image: ImageReference, prefix: string, location: string): Outcome<ImageReference> {
  if (location === '') return ok(image);
  const text = `${location}${referenceText(image).slice(matchedLength(repositoryText(image), prefix))}`;
  const parsed = parseImageReference(text);
  const why =
    parsed.kind === 'invalid'
      ? parsed.problems.map(formatProblem).join('; ')
      : referenceText(parsed.value) === text
        ? undefined
        : `"${text}": repository name must be canonical`;
  if (parsed.kind === 'ok' && why === undefined) return parsed;
  return invalid([{ path: '', message: `rewriting reference: ${why}` }]);
}
