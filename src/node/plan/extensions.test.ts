import { expect, test } from 'vitest';
import { SUPPORTED_EXTENSIONS } from '../../config/content/index.ts';
import {
  extensionChange,
  extensionPackages,
  extensionProblem,
  missingFromStaged,
  packagesToVerify,
  unknownExtensions,
} from './extensions.ts';

test('what rendering lets through has packages here, and nothing else has', () => {
  for (const name of SUPPORTED_EXTENSIONS) expect(extensionPackages([name]), name).not.toEqual([]);
  expect(unknownExtensions([...SUPPORTED_EXTENSIONS])).toBeUndefined();
  expect(unknownExtensions(['usbguard', 'x', 'constructor'])).toBe(
    'invalid extensions found: [x constructor]',
  );
});

test('what is there is not installed again, and packages of others are left alone', () => {
  expect(extensionChange(['usbguard', 'kerberos'], ['usbguard', 'sysstat', 'vim'])).toEqual({
    install: ['krb5-workstation', 'libkadm5'],
    uninstall: ['sysstat'],
  });
  expect(extensionChange(['usbguard'], ['usbguard', 'vim'])).toBeUndefined();
  expect(extensionChange([], ['kata-containers'])).toEqual({ uninstall: ['kata-containers'] });
});

test('what the staged OS lacks is named', () => {
  const staged = { isStaged: true, layeredPackages: ['usbguard'] };
  expect(missingFromStaged(['usbguard'], [staged])).toBeUndefined();
  expect(missingFromStaged(['a', 'usbguard', 'b'], [{ ...staged, isStaged: false }, staged])).toBe(
    'the following extension packages are missing from the staged deployment: [a b]',
  );
  expect(missingFromStaged(['a'], [])).toContain('[a]');
});

test('a node is done once of each extension one set of packages is installed in full', () => {
  const older = ['NetworkManager-libreswan', 'libreswan'];
  expect(packagesToVerify(['ipsec'])).toEqual([...older, 'openvswitch3.5-ipsec']);
  expect(extensionProblem(['ipsec'], older)).toBeUndefined();
  expect(extensionProblem(['ipsec', 'usbguard'], older)).toBe(
    'extension package verification failed: extension "usbguard" verification failed: no valid package set is fully installed. Missing packages: [usbguard]',
  );
});
