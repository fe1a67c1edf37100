import { describe, expect, test } from 'vitest';
import { aConfig, aFile, aMachineConfig } from '../../../test/support/build.ts';
import { annotations, type MachineConfig } from '../../api/index.ts';
import { embedImage, emptyNodeConfig, extractImage, readNodeConfig } from './node-config.ts';

function read(machineConfig: unknown, image?: string) {
  const config = readNodeConfig(machineConfig, image);
  if (config.kind === 'invalid') throw new Error(JSON.stringify(config.problems));
  return config.value;
}

describe('readNodeConfig rejects, with the path,', () => {
  // biome-ignore format: a table.
  test.each<[string, unknown, string]>([
    ['nothing', undefined, ''],
    ['a text', 'x', ''],
    ['no name', { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig' }, 'metadata'],
    ['extensions that are no list', { ...aMachineConfig('a'), spec: { extensions: 5 } }, 'spec.extensions'],
    ['an unknown Ignition version', aMachineConfig('a', { config: { ignition: { version: '4.0.0' } } }), 'spec.config.ignition.version'],
    ['a path with ..', aMachineConfig('a', { config: aConfig({ storage: { files: [aFile('/etc/../x', '')] } }) }), 'spec.config.storage.files[0].path'],
  ])('%s', (_, value, path) => {
    const config = readNodeConfig(value);
    expect(config.kind === 'invalid' && config.problems[0]?.path.startsWith(path)).toBe(true);
  });
});

test('missing fields of a config have their defaults', () => {
  const machineConfig = aMachineConfig('a');
  expect(read(machineConfig)).toEqual({
    name: 'a',
    machineConfig,
    ignition: { ignition: { version: '3.5.0' } },
    osImage: '',
    extensionsImage: '',
    kernelArguments: [],
    kernelType: 'default',
    extensions: [],
    isFips: false,
  });
});

test('a config of version 2 is translated to version 3.5', () => {
  const config = {
    ignition: { version: '2.2.0' },
    systemd: { units: [{ name: 'x.service', enable: true }] },
  };
  expect(read(aMachineConfig('a', { config })).ignition).toMatchObject({
    ignition: { version: '3.5.0' },
    systemd: { units: [{ name: 'x.service', enabled: true }] },
  });
});

describe('image mode', () => {
  const plain = aMachineConfig('a', { osImageURL: 'os', fips: true }, { annotations: { mine: 'kept' } });

  test('the image of image mode replaces the OS image, and the config keeps its own (edge case 20)', () => {
    const config = read(plain, 'layered');
    expect(config).toMatchObject({ osImage: 'layered', layeredImage: 'layered' });
    expect(config.machineConfig.spec?.osImageURL).toBe('os');
  });

  test('an empty image means none', () => {
    expect(read(plain, '')).not.toHaveProperty('layeredImage');
    expect(embedImage(plain, '')).toBe(plain);
  });

  test('embedImage stores both images in the copy', () => {
    const copy = embedImage(plain, 'layered');
    expect(copy.spec?.osImageURL).toBe('layered');
    expect(copy.metadata.annotations).toEqual({
      mine: 'kept',
      [annotations.originalOSImageURL]: 'os',
      [annotations.oclOSImageURL]: 'layered',
    });
    expect(plain.spec?.osImageURL).toBe('os');
  });

  test.each<[string, MachineConfig]>([
    ['a config', plain],
    ['one without annotations', aMachineConfig('a', { osImageURL: 'os' })],
    ['one without an OS image', aMachineConfig('a', { kernelArguments: ['x'] })],
  ])('extractImage returns %s and the image', (_, machineConfig) => {
    const embedded = embedImage(machineConfig, 'layered');
    expect(extractImage(embedded)).toEqual({ machineConfig, layeredImage: 'layered' });
    expect(extractImage(machineConfig)).toEqual({ machineConfig });
    expect(embedImage(embedded, 'other')).toEqual(embedImage(machineConfig, 'other'));
    expect(read(embedded)).toEqual(read(machineConfig, 'layered'));
  });
});

test('the config of a machine before its first one is empty', () => {
  const machine = { osImage: 'os', kernelArguments: ['quiet'], isFips: true };
  const empty = emptyNodeConfig(machine);
  expect(empty).toMatchObject({ name: 'mco-empty-mc', ...machine });
  expect(read(empty.machineConfig)).toEqual(empty);
});
