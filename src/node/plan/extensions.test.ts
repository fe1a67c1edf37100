import { expect, test } from 'vitest';
import { SUPPORTED_EXTENSIONS } from '../../config/content/index.ts';
import {
  extensionChange,
  extensionPackages,
  extensionProblem,
  missingFromStaged,
  packagesToVerify,
  unknownExtensions,
  unsupportedPackages,
} from './extensions.ts';

test('exactly the extensions that rendering accepts have packages', () => {
  for (const name of SUPPORTED_EXTENSIONS) expect(extensionPackages([name]), name).not.toEqual([]);
  expect(unknownExtensions([...SUPPORTED_EXTENSIONS])).toBeUndefined();
  expect(unknownExtensions(['usbguard', 'x', 'constructor'])).toBe(
    'invalid extensions found: [x constructor]',
  );
});

test('installed packages are not installed again, and packages of no extension are ignored', () => {
  expect(extensionChange(['usbguard', 'kerberos'], ['usbguard', 'sysstat', 'vim'])).toEqual({
    install: ['krb5-workstation', 'libkadm5'],
    uninstall: ['sysstat'],
  });
  expect(extensionChange(['usbguard'], ['usbguard', 'vim'])).toBeUndefined();
  expect(extensionChange([], ['kata-containers'])).toEqual({ uninstall: ['kata-containers'] });
});

test('packages that are missing from the staged OS are listed', () => {
  const staged = { isStaged: true, layeredPackages: ['usbguard'] };
  expect(missingFromStaged(['usbguard'], [staged])).toBeUndefined();
  expect(missingFromStaged(['a', 'usbguard', 'b'], [{ ...staged, isStaged: false }, staged])).toBe(
    'the following extension packages are missing from the staged deployment: [a b]',
  );
  expect(missingFromStaged(['a'], [])).toContain('[a]');
});

test('one set of packages of each extension must be installed in full', () => {
  const older = ['NetworkManager-libreswan', 'libreswan'];
  expect(packagesToVerify(['ipsec'])).toEqual([...older, 'openvswitch3.5-ipsec']);
  expect(extensionProblem(['ipsec'], older)).toBeUndefined();
  expect(extensionProblem(['ipsec', 'usbguard'], older)).toBe(
    'extension package verification failed: extension "usbguard" verification failed: no valid package set is fully installed. Missing packages: [usbguard]',
  );
});

test('packages that are of no extension and no kernel type are unsupported, and so are all from files', () => {
  const layeredPackages = [
    'vim',
    'usbguard',
    'libreswan',
    'openvswitch3.5-ipsec',
    'kernel-rt-core',
    'kernel-ark',
  ];
  expect(unsupportedPackages({ layeredPackages })).toEqual(['vim', 'kernel-ark']);
  expect(unsupportedPackages({ layeredPackages: [], localPackages: ['usbguard-1.0'] })).toEqual([
    'usbguard-1.0',
  ]);
});
