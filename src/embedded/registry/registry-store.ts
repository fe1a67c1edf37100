/**
 * The storage port of the registry: blobs by digest, uploads in progress, and records, which are small texts by key.
 *
 * Completed calls are durable, except for uploads, which end with the process. Callers validate names (`names.ts`,
 * `digest.ts`).
 */
export interface RegistryStore {
  /** Undefined if it does not exist. */
  blobSize(digest: string): Promise<number | undefined>;
  /** From `start` up to but excluding `end`, within its size. */
  readBlob(digest: string, range: ByteRange): AsyncIterable<Uint8Array>;
  /** The caller has verified the digest. */
  putBlob(digest: string, bytes: Uint8Array): Promise<void>;
  removeBlob(digest: string): Promise<void>;
  listBlobs(): Promise<readonly StoredBlob[]>;

  createUpload(id: string): Promise<void>;
  /** The received size; undefined if it does not exist. */
  uploadSize(id: string): Promise<number | undefined>;
  /** Returns the received size. If `content` rejects, so does this, and the part before is kept. */
  appendUpload(id: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  /** Turns the upload into a blob if the digest matches; otherwise it is kept. */
  commitUpload(id: string, digest: string): Promise<'committed' | 'mismatch'>;
  /** Does nothing if it does not exist. */
  dropUpload(id: string): Promise<void>;

  getRecord(key: string): Promise<string | undefined>;
  putRecord(key: string, text: string): Promise<void>;
  /** Does nothing if it does not exist. */
  removeRecord(key: string): Promise<void>;
  /** The keys below a prefix and a slash, sorted by bytes. */
  listRecords(folder: string): Promise<readonly string[]>;
}

export type ByteRange = { readonly start: number; readonly end: number };

export type StoredBlob = { readonly digest: string; readonly size: number };
