import { describe, expect, it } from 'vitest';
import { aNodeConfig } from '../../../test/support/a-node-config.ts';
import { aFile } from '../../../test/support/build.ts';
import { configChange } from './config-change.ts';
import { readNodeConfig } from './node-config.ts';
import { runtimeFindings, withRuntimeFiles } from './runtime-files.ts';

const CONF = '/etc/containers/registries.conf';
const HOSTS = '/etc/containerd/certs.d/quay.io/hosts.toml';
const text =
  '[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "m.example"\npull-from-mirror = "digest-only"\n';
const config = aNodeConfig('new', { storage: { files: [aFile(CONF, text)] } });
const pathsOf = ({ ignition }: typeof config) => (ignition.storage?.files ?? []).map(({ path }) => path);

describe('the config of a node that runs containerd', () => {
  it('has a hosts.toml for each registry of its registries.conf', () => {
    const extended = withRuntimeFiles(config, 'containerd');
    expect(pathsOf(extended)).toEqual([CONF, HOSTS]);
    expect(extended.name).toBe('new');
    expect(configChange(config, extended).changedFiles).toEqual([HOSTS]);
  });

  it('reads as itself once it was stored', () => {
    const extended = withRuntimeFiles(config, 'containerd');
    const read = readNodeConfig(JSON.parse(JSON.stringify(extended.machineConfig)));
    if (read.kind !== 'ok') throw new Error(JSON.stringify(read.problems));
    expect(configChange(read.value, extended)).toMatchObject({ files: false, changedFiles: [] });
    expect(withRuntimeFiles(read.value, 'containerd')).toBe(read.value);
  });

  it('keeps a hosts.toml that a MachineConfig has', () => {
    const own = aNodeConfig('own', {
      storage: { files: [aFile(CONF, text), aFile(HOSTS, 'server = ""\n')] },
    });
    expect(withRuntimeFiles(own, 'containerd')).toBe(own);
  });

  it.each([
    ['without a registries.conf', aNodeConfig('empty')],
    ['with one that cannot be read', aNodeConfig('bad', { storage: { files: [aFile(CONF, '[[')] } })],
  ])('is unchanged %s', (_, unchanged) => {
    expect(withRuntimeFiles(unchanged, 'containerd')).toBe(unchanged);
    expect(runtimeFindings(unchanged, 'containerd')).toEqual([]);
  });

  it('comes with what containerd does not do', () => {
    const scoped = aNodeConfig('s', {
      storage: { files: [aFile(CONF, text.replace('quay.io', 'quay.io/x'))] },
    });
    expect(runtimeFindings(scoped, 'containerd').map(({ scope }) => scope)).toEqual(['quay.io/x']);
    expect(runtimeFindings(scoped, 'cri-o')).toEqual([]);
  });
});

describe('the config of a node that runs CRI-O, or of one whose runtime is unknown', () => {
  it.each(['cri-o', undefined])('is unchanged: %s', (runtime) => {
    expect(withRuntimeFiles(config, runtime)).toBe(config);
  });
});
