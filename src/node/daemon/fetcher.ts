/**
 * Downloads one OS image at a time, beside the other work of the daemon: a download may take long, and meanwhile another config
 * may be desired, certificates may change, and the node's files are still compared with its config. A note on the disk names the
 * image, from before the download until it is a deployment, or removed.
 */
import { assert, errorText } from '../../base/errors.ts';
import type { Host } from '../host/index.ts';
import type { DaemonContext } from './context.ts';
import { isFatal } from './outcome.ts';
import { FETCHED_IMAGE } from './state-paths.ts';

/** The outcome is absent while the download is in progress. */
export type FetchState = { readonly image: string; readonly outcome?: FetchOutcome };
type FetchOutcome = { readonly kind: 'fetched' } | { readonly kind: 'failed'; readonly error: string };

type Fetch = {
  readonly image: string;
  readonly ending: AbortController;
  outcome?: FetchOutcome;
  /** An error that is no failure of the download. */
  unexpected?: { readonly error: unknown };
  isAwaited: boolean;
  ended: Promise<void>;
};

export class Fetcher {
  readonly #context: Pick<DaemonContext, 'host' | 'env'>;
  readonly #wake: () => void;
  #fetch: Fetch | undefined;

  constructor(context: Pick<DaemonContext, 'host' | 'env'>, wake: () => void) {
    this.#context = context;
    this.#wake = wake;
  }

  /** Undefined where nothing was started, or it was stopped. Throws an unexpected error, once. */
  get state(): FetchState | undefined {
    if (this.#fetch === undefined) return undefined;
    const { image, outcome, unexpected } = this.#fetch;
    if (unexpected !== undefined) {
      this.#fetch = undefined;
      throw unexpected.error;
    }
    return { image, ...(outcome === undefined ? {} : { outcome }) };
  }

  start(image: string): void {
    assert(this.#fetch === undefined, 'one image is fetched at a time');
    const fetch: Fetch = { image, ending: new AbortController(), isAwaited: false, ended: Promise.resolve() };
    this.#fetch = fetch;
    fetch.ended = this.#run(fetch);
  }

  /** Wakes the daemon at the end of the download. One that looks at the outcome by itself is not woken for it again. */
  wakeAtEnd(): void {
    if (this.#fetch === undefined) return;
    this.#fetch.isAwaited = true;
    if (hasEnded(this.#fetch)) this.#wake();
  }

  /** Resolves once nothing is downloaded any more, with the outcome forgotten. */
  async stop(): Promise<void> {
    const fetch = this.#fetch;
    fetch?.ending.abort();
    await fetch?.ended;
    if (this.#fetch === fetch) this.#fetch = undefined;
  }

  async #run(fetch: Fetch): Promise<void> {
    const { host, env } = this.#context;
    try {
      await host.os.fetch(fetch.image, AbortSignal.any([fetch.ending.signal, env.signal]));
      fetch.outcome = { kind: 'fetched' };
    } catch (error) {
      if (fetch.ending.signal.aborted || env.signal.aborted) return;
      if (isFatal(error)) fetch.unexpected = { error };
      else fetch.outcome = { kind: 'failed', error: errorText(error) };
    }
    if (fetch.isAwaited) this.#wake();
  }
}

function hasEnded({ outcome, unexpected }: Fetch): boolean {
  return outcome !== undefined || unexpected !== undefined;
}

const MAX_NOTE_BYTES = 64 * 1024;

/** The image that is being downloaded, or was; undefined where there is none. Something unreadable is no image's name. */
export async function readFetchNote({ files }: Pick<Host, 'files'>): Promise<string | undefined> {
  const there = await files.stat(FETCHED_IMAGE);
  if (there === undefined) return undefined;
  if (there.kind !== 'file' || there.sizeBytes > MAX_NOTE_BYTES) return '';
  return new TextDecoder().decode(await files.read(FETCHED_IMAGE, MAX_NOTE_BYTES)).trim();
}

/** The image is a deployment now, or there is none. */
export async function removeFetchNote({ files }: Pick<Host, 'files'>): Promise<void> {
  // Whatever it is: a folder in its place must not stop a daemon.
  await files.removeFolder(FETCHED_IMAGE);
}

export async function writeFetchNote({ files }: Pick<Host, 'files'>, image: string): Promise<void> {
  await files.write(FETCHED_IMAGE, { bytes: new TextEncoder().encode(`${image}\n`), mode: 0o644 });
}
