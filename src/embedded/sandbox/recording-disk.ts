/**
 * A disk that records owners and modes instead of setting them, so that a sandbox needs no root.
 *
 * Attributes that only root could set (owners, setuid, unreadable files) are recorded in a file and reported from there.
 * Files without a record belong to root and have their actual mode.
 *
 * A record identifies a path and its inode, which makes renames crash-safe: before a rename the attributes are recorded
 * under the new name; after it, stale records of that name are dropped. If only the path matches, the file was replaced
 * from outside, by an editor or a copy of the directory, and the record still applies.
 */
import { isObject, own } from '../../base/json.ts';
import type {
  Disk,
  FileStat,
  FileSystemSpace,
  HostRoot,
  IdentifiedDisk,
  Owner,
} from '../../node/host/index.ts';
import { isWithin, writeFile } from '../../node/host/index.ts';

type RecordingOptions = {
  readonly disk: IdentifiedDisk;
  /** The record file, on the same disk. */
  readonly records: string;
  readonly random: HostRoot['random'];
};

export function createRecordingDisk(options: RecordingOptions): Disk {
  return new RecordingDisk(options);
}

type FileRecord = {
  readonly path: string;
  /** The inode at the time of the record. */
  readonly file: string;
  readonly owner: Owner;
  /** Undefined: the actual mode. */
  readonly mode?: number | undefined;
};

const ROOT_OWNER: Owner = { uid: 0, gid: 0 };
const MAX_RECORDS_BYTES = 64 * 1024 ** 2;

class RecordingDisk implements Disk {
  readonly #disk: IdentifiedDisk;
  readonly #records: string;
  readonly #random: HostRoot['random'];
  #known: Map<string, FileRecord[]> | undefined;
  #loading: Promise<Map<string, FileRecord[]>> | undefined;
  /** Serialises changes of the records. */
  #last: Promise<void> = Promise.resolve();

  constructor({ disk, records, random }: RecordingOptions) {
    this.#disk = disk;
    this.#records = records;
    this.#random = random;
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const stat = await this.#disk.stat(path);
    if (stat === undefined) return undefined;
    const record = await this.#recordOf(path);
    return { ...stat, owner: record?.owner ?? ROOT_OWNER, mode: record?.mode ?? stat.mode };
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array> {
    return await this.#disk.read(path, maxBytes);
  }

  async list(path: string): Promise<readonly string[]> {
    return await this.#disk.list(path);
  }

  async makeFolder(path: string, mode: number): Promise<void> {
    await this.#disk.makeFolder(path, realMode(mode, 'folder'));
    await this.#record(path, { owner: ROOT_OWNER, mode, real: realMode(mode, 'folder') });
  }

  async create(path: string, mode: number): Promise<void> {
    await this.#disk.create(path, realMode(mode, 'file'));
    await this.#record(path, { owner: ROOT_OWNER, mode, real: realMode(mode, 'file') });
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    await this.#disk.write(path, bytes);
  }

  async setMode(path: string, mode: number): Promise<void> {
    const stat = await this.stat(path);
    const real = realMode(mode, stat?.kind === 'folder' ? 'folder' : 'file');
    await this.#disk.setMode(path, real);
    await this.#record(path, { owner: stat?.owner ?? ROOT_OWNER, mode, real });
  }

  async setOwner(path: string, owner: Owner): Promise<void> {
    const real = await this.#disk.stat(path);
    const stat = await this.stat(path);
    // For a missing path the disk reports the error.
    if (real === undefined || stat === undefined) return await this.#disk.setOwner(path, owner);
    await this.#record(path, { owner, mode: stat.mode, real: real.mode });
  }

  async syncFile(path: string): Promise<void> {
    await this.#disk.syncFile(path);
  }

  async syncFolder(path: string): Promise<void> {
    await this.#disk.syncFolder(path);
  }

  async rename({ from, to }: { readonly from: string; readonly to: string }): Promise<void> {
    await this.#announceMove(from, to);
    await this.#disk.rename({ from, to });
    await this.#change(async (known) => {
      const file = await this.#disk.identify(to);
      for (const path of [...known.keys()]) if (isWithin(from, path)) known.delete(path);
      const records = known.get(to);
      if (records !== undefined) {
        known.set(
          to,
          records.filter((record) => record.file === file),
        );
      }
      return 'later';
    });
  }

  async makeLink(path: string, link: { readonly target: string }): Promise<void> {
    await this.#disk.makeLink(path, link);
    await this.#forget(path);
  }

  async unlink(path: string): Promise<void> {
    await this.#disk.unlink(path);
    await this.#forget(path);
  }

  async removeFolder(path: string): Promise<void> {
    await this.#disk.removeFolder(path);
    await this.#forget(path);
  }

  async isReadOnly(folder: string): Promise<boolean> {
    return await this.#disk.isReadOnly(folder);
  }

  async space(folder: string): Promise<FileSystemSpace> {
    return await this.#disk.space(folder);
  }

  watch(folder: string, onChange: (name?: string) => void): () => void {
    return this.#disk.watch(folder, onChange);
  }

  async #recordOf(path: string): Promise<FileRecord | undefined> {
    const records = (await this.#load()).get(path) ?? [];
    if (records.length === 0) return undefined;
    const file = await this.#disk.identify(path);
    return records.find((record) => record.file === file) ?? records.at(-1);
  }

  async #record(
    path: string,
    { owner, mode, real }: { readonly owner: Owner; readonly mode: number; readonly real: number },
  ): Promise<void> {
    const file = (await this.#disk.identify(path)) ?? '';
    const isPlain = owner.uid === 0 && owner.gid === 0 && mode === real;
    await this.#change(async (known) => {
      if (isPlain && !known.has(path)) return 'same';
      if (isPlain) known.delete(path);
      else known.set(path, [{ path, file, owner, ...(mode === real ? {} : { mode }) }]);
      return 'now';
    });
  }

  async #announceMove(from: string, to: string): Promise<void> {
    await this.#change(async (known) => {
      const moving = [...known.keys()].filter((path) => isWithin(from, path));
      if (moving.length === 0 && !known.has(to)) return 'same';
      // A crash may lose the rename; the record of the old file must not be dropped before.
      const replaced = await this.#disk.identify(to);
      const kept = known.get(to)?.find((record) => record.file === replaced) ?? known.get(to)?.at(-1);
      if (replaced !== undefined) {
        known.set(to, [{ path: to, owner: ROOT_OWNER, ...kept, file: replaced }]);
      }
      for (const path of moving) {
        const target = `${to}${path.slice(from.length)}`;
        const file = (await this.#disk.identify(path)) ?? '';
        const record = known.get(path)?.at(-1);
        if (record !== undefined) {
          known.set(target, [...(known.get(target) ?? []), { ...record, path: target, file }]);
        }
      }
      if (!moving.includes(from)) {
        const file = (await this.#disk.identify(from)) ?? '';
        known.set(to, [...(known.get(to) ?? []), { path: to, file, owner: ROOT_OWNER }]);
      }
      return 'now';
    });
  }

  async #forget(path: string): Promise<void> {
    await this.#change(async (known) => (known.delete(path) ? 'later' : 'same'));
  }

  /** Changes the records; returns whether they must be durable before continuing. */
  async #change(
    change: (known: Map<string, FileRecord[]>) => Promise<'now' | 'later' | 'same'>,
  ): Promise<void> {
    const before = this.#last;
    const turn = (async () => {
      await before;
      const known = await this.#load();
      if ((await change(known)) === 'now') await this.#save(known);
    })();
    this.#last = turn.catch(() => undefined);
    await turn;
  }

  async #load(): Promise<Map<string, FileRecord[]>> {
    if (this.#known !== undefined) return this.#known;
    this.#loading ??= this.#readRecords();
    this.#known = await this.#loading;
    return this.#known;
  }

  async #readRecords(): Promise<Map<string, FileRecord[]>> {
    const known = new Map<string, FileRecord[]>();
    if ((await this.#disk.stat(this.#records)) === undefined) return known;
    const text = new TextDecoder().decode(await this.#disk.read(this.#records, MAX_RECORDS_BYTES));
    for (const line of text.split('\n')) {
      const record = line === '' ? undefined : readRecord(line);
      if (record !== undefined) known.set(record.path, [...(known.get(record.path) ?? []), record]);
    }
    return known;
  }

  async #save(known: ReadonlyMap<string, readonly FileRecord[]>): Promise<void> {
    const lines = [...known.values()].flat().map((record) => `${JSON.stringify(record)}\n`);
    const at = { disk: this.#disk, root: '/', random: this.#random };
    await writeFile(at, this.#records, { bytes: new TextEncoder().encode(lines.join('')), mode: 0o644 });
  }
}

/** The owner of the process always keeps the permissions it needs. */
function realMode(mode: number, kind: 'file' | 'folder'): number {
  return (mode & 0o777) | (kind === 'folder' ? 0o700 : 0o600);
}

function readRecord(line: string): FileRecord | undefined {
  const row: unknown = JSON.parse(line);
  const owner = isObject(row) ? own(row, 'owner') : undefined;
  if (!isObject(row) || !isObject(owner)) return undefined;
  const [path, file, mode] = [own(row, 'path'), own(row, 'file'), own(row, 'mode')];
  const [uid, gid] = [own(owner, 'uid'), own(owner, 'gid')];
  if (typeof path !== 'string' || typeof file !== 'string') return undefined;
  if (typeof uid !== 'number' || typeof gid !== 'number') return undefined;
  return { path, file, owner: { uid, gid }, ...(typeof mode === 'number' ? { mode } : {}) };
}
