/**
 * Where a registry keeps what it is given: blobs by their digest, uploads that are not finished, and records, which are
 * small texts by name and say which repository has what.
 *
 * What a call has confirmed lasts, whatever happens to the process next. Uploads last as long as the process.
 * Names are checked before they come here (`names.ts`, `digest.ts`).
 */
export interface RegistryStore {
  /** Undefined where there is none. */
  blobSize(digest: string): Promise<number | undefined>;
  /** From `start` up to, not including, `end`. The caller has asked for its size. */
  readBlob(digest: string, range: ByteRange): AsyncIterable<Uint8Array>;
  /** The digest is the content's: the caller has made sure. */
  putBlob(digest: string, bytes: Uint8Array): Promise<void>;
  removeBlob(digest: string): Promise<void>;
  listBlobs(): Promise<readonly StoredBlob[]>;

  createUpload(id: string): Promise<void>;
  /** How much it holds; undefined where there is none. */
  uploadSize(id: string): Promise<number | undefined>;
  /** Rejects as `content` does; what came before that is kept. Gives how much the upload holds then. */
  appendUpload(id: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  /** Makes a blob of it, if it has that digest; it is gone then, and stays otherwise. */
  commitUpload(id: string, digest: string): Promise<'committed' | 'mismatch'>;
  /** Nothing happens where there is none. */
  dropUpload(id: string): Promise<void>;

  getRecord(key: string): Promise<string | undefined>;
  putRecord(key: string, text: string): Promise<void>;
  /** Nothing happens where there is none. */
  removeRecord(key: string): Promise<void>;
  /** The keys that begin with `folder` and a slash, sorted by bytes. */
  listRecords(folder: string): Promise<readonly string[]>;
}

export type ByteRange = { readonly start: number; readonly end: number };

export type StoredBlob = { readonly digest: string; readonly size: number };
