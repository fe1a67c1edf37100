/**
 * A disk that works only while its machine is up, so that leftovers from before a reboot cannot write.
 */
import { Failure } from '../../base/errors.ts';
import type { Disk } from '../../node/host/index.ts';

export class DiskGate {
  readonly #disk: Disk;
  readonly #under = new Set<Promise<unknown>>();
  readonly #watches = new Set<() => void>();
  #isOpen: boolean = true;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Rejects further calls. Resolves once calls in progress have ended. */
  async close(): Promise<void> {
    this.#isOpen = false;
    for (const end of this.#watches) end();
    this.#watches.clear();
    await Promise.allSettled(this.#under);
  }

  /** The disk as seen on the machine. */
  get disk(): Disk {
    const disk = this.#disk;
    const { statWay } = disk;
    return {
      stat: (path) => this.#pass(() => disk.stat(path)),
      ...(statWay && { statWay: (folder, names) => this.#pass(() => statWay.call(disk, folder, names)) }),
      read: (path, maxBytes) => this.#pass(() => disk.read(path, maxBytes)),
      list: (path) => this.#pass(() => disk.list(path)),
      makeFolder: (path, mode) => this.#pass(() => disk.makeFolder(path, mode)),
      create: (path, mode) => this.#pass(() => disk.create(path, mode)),
      write: (path, bytes) => this.#pass(() => disk.write(path, bytes)),
      setMode: (path, mode) => this.#pass(() => disk.setMode(path, mode)),
      setOwner: (path, owner) => this.#pass(() => disk.setOwner(path, owner)),
      syncFile: (path) => this.#pass(() => disk.syncFile(path)),
      syncFolder: (path) => this.#pass(() => disk.syncFolder(path)),
      rename: (move) => this.#pass(() => disk.rename(move)),
      makeLink: (path, link) => this.#pass(() => disk.makeLink(path, link)),
      unlink: (path) => this.#pass(() => disk.unlink(path)),
      removeFolder: (path) => this.#pass(() => disk.removeFolder(path)),
      isReadOnly: (folder) => this.#pass(() => disk.isReadOnly(folder)),
      space: (folder) => this.#pass(() => disk.space(folder)),
      watch: (folder, onChange) => this.#watch(folder, onChange),
    };
  }

  async #pass<T>(call: () => Promise<T>): Promise<T> {
    this.#refuseWhenClosed();
    const under = call();
    this.#under.add(under);
    try {
      return await under;
    } finally {
      this.#under.delete(under);
    }
  }

  #watch(folder: string, onChange: (name?: string) => void): () => void {
    this.#refuseWhenClosed();
    const end = this.#disk.watch(folder, onChange);
    this.#watches.add(end);
    return () => {
      this.#watches.delete(end);
      end();
    };
  }

  #refuseWhenClosed(): void {
    if (!this.#isOpen) throw new Failure('cancelled', 'MachineIsDown', 'the machine is down');
  }
}
