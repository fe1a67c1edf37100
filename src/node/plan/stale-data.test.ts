import { describe, expect, test } from 'vitest';
import { aNodeConfig, type NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { aFile } from '../../../test/support/build.ts';
import { staleData } from './stale-data.ts';

const files = (...paths: readonly string[]): NodeConfigParts => ({
  storage: { files: paths.map((path) => aFile(path, 'x')) },
});
const units = (...list: readonly object[]) => ({ systemd: { units: list } }) as NodeConfigParts;
const stale = (before: NodeConfigParts, after: NodeConfigParts) =>
  staleData(aNodeConfig('old', before), aNodeConfig('new', after));
const contents = '[Service]\nExecStart=/bin/true\n';
const at = (name: string) => `/etc/systemd/system/${name}`;

describe('staleData, of files', () => {
  test('lists the files that only the old config has', () => {
    expect(stale(files('/etc/b', '/etc/a', '/etc/kept'), files('/etc/kept', '/etc/new')).files).toEqual([
      '/etc/a',
      '/etc/b',
    ]);
  });

  test('never lists CA bundles (edge case 15)', () => {
    const kept = [
      '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt',
      '/etc/kubernetes/kubelet-ca.crt',
      '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
      '/etc/docker/certs.d/registry.example/ca.crt',
    ];
    expect(stale(files(...kept), {}).files).toEqual([]);
    expect(stale(files('/etc/docker/certs.data'), {}).files).toEqual(['/etc/docker/certs.data']);
  });

  test('never lists the state of the daemon, which a config of an older version may have', () => {
    const state = ['/etc/machine-config-daemon/journal.json', '/etc/machine-config-daemon/no-reboot/key.pub'];
    expect(stale(files(...state), {}).files).toEqual(['/etc/machine-config-daemon/no-reboot/key.pub']);
  });

  test('keeps a file that becomes a drop-in or a unit, and logs it', () => {
    const after = units({ name: 'x.service', contents, dropins: [{ name: 'a.conf', contents: '[Unit]\n' }] });
    const { files: gone, log } = stale(files(at('x.service'), at('x.service.d/a.conf'), '/etc/a'), after);
    expect(gone).toEqual(['/etc/a']);
    expect(log).toEqual([
      'Not removing file "/etc/systemd/system/x.service": replaced with systemd unit',
      'Not removing file "/etc/systemd/system/x.service.d/a.conf": replaced with systemd dropin',
    ]);
  });

  test('lists a file whose path becomes a unit without contents', () => {
    expect(stale(files(at('x.service')), units({ name: 'x.service', enabled: true })).files).toEqual([
      at('x.service'),
    ]);
  });
});

describe('staleData, of drop-ins', () => {
  const dropin = (...names: readonly string[]) =>
    units({ name: 'x.service', dropins: names.map((name) => ({ name, contents: '[Unit]\n' })) });

  test('lists drop-ins that are removed, with or without their unit', () => {
    expect(stale(dropin('b.conf', 'a.conf', 'kept.conf'), dropin('kept.conf'))).toMatchObject({
      dropins: [at('x.service.d/a.conf'), at('x.service.d/b.conf')],
      units: [],
    });
    expect(stale(dropin('a.conf'), {}).dropins).toEqual([at('x.service.d/a.conf')]);
  });

  test('keeps a drop-in that becomes a file', () => {
    expect(stale(dropin('a.conf'), files(at('x.service.d/a.conf'))).dropins).toEqual([]);
  });
});

describe('staleData, of units', () => {
  test('resets the enablement of removed units', () => {
    expect(
      stale(units({ name: 'x.service', contents }, { name: 'a.service', mask: true }), {}).units,
    ).toEqual([
      { name: 'a.service', path: at('a.service'), isGone: true, isOurs: true },
      { name: 'x.service', path: at('x.service'), isGone: true, isOurs: true },
    ]);
  });

  test('does not list the file of a unit that was only enabled', () => {
    expect(stale(units({ name: 'x.service', enabled: true }), {}).units).toEqual([
      { name: 'x.service', path: at('x.service'), isGone: true, isOurs: false },
    ]);
  });

  test('lists the file of a unit that loses its contents', () => {
    const after = units({ name: 'x.service', enabled: true });
    expect(stale(units({ name: 'x.service', contents }), after).units).toEqual([
      { name: 'x.service', path: at('x.service'), isGone: false, isOurs: true },
    ]);
    expect(
      stale(units({ name: 'x.service', contents }), units({ name: 'x.service', mask: true })).units,
    ).toEqual([]);
  });

  test('keeps a unit that becomes a file', () => {
    expect(stale(units({ name: 'x.service', contents }), files(at('x.service'))).units).toEqual([
      { name: 'x.service', path: at('x.service'), isGone: true, isOurs: false },
    ]);
  });
});

test('links that old versions left behind are always listed', () => {
  expect(stale({}, {}).leakedLinks).toEqual([
    at('network-online.target.requires/node-valid-hostname.service'),
    at('network-online.target.wants/ovs-configuration.service'),
  ]);
});
