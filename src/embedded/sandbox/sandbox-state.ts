/**
 * What a sandbox keeps of its OS, beside the root that it shows: a file on the same disk, replaced as a whole and
 * durably, so that power cuts find it as they find everything else.
 */
import { Failure } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import type { Disk } from '../../node/host/index.ts';
import { findTarget, type HostRoot, writeFile } from '../../node/host/index.ts';

/** Folders of the disk. What is under `MACHINE` no path of the machine leads to. */
export const ROOT = '/rootfs';
export const MACHINE = '/machine';
const STATE = `${MACHINE}/state.json`;
const MAX_STATE_BYTES = 1024 ** 2;

export type SandboxDeployment = {
  /** Unlike any other of this machine. */
  readonly id: string;
  /** The pullspec, or '' for none. */
  readonly image: string;
  /** Whether the image came from the machine's own storage. */
  readonly isLocal: boolean;
  readonly digest: string;
  readonly version: string;
  readonly timestamp: string;
  readonly kernelArguments: readonly string[];
  readonly layeredPackages: readonly string[];
  readonly removedPackages: readonly string[];
};

export type SandboxState = {
  readonly bootId: string;
  readonly booted: SandboxDeployment;
  /** Lives as long as this boot, unless the machine is shut down in good order. */
  readonly staged?: SandboxDeployment;
  readonly rollback?: SandboxDeployment;
  /** The next boot is of this one. From here on there is no way back. */
  readonly finalized?: SandboxDeployment;
  /** Shut down in good order, and not booted since. */
  readonly isDown?: boolean;
  /** What the last shutdown said about the staged OS. */
  readonly finalizeFailure?: string;
  /** Images in the machine's container storage. */
  readonly localImages: readonly string[];
};

export class StateStore {
  readonly #at: HostRoot;

  constructor(at: Pick<HostRoot, 'disk' | 'random'>) {
    this.#at = { ...at, root: '/' };
  }

  get disk(): Disk {
    return this.#at.disk;
  }

  /** `undefined` where the machine was never provisioned. */
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
    isDeployment(own(state, 'booted')) &&
    ['staged', 'rollback', 'finalized'].every((key) => {
      const value = own(state, key);
      return value === undefined || isDeployment(value);
    });
  if (!isState) throw new Failure('stalled', 'StateDamaged', 'the state of the sandbox cannot be read');
  // Everything that a reader relies on was looked at just now.
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
