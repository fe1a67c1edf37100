import { expect, test } from 'vitest';
import { aNodeConfig } from '../../../test/support/a-node-config.ts';
import { aFile } from '../../../test/support/build.ts';
import { changesBoot, changeText, configChange, isNoChange } from './config-change.ts';

const before = aNodeConfig('old', {
  storage: { files: [aFile('/etc/kept', '1'), aFile('/etc/changed', '1'), aFile('/etc/gone', '1')] },
  systemd: { units: [{ name: 'gone.service' }, { name: 'kept.service', enabled: true }] },
});

test('added, changed and removed items are listed, sorted', () => {
  const after = aNodeConfig('new', {
    storage: { files: [aFile('/etc/kept', '1'), aFile('/etc/changed', '2'), aFile('/etc/added', '1')] },
    systemd: { units: [{ name: 'kept.service', enabled: true }, { name: 'added.service' }] },
  });
  expect(configChange(before, after)).toMatchObject({
    files: true,
    units: true,
    osImage: false,
    changedFiles: ['/etc/added', '/etc/changed', '/etc/gone'],
    changedUnits: ['added.service', 'gone.service'],
  });
});

test('a changed drop-in changes its unit', () => {
  const unit = (contents: string) =>
    aNodeConfig('c', {
      systemd: { units: [{ name: 'x.service', dropins: [{ name: 'a.conf', contents }] }] },
    });
  expect(configChange(unit('[Unit]\n'), unit('[Service]\n')).changedUnits).toEqual(['x.service']);
});

test('a config compared with itself has no change, unless it is forced', () => {
  const change = configChange(before, before);
  expect(isNoChange(change)).toBe(true);
  expect(changesBoot(change)).toBe(false);
  expect(configChange(before, before, { isForced: true })).toEqual({ ...change, osImage: true });
});

test('configs in image mode are compared by their image, and leaving image mode is recognised', () => {
  const os = (image?: string) =>
    aNodeConfig('c', { spec: { osImageURL: 'os' }, ...(image !== undefined && { image }) });
  expect(configChange(os(), os('a'))).toMatchObject({
    osImage: true,
    isLayered: true,
    leavesImageMode: false,
  });
  expect(configChange(os('a'), os('a'))).toMatchObject({ osImage: false, isLayered: true });
  expect(configChange(os('a'), os())).toMatchObject({
    osImage: true,
    isLayered: true,
    leavesImageMode: true,
  });
  expect(configChange(os(), os())).toMatchObject({ osImage: false, isLayered: false });
});

test('a change is logged like upstream logs it', () => {
  expect(changeText(configChange(before, aNodeConfig('new', { spec: { kernelArguments: ['a'] } })))).toBe(
    '&{osUpdate:false kargs:true fips:false passwd:false files:true units:true kernelType:false extensions:false oclEnabled:false revertFromOCL:false}',
  );
});
