import { gzipSync, strToU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import { aConfig, aMachineConfig } from '../../../test/support/build.ts';
import { countingPause } from '../../../test/support/counting-pause.ts';
import { base64DataUrl, type IgnitionConfig } from '../ignition/index.ts';
import {
  packingWarnings,
  preparePackedContents,
  preparePackedSource,
  unpackedSizeProblem,
} from './packed-contents.ts';

const MIB = 1024 ** 2;
const packedFile = (path: string, bytes: number) => ({
  path,
  contents: {
    source: base64DataUrl('', gzipSync(new Uint8Array(bytes), { level: 9 })),
    compression: 'gzip',
  },
});
const config = (...files: readonly object[]) =>
  ({ ignition: { version: '3.5.0' }, storage: { files } }) as unknown as IgnitionConfig;
const large = packedFile('/etc/large', 60 * MIB);

describe('the packed contents of a config', () => {
  it('may unpack to 64 MiB together', () => {
    expect(unpackedSizeProblem(config(large, packedFile('/etc/b', 4 * MIB)))).toBe(undefined);
    expect(unpackedSizeProblem(config())).toBe(undefined);
  });

  it.each([
    [
      'one file',
      [packedFile('/etc/a', 65 * MIB)],
      'storage.files[0].contents.source',
      `the packed contents of 1 file unpack to ${65 * MIB} bytes, and those of a config may unpack to ${64 * MIB} at most; the largest is /etc/a with ${65 * MIB} bytes`,
    ],
    [
      'several files',
      [{ path: '/etc/plain' }, packedFile('/etc/small', 5 * MIB), large],
      'storage.files[2].contents.source',
      `the packed contents of 2 files unpack to ${65 * MIB} bytes, and those of a config may unpack to ${64 * MIB} at most; the largest is /etc/large with ${60 * MIB} bytes`,
    ],
  ])('are a problem beyond that: %s', (_, files, path, message) => {
    expect(unpackedSizeProblem(config(...files))).toEqual({ path, message });
  });

  it('are not unpacked where there is too much of them', async () => {
    const { counter, pause } = countingPause();
    const sixteen = Array.from({ length: 16 }, (_, index) => ({ ...large, path: `/etc/${index}` }));
    await preparePackedContents(config(...sixteen), pause);
    await preparePackedSource(aMachineConfig('a', { config: config(...sixteen) as never }), pause);
    expect(counter.pauses).toBe(0);
  });

  it.each<[string, (files: readonly object[]) => unknown]>([
    ['a MachineConfig', (files) => aMachineConfig('a', { config: aConfig({ storage: { files } } as never) })],
    [
      'one of Ignition 2',
      (files) => ({ spec: { config: { ignition: { version: '2.2.0' }, storage: { files } } } }),
    ],
  ])('of %s are unpacked once, with pauses', async (name, source) => {
    const { counter, pause } = countingPause();
    const file = packedFile('/etc/x', 7 * MIB + name.length);
    await preparePackedSource(source([file]), pause);
    const before = counter.pauses;
    expect(before).toBeGreaterThanOrEqual(7);
    await preparePackedContents(config(file), pause);
    expect(packingWarnings(config(file))).toEqual([]);
    expect(counter.pauses).toBe(before);
  });

  it.each([undefined, null, 5, {}, { spec: { config: { storage: { files: [null, { contents: 5 }] } } } }])(
    'are none in %j',
    async (source) => {
      const { counter, pause } = countingPause();
      await preparePackedSource(source, pause);
      expect(counter.pauses).toBe(0);
    },
  );

  it('are warned about where they are no gzip data', () => {
    const contents = { source: base64DataUrl('', strToU8('plain, whatever it says')), compression: 'gzip' };
    expect(packingWarnings(config({ path: '/a' }, { path: '/b', contents }))).toEqual([
      { path: 'storage.files[1].contents.source', message: 'gzip data cannot be unpacked: invalid header' },
    ]);
  });
});
