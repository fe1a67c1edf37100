/**
 * Pulls through mirrors: from the first source that has the image. Where none has, the error contains those of all sources,
 * like that of container tools.
 */
import { assert, Failure } from '../base/errors.ts';
import { REGISTRIES_CONF_PATH } from '../config/registries/index.ts';
import { type ImageReference, referenceText } from './image-reference.ts';
import type { PullCandidate, PullSource } from './pull-sources.ts';
import { REGISTRIES_DROP_INS } from './registries-conf.ts';

export type PullTry =
  | { readonly kind: 'trying'; readonly source: PullSource }
  | { readonly kind: 'failed'; readonly source: PullSource; readonly problem: string };

type MirroredPullerOptions<T> = {
  /** The sources of an image. Throws a `Failure` where they cannot be determined. */
  readonly sourcesOf: (name: string) => Promise<readonly PullCandidate[]>;
  readonly pull: (source: PullSource) => Promise<T>;
  readonly onTry?: (event: PullTry) => void;
};

type MirroredPull<T> = {
  readonly value: T;
  /** By its own name, independent of the mirror. */
  readonly image: ImageReference;
  readonly source: PullSource;
};

export function createMirroredPuller<T>(
  options: MirroredPullerOptions<T>,
): (name: string) => Promise<MirroredPull<T>> {
  return async (name) => {
    const failures: Failure[] = [];
    for (const { image, sources } of await options.sourcesOf(name)) {
      const pulled = await pullOne(options, sources);
      if (!(pulled instanceof Failure)) return { ...pulled, image };
      failures.push(pulled);
    }
    throw allFailed(failures);
  };
}

type Attempt = { readonly source: PullSource; readonly failure: Failure };

async function pullOne<T>(
  { pull, onTry = () => undefined }: MirroredPullerOptions<T>,
  sources: readonly PullSource[],
): Promise<Omit<MirroredPull<T>, 'image'> | Failure> {
  const attempts: Attempt[] = [];
  for (const source of sources) {
    onTry({ kind: 'trying', source });
    try {
      return { value: await pull(allowed(source)), source };
    } catch (error) {
      // Cancelled, or a bug: other sources would not help.
      if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
      onTry({ kind: 'failed', source, problem: error.message });
      attempts.push({ source, failure: error });
    }
  }
  return mirrorsFailed(attempts);
}

function allowed(source: PullSource): PullSource {
  const { blockedBy } = source;
  if (blockedBy === undefined) return source;
  const message = `registry ${blockedBy} is blocked in ${REGISTRIES_CONF_PATH} or ${REGISTRIES_DROP_INS}`;
  throw new Failure('stalled', 'RegistryBlocked', message);
}

function mirrorsFailed(attempts: readonly Attempt[]): Failure {
  const last = attempts.at(-1);
  assert(last !== undefined, 'an image has at least one source');
  if (attempts.length === 1) return last.failure;
  const textOf = ({ source, failure }: Attempt) => `${referenceText(source.reference)}: ${failure.message}`;
  const mirrors = attempts.slice(0, -1).map((attempt) => `[${textOf(attempt)}]`);
  const message = `(Mirrors also failed: ${mirrors.join('\n')}): ${textOf(last)}`;
  return failureOf(
    attempts.map(({ failure }) => failure),
    message,
  );
}

function allFailed(failures: readonly Failure[]): Failure {
  const [first] = failures;
  assert(first !== undefined, 'a name refers to at least one image');
  if (failures.length === 1) return first;
  const list = failures.map(({ message }) => `\n * ${message}`).join('');
  return failureOf(failures, `${failures.length} errors occurred while pulling:${list}`);
}

/** Transient if any of them is. */
function failureOf(failures: readonly Failure[], message: string): Failure {
  const last = failures.at(-1);
  const kind = failures.some((failure) => failure.kind === 'transient') ? 'transient' : 'stalled';
  return new Failure(kind, last?.reason ?? 'PullFailed', message, last);
}
