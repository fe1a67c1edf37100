/** The contract of registry stores. */
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../images/digest.ts';
import { readBytes } from '../../images/read-bytes.ts';
import type { RegistryStore } from './registry-store.ts';

const text = (value: string) => new TextEncoder().encode(value);
const HELLO = digestOf(text('hello'));
const ID = '8a39f1c0-2f62-4a3a-8a0a-000000000000';

async function* pieces(...values: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const value of values) {
    if (value instanceof Error) throw value;
    yield text(value);
  }
}

export function describeRegistryStore(name: string, open: () => Promise<RegistryStore>): void {
  describe(name, () => {
    it('does not have unknown blobs and records', async () => {
      const store = await open();
      expect(await store.blobSize(HELLO)).toBeUndefined();
      expect(await store.uploadSize(ID)).toBeUndefined();
      expect(await store.getRecord('a/b')).toBeUndefined();
      expect(await store.listRecords('a')).toEqual([]);
      expect(await store.listBlobs()).toEqual([]);
      await store.removeBlob(HELLO);
      await store.removeRecord('a/b');
      await store.dropUpload(ID);
    });

    it('stores a blob and reads any range of it', async () => {
      const store = await open();
      await store.putBlob(HELLO, text('hello'));
      const part = async (start: number, end: number) =>
        new TextDecoder().decode(await readBytes(store.readBlob(HELLO, { start, end }), 100));
      expect(await store.blobSize(HELLO)).toBe(5);
      expect([await part(0, 5), await part(1, 3), await part(4, 5), await part(2, 2)]).toEqual([
        'hello',
        'el',
        'o',
        '',
      ]);
      await store.removeBlob(HELLO);
      expect(await store.blobSize(HELLO)).toBeUndefined();
    });

    it('stores an empty blob and one with SHA-512', async () => {
      const store = await open();
      const [empty, long] = [digestOf(text('')), digestOf(text('hello'), 'sha512')];
      await store.putBlob(empty, text(''));
      await store.putBlob(long, text('hello'));
      expect([await store.blobSize(empty), await store.blobSize(long)]).toEqual([0, 5]);
      const listed = (await store.listBlobs()).map(({ digest, size }) => [digest, size]);
      expect(listed.sort()).toEqual(
        [
          [empty, 0],
          [long, 5],
        ].sort(),
      );
    });

    it('commits an upload in chunks as a blob', async () => {
      const store = await open();
      await store.createUpload(ID);
      expect(await store.appendUpload(ID, pieces('he', 'l'))).toBe(3);
      expect(await store.appendUpload(ID, pieces('lo'))).toBe(5);
      expect(await store.commitUpload(ID, HELLO)).toBe('committed');
      expect([await store.blobSize(HELLO), await store.uploadSize(ID)]).toEqual([5, undefined]);
    });

    it('keeps the received part of an interrupted upload', async () => {
      const store = await open();
      await store.createUpload(ID);
      await expect(store.appendUpload(ID, pieces('hel', new Error('gone')))).rejects.toThrow('gone');
      expect(await store.uploadSize(ID)).toBe(3);
      await store.appendUpload(ID, pieces('lo'));
      expect(await store.commitUpload(ID, HELLO)).toBe('committed');
    });

    it('rejects an upload with another digest', async () => {
      const store = await open();
      await store.createUpload(ID);
      await store.appendUpload(ID, pieces('hullo'));
      expect(await store.commitUpload(ID, HELLO)).toBe('mismatch');
      expect([await store.blobSize(HELLO), await store.uploadSize(ID)]).toEqual([undefined, 5]);
      await store.dropUpload(ID);
      expect(await store.uploadSize(ID)).toBeUndefined();
    });

    it('accepts the same blob twice', async () => {
      const store = await open();
      await store.putBlob(HELLO, text('hello'));
      await store.createUpload(ID);
      await store.appendUpload(ID, pieces('hello'));
      expect(await store.commitUpload(ID, HELLO)).toBe('committed');
      expect(await store.blobSize(HELLO)).toBe(5);
    });

    it('stores, replaces and lists records, case-sensitively and sorted by bytes', async () => {
      const store = await open();
      for (const key of ['r/a/_tags/V1', 'r/a/_tags/v1', 'r/a/b/_tags/x', 'r/a/_tags/1.0', 'r/ab/_tags/x']) {
        await store.putRecord(key, key);
      }
      await store.putRecord('r/a/_tags/v1', 'new');
      expect(await store.getRecord('r/a/_tags/v1')).toBe('new');
      expect(await store.getRecord('r/a/_tags/V1')).toBe('r/a/_tags/V1');
      expect(await store.listRecords('r/a')).toEqual([
        'r/a/_tags/1.0',
        'r/a/_tags/V1',
        'r/a/_tags/v1',
        'r/a/b/_tags/x',
      ]);
      await store.removeRecord('r/a/_tags/v1');
      expect(await store.getRecord('r/a/_tags/v1')).toBeUndefined();
      expect(await store.listRecords('r/a/_tags')).toEqual(['r/a/_tags/1.0', 'r/a/_tags/V1']);
    });

    it('supports concurrent use', async () => {
      const store = await open();
      const keys = Array.from({ length: 30 }, (_, number) => `r/a${number}/_blobs/x`);
      await Promise.all(keys.map((key) => store.putRecord(key, key)));
      expect((await store.listRecords('r')).length).toBe(30);
    });
  });
}
