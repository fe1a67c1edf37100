/**
 * The OS state of a sandbox, in a file on the same disk that is replaced atomically and durably.
 */
import { Failure } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import type { Disk } from '../../node/host/index.ts';
import { findTarget, type HostRoot, writeFile } from '../../node/host/index.ts';

/** Directories of the disk. `MACHINE` is not visible on the machine. */
export const ROOT = '/rootfs';
export const MACHINE = '/machine';
const STATE = `${MACHINE}/state.json`;
const MAX_STATE_BYTES = 1024 ** 2;

export type SandboxDeployment = {
  /** Unique on this machine. */
  readonly id: string;
  /** The pullspec, or empty. */
  readonly image: string;
  /** Whether the image is from local container storage. */
  readonly isLocal: boolean;
  readonly digest: string;
  readonly version: string;
  readonly timestamp: string;
  readonly kernelArguments: readonly string[];
  readonly layeredPackages: readonly string[];
  readonly removedPackages: readonly string[];
  /** How its packages differ from those that were booted when it was staged. */
  readonly diff?: string;
};

export type SandboxState = {
  readonly bootId: string;
  readonly booted: SandboxDeployment;
  /** Lost at the end of this boot without an orderly shutdown. */
  readonly staged?: SandboxDeployment;
  readonly rollback?: SandboxDeployment;
  /** Finalized: the next boot uses it. */
  readonly finalized?: SandboxDeployment;
  /** Orderly shutdown, and not booted since. */
  readonly isDown?: boolean;
  /** The error of the last finalization. */
  readonly finalizeFailure?: string;
  /** Images in the machine's container storage. */
  readonly localImages: readonly string[];
  /** Images that were downloaded and are not staged yet. */
  readonly fetched?: readonly FetchedImage[];
};

export type FetchedImage = Pick<SandboxDeployment, 'image' | 'digest' | 'version' | 'timestamp'>;

export class StateStore {
  readonly #at: HostRoot;

  constructor(at: Pick<HostRoot, 'disk' | 'random'>) {
    this.#at = { ...at, root: '/' };
  }

  get disk(): Disk {
    return this.#at.disk;
  }

  /** Undefined if the machine was never provisioned. */
  async find(): Promise<SandboxState | undefined> {
    const place = await findTarget(this.#at, STATE);
    if (place === undefined) return undefined;
    return parseState(new TextDecoder().decode(await this.disk.read(place.path, MAX_STATE_BYTES)));
  }

  async read(): Promise<SandboxState> {
    const state = await this.find();
    if (state === undefined) {
      throw new Failure('stalled', 'NotProvisioned', 'the sandbox has no OS yet: provision it first');
    }
    return state;
  }

  async write(state: SandboxState): Promise<void> {
    await this.writeFile(STATE, `${JSON.stringify(state, undefined, 2)}\n`);
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    await writeFile(this.#at, path, { bytes, mode: 0o644 });
  }
}

function parseState(text: string): SandboxState {
  const state: unknown = JSON.parse(text);
  const isState =
    isObject(state) &&
    typeof own(state, 'bootId') === 'string' &&
    Array.isArray(own(state, 'localImages')) &&
    (own(state, 'fetched') === undefined || Array.isArray(own(state, 'fetched'))) &&
    isDeployment(own(state, 'booted')) &&
    ['staged', 'rollback', 'finalized'].every((key) => {
      const value = own(state, key);
      return value === undefined || isDeployment(value);
    });
  if (!isState) throw new Failure('stalled', 'StateDamaged', 'the state of the sandbox cannot be read');
  // Validated above.
  return state as unknown as SandboxState;
}

function isDeployment(value: unknown): boolean {
  if (!isObject(value)) return false;
  const hasTexts = ['id', 'image', 'digest', 'version', 'timestamp'].every(
    (key) => typeof own(value, key) === 'string',
  );
  return (
    hasTexts &&
    ['kernelArguments', 'layeredPackages', 'removedPackages'].every((key) => Array.isArray(own(value, key)))
  );
}
