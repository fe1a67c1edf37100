import { expect, test } from 'vitest';
import { aNodeConfig } from '../../../test/a-node-config.ts';
import { aFile } from '../../../test/build.ts';
import { changesBoot, changeText, configChange, isNoChange } from './config-change.ts';

const before = aNodeConfig('old', {
  storage: { files: [aFile('/etc/kept', '1'), aFile('/etc/changed', '1'), aFile('/etc/gone', '1')] },
  systemd: { units: [{ name: 'gone.service' }, { name: 'kept.service', enabled: true }] },
});

test('what is added, changed or gone is named, sorted', () => {
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

test('a drop-in changes its unit', () => {
  const unit = (contents: string) =>
    aNodeConfig('c', {
      systemd: { units: [{ name: 'x.service', dropins: [{ name: 'a.conf', contents }] }] },
    });
  expect(configChange(unit('[Unit]\n'), unit('[Service]\n')).changedUnits).toEqual(['x.service']);
});

test('nothing changes between a config and itself, unless it is forced', () => {
  const change = configChange(before, before);
  expect(isNoChange(change)).toBe(true);
  expect(changesBoot(change)).toBe(false);
  expect(configChange(before, before, { isForced: true })).toEqual({ ...change, osImage: true });
});

test('image mode is compared by its image, and leaving it is said', () => {
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

test('the log says it in the form that people know', () => {
  expect(changeText(configChange(before, aNodeConfig('new', { spec: { kernelArguments: ['a'] } })))).toBe(
    '&{osUpdate:false kargs:true fips:false passwd:false files:true units:true kernelType:false extensions:false oclEnabled:false revertFromOCL:false}',
  );
});
