/**
 * Blob uploads: monolithic, chunked, or mounted from another repository.
 *
 *     POST ──> 202 ──PATCH…──> 202 ──PUT ?digest──> 201 a blob of the repository
 *       └── mount, or all at once ─────────────────^        GET: progress; DELETE: cancel
 */
import { isDigest, isRepositoryName } from '../../images/index.ts';
import { answer, refused } from './registry-answers.ts';
import type { RegistryRequest, RegistryResponse } from './registry-http.ts';
import type { RegistryParts } from './registry-part.ts';

type UploadRoute = { readonly name: string; readonly id: string };

type Upload = { readonly name: string; usedAtMs: number; isBusy: boolean };

export class RegistryUploads {
  readonly #parts: RegistryParts;
  readonly #uploads = new Map<string, Upload>();

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  async begin(name: string, request: RegistryRequest): Promise<RegistryResponse> {
    const query = new URLSearchParams(request.query);
    const mount = query.get('mount');
    const from = query.get('from');
    if (mount !== null && !isDigest(mount)) return refused('DIGEST_INVALID', { detail: mount.slice(0, 200) });
    if (mount !== null && from !== null && isRepositoryName(from)) {
      if (await this.#mount(name, mount, from)) return created(name, mount);
    }
    const digest = query.get('digest');
    if (digest !== null && !isDigest(digest))
      return refused('DIGEST_INVALID', { detail: digest.slice(0, 200) });
    if (!(await this.#makeRoom())) return refused('TOOMANYREQUESTS');
    const id = this.#parts.env.random.uuid();
    await this.#parts.store.createUpload(id);
    this.#uploads.set(id, { name, usedAtMs: this.#parts.env.clock.monotonic(), isBusy: false });
    if (digest === null) return this.#progress(202, { name, id }, 0);
    return await this.#whileBusy({ name, id }, async () => {
      const problem = await this.#append({ name, id }, request);
      return problem ?? (await this.#commit({ name, id }, digest));
    });
  }

  async status(route: UploadRoute): Promise<RegistryResponse> {
    const size = await this.#sizeOf(route);
    return size === undefined ? unknown(route) : this.#progress(204, route, size);
  }

  async append(route: UploadRoute, request: RegistryRequest): Promise<RegistryResponse> {
    return await this.#whileBusy(route, async () => {
      const problem = await this.#append(route, request);
      return problem ?? this.#progress(202, route, (await this.#sizeOf(route)) ?? 0);
    });
  }

  async finish(route: UploadRoute, request: RegistryRequest): Promise<RegistryResponse> {
    const digest = new URLSearchParams(request.query).get('digest') ?? '';
    if (!this.#isKnown(route)) return unknown(route);
    if (!isDigest(digest)) return refused('DIGEST_INVALID', { detail: digest.slice(0, 200) });
    return await this.#whileBusy(route, async () => {
      const problem = await this.#append(route, request);
      return problem ?? (await this.#commit(route, digest));
    });
  }

  async cancel(route: UploadRoute): Promise<RegistryResponse> {
    return await this.#whileBusy(route, async () => {
      await this.#drop(route.id);
      return answer(204, { 'docker-upload-uuid': route.id });
    });
  }

  async #append(
    route: UploadRoute,
    { headers, body }: RegistryRequest,
  ): Promise<RegistryResponse | undefined> {
    const { store, limits } = this.#parts;
    const before = (await this.#sizeOf(route)) ?? 0;
    const contentRange = headers['content-range'];
    const range = /^(?:bytes )?([0-9]{1,15})-([0-9]{1,15})(?:\/.*)?$/.exec(contentRange ?? '');
    if (contentRange !== undefined && (range === null || Number(range[1]) !== before))
      return this.#outOfRange(route, before);
    const length = headers['content-length'];
    if (
      range !== null &&
      length !== undefined &&
      Number(range[2]) - Number(range[1]) + 1 !== Number(length)
    ) {
      return refused('SIZE_INVALID');
    }
    const counted = new CountedBody(body, limits.blobBytes - before);
    await store.appendUpload(route.id, counted.pieces());
    if (!counted.isTooLong) return undefined;
    await this.#drop(route.id);
    return refused('SIZE_INVALID', { status: 413, detail: `larger than ${limits.blobBytes} bytes` });
  }

  async #commit({ name, id }: UploadRoute, digest: string): Promise<RegistryResponse> {
    const { lock, store, repositories, env } = this.#parts;
    return await lock.shared(async () => {
      if ((await store.commitUpload(id, digest)) === 'mismatch') {
        // It can never match the digest.
        await this.#drop(id);
        return refused('DIGEST_INVALID', { detail: digest });
      }
      this.#uploads.delete(id);
      await repositories.addBlob(name, digest, env.clock.now());
      return created(name, digest);
    });
  }

  async #mount(name: string, digest: string, from: string): Promise<boolean> {
    const { lock, store, repositories, env } = this.#parts;
    return await lock.shared(async () => {
      const isThere =
        (await repositories.hasBlob(from, digest)) && (await store.blobSize(digest)) !== undefined;
      if (isThere) await repositories.addBlob(name, digest, env.clock.now());
      return isThere;
    });
  }

  /** Concurrent writes to one upload are rejected. */
  async #whileBusy(route: UploadRoute, work: () => Promise<RegistryResponse>): Promise<RegistryResponse> {
    const upload = this.#uploads.get(route.id);
    if (upload === undefined || upload.name !== route.name) return unknown(route);
    if (upload.isBusy) return this.#outOfRange(route, (await this.#sizeOf(route)) ?? 0);
    upload.isBusy = true;
    try {
      return await work();
    } finally {
      upload.isBusy = false;
      upload.usedAtMs = this.#parts.env.clock.monotonic();
    }
  }

  async #makeRoom(): Promise<boolean> {
    const { limits, env } = this.#parts;
    if (this.#uploads.size < limits.uploads) return true;
    const now = env.clock.monotonic();
    for (const [id, { isBusy, usedAtMs }] of this.#uploads) {
      if (!isBusy && now - usedAtMs > limits.uploadIdleMs) await this.#drop(id);
    }
    return this.#uploads.size < limits.uploads;
  }

  async #drop(id: string): Promise<void> {
    this.#uploads.delete(id);
    await this.#parts.store.dropUpload(id);
  }

  #isKnown({ name, id }: UploadRoute): boolean {
    return this.#uploads.get(id)?.name === name;
  }

  async #sizeOf(route: UploadRoute): Promise<number | undefined> {
    return this.#isKnown(route) ? await this.#parts.store.uploadSize(route.id) : undefined;
  }

  #progress(status: number, { name, id }: UploadRoute, size: number): RegistryResponse {
    return answer(status, {
      location: `/v2/${name}/blobs/uploads/${id}`,
      range: rangeText(size),
      'docker-upload-uuid': id,
    });
  }

  #outOfRange({ name, id }: UploadRoute, size: number): RegistryResponse {
    const headers = { location: `/v2/${name}/blobs/uploads/${id}`, range: rangeText(size) };
    return refused('RANGE_INVALID', { headers: { ...headers, 'docker-upload-uuid': id } });
  }
}

/** Limits the size of a body. */
class CountedBody {
  readonly #body: AsyncIterable<Uint8Array>;
  readonly #limit: number;
  #size = 0;

  constructor(body: AsyncIterable<Uint8Array>, limit: number) {
    this.#body = body;
    this.#limit = limit;
  }

  get isTooLong(): boolean {
    return this.#size > this.#limit;
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#body) {
      this.#size += piece.length;
      if (this.isTooLong) return;
      yield piece;
    }
  }
}

/** The Range of an empty upload is `0-0`, like in Docker's registry. */
function rangeText(size: number): string {
  return `0-${Math.max(0, size - 1)}`;
}

function created(name: string, digest: string): RegistryResponse {
  return answer(201, { location: `/v2/${name}/blobs/${digest}`, 'docker-content-digest': digest });
}

function unknown({ id }: UploadRoute): RegistryResponse {
  return refused('BLOB_UPLOAD_UNKNOWN', { detail: id.slice(0, 64) });
}
