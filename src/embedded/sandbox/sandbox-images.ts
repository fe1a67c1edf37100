/**
 * The container images of a sandbox: a store on its disk, as of CRI-O, filled by real pulls.
 *
 *     /var/lib/containers/storage/blobs/sha256-…        configs and layers, each once, with verified content
 *     /var/lib/containers/storage/images/….json         an image by its name: which blobs it consists of
 *
 * A blob has its name only once it is complete, and an image its record only once all of its blobs are there. So what a power cut
 * or an aborted pull leaves behind is no image.
 *
 * The disk is as large as the capacity that the node reports, or as `/machine/disk-bytes` says.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { joinBytes } from '../../base/bytes.ts';
import { Failure } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { numberAt, objectsAt, stringAt } from '../../base/json-fields.ts';
import {
  type Disk,
  type HostFiles,
  type HostImages,
  type HostUnits,
  NO_SPACE,
} from '../../node/host/index.ts';
import { MACHINE } from './sandbox-state.ts';

/** Images as their registry has them, reached through the mirrors and with the credentials of the machine. */
export type ContainerImages = {
  /** Calls with each source of the image until one succeeds. */
  withImage<T>(image: string, signal: AbortSignal, use: (opened: OpenImage) => Promise<T>): Promise<T>;
};

type OpenImage = {
  readonly digest: string;
  readonly config: Blob;
  readonly layers: readonly Blob[];
  /** Fails at its end where the content is not the one of the digest. */
  read(blob: Blob): AsyncIterable<Uint8Array>;
};

type Blob = { readonly digest: string; readonly size: number };

type SandboxImagesOptions = {
  readonly files: HostFiles;
  readonly units: Pick<HostUnits, 'isKnown'>;
  readonly disk: Disk;
  readonly containers: ContainerImages;
  readonly log: (line: string) => void;
};

const STORE = '/var/lib/containers/storage';
const MAX_RECORD_BYTES = 1024 ** 2;
/** The limit for blobs that are held in memory. */
const MAX_BLOB_BYTES = 512 * 1024 ** 2;
const MAX_SIZE_BYTES = 64;
/** As the kubelet of the embedded cluster reports it. */
const DISK_BYTES = 100 * 1024 ** 3;

export function createSandboxImages(options: SandboxImagesOptions): HostImages {
  const { files, units, containers, log } = options;
  const store = new ImageStore(options);
  return {
    async pinningProblem() {
      if (await units.isKnown('crio.service')) return undefined;
      return 'pinning images needs CRI-O, which this machine does not have';
    },
    isPresent: (image) => store.has(image),
    inspect: (image, signal) =>
      containers.withImage(image, signal, async ({ layers }) =>
        layers.map(({ digest, size }) => ({ digest, sizeBytes: size })),
      ),
    async pull(image, signal) {
      if (await store.has(image)) return;
      log(`Pulling image: ${image}`);
      await containers.withImage(image, signal, (opened) => store.fetch(image, opened));
      log(`Pulled image: ${image}`);
      // Of an earlier pull that a power cut ended.
      await files.removeTemporaryFiles([recordPath(image)]);
    },
    freeBytes: () => store.freeBytes(),
  };
}

class ImageStore {
  readonly #files: HostFiles;
  readonly #disk: Disk;
  /** By digest: several images may have the same layer, which is written once. */
  readonly #fetching = new Map<string, Promise<void>>();

  constructor({ files, disk }: Pick<SandboxImagesOptions, 'files' | 'disk'>) {
    this.#files = files;
    this.#disk = disk;
  }

  async has(image: string): Promise<boolean> {
    const path = recordPath(image);
    if ((await this.#files.stat(path))?.kind !== 'file') return false;
    const bytes = await this.#files.read(path, MAX_RECORD_BYTES);
    const record = parseJson(new TextDecoder().decode(bytes));
    const blobs = objectsAt(record, 'blobs');
    if (stringAt(record, 'image') !== image || blobs.length === 0) return false;
    for (const blob of blobs) {
      if (!(await this.#hasBlob({ digest: stringAt(blob, 'digest'), size: numberAt(blob, 'size') })))
        return false;
    }
    return true;
  }

  async fetch(image: string, opened: OpenImage): Promise<void> {
    const blobs = [opened.config, ...opened.layers].map(({ digest, size }) => ({ digest, size }));
    for (const blob of blobs) await this.#fetchOnce(blob, opened);
    const record = { image, digest: opened.digest, blobs };
    await this.#write(recordPath(image), utf8ToBytes(`${JSON.stringify(record, undefined, 2)}\n`));
  }

  async freeBytes(): Promise<number> {
    const folder = `${STORE}/blobs`;
    let used = 0;
    for (const name of (await this.#files.list(folder)) ?? []) {
      used += (await this.#files.stat(`${folder}/${name}`))?.sizeBytes ?? 0;
    }
    return Math.max(0, (await this.#diskBytes()) - used);
  }

  async #diskBytes(): Promise<number> {
    const path = `${MACHINE}/disk-bytes`;
    if ((await this.#disk.stat(path)) === undefined) return DISK_BYTES;
    const text = new TextDecoder().decode(await this.#disk.read(path, MAX_SIZE_BYTES));
    return Math.max(0, Number.parseInt(text, 10) || 0);
  }

  async #fetchOnce(blob: Blob, opened: OpenImage): Promise<void> {
    const { digest } = blob;
    // How another pull of it ends is not decisive: it may be stopped.
    for (let other = this.#fetching.get(digest); other !== undefined; other = this.#fetching.get(digest)) {
      await other.catch(() => undefined);
    }
    const fetching = this.#fetchBlob(blob, opened);
    this.#fetching.set(digest, fetching);
    try {
      await fetching;
    } finally {
      this.#fetching.delete(digest);
    }
  }

  async #fetchBlob(blob: Blob, opened: OpenImage): Promise<void> {
    if (await this.#hasBlob(blob)) return;
    const path = blobPath(blob.digest);
    if (blob.size > MAX_BLOB_BYTES) {
      throw new Failure('stalled', 'BlobTooLarge', `${blob.digest} is larger than ${MAX_BLOB_BYTES} bytes`);
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of opened.read(blob)) pieces.push(piece);
    if (blob.size > (await this.freeBytes())) throw diskFull(path);
    await this.#write(path, joinBytes(pieces));
    await this.#files.removeTemporaryFiles([path]);
  }

  async #hasBlob({ digest, size }: Blob): Promise<boolean> {
    const stat = await this.#files.stat(blobPath(digest));
    return stat?.kind === 'file' && stat.sizeBytes === size;
  }

  async #write(path: string, bytes: Uint8Array): Promise<void> {
    await this.#files.write(path, { bytes, mode: 0o600 });
  }
}

/** As of containers/storage. */
function diskFull(path: string): Failure {
  const message = `writing blob: storing blob to file ${JSON.stringify(path)}: write ${path}: no space left on device`;
  return new Failure('transient', NO_SPACE, message);
}

function blobPath(digest: string): string {
  return `${STORE}/blobs/${digest.replace(':', '-')}`;
}

/** Names of images are longer than names of files may be. */
function recordPath(image: string): string {
  return `${STORE}/images/${bytesToHex(sha256(utf8ToBytes(image)))}.json`;
}
