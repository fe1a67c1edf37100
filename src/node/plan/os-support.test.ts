import { describe, expect, it } from 'vitest';
import { aNodeConfig, COREOS } from '../../../test/support/a-node-config.ts';
import type { MachineConfigSpec } from '../../api/index.ts';
import { type MachineOs, refusedImage, unsupportedOs } from './os-support.ts';

const IMAGE = 'registry.example/os@sha256:1';
const plain: MachineOs = { isImageBased: false, isEnterpriseLinux: false, kernelArguments: ['rw', 'nosmt'] };
const withoutGrub: MachineOs = { ...plain, kernelArgumentsProblem: 'no GRUB' };
const bootc: MachineOs = { ...COREOS, kernelArgumentsProblem: 'bootc' };
const BY_PACKAGES =
  '. Update this node with its package manager, and have it in a pool whose MachineConfigs do not ask for that';
const BY_HAND =
  '. Add the arguments to the boot loader by hand and reboot: what the running kernel has is accepted';
const fedora: MachineOs = { ...COREOS, isEnterpriseLinux: false };

const NO_IMAGE = 'updating the OS on non-CoreOS nodes is not supported: new asks for ';
const NO_PACKAGES =
  'kernel types and extensions are only supported on Enterprise Linux CoreOS: new asks for ';

describe('unsupportedOs', () => {
  it.each<[string, MachineOs, MachineConfigSpec, string | undefined]>([
    [
      'an image on CoreOS',
      COREOS,
      { osImageURL: IMAGE, kernelType: 'realtime', extensions: ['usbguard'] },
      undefined,
    ],
    ['nothing on a plain machine', plain, {}, undefined],
    [
      'present kernel arguments on a machine without GRUB',
      withoutGrub,
      { kernelArguments: ['nosmt'] },
      undefined,
    ],
    ['kernel arguments on a plain machine', plain, { kernelArguments: ['a'] }, undefined],
    [
      'kernel arguments on a machine without GRUB',
      withoutGrub,
      { kernelArguments: ['nosmt', 'a'] },
      `${NO_IMAGE}kernel arguments [a] (no GRUB)${BY_HAND}`,
    ],
    [
      'kernel arguments on a machine that bootc manages',
      bootc,
      { osImageURL: IMAGE, kernelArguments: ['a'] },
      'updating kernel arguments is not supported: new asks for kernel arguments [a] (bootc)',
    ],
    [
      'an image on a plain machine',
      plain,
      { osImageURL: IMAGE },
      `${NO_IMAGE}OS image ${IMAGE}${BY_PACKAGES}`,
    ],
    [
      'everything on a machine without GRUB',
      withoutGrub,
      {
        osImageURL: IMAGE,
        kernelArguments: ['nosmt', 'a b'],
        kernelType: 'realtime',
        extensions: ['usbguard', 'ipsec'],
      },
      `${NO_IMAGE}OS image ${IMAGE}, kernel type realtime, extensions [usbguard ipsec], kernel arguments [a b] (no GRUB)${BY_PACKAGES}${BY_HAND}`,
    ],
    ['an image on Fedora CoreOS', fedora, { osImageURL: IMAGE, kernelArguments: ['a'] }, undefined],
    ['a kernel on Fedora CoreOS', fedora, { kernelType: 'realtime' }, `${NO_PACKAGES}kernel type realtime`],
    [
      'extensions on Fedora CoreOS',
      fedora,
      { extensions: ['usbguard'] },
      `${NO_PACKAGES}extensions [usbguard]`,
    ],
  ])('judges %s', (_, machine, spec, expected) => {
    expect(unsupportedOs(aNodeConfig('new', { spec }), machine)).toBe(expected);
  });

  it('lets an image of image mode have packages of its own', () => {
    const config = aNodeConfig('new', {
      spec: { extensions: ['usbguard'] },
      image: 'registry.example/layered@sha256:1',
    });
    expect(unsupportedOs(config, fedora)).toBeUndefined();
  });
});

describe('refusedImage', () => {
  const coreos = { id: 'scos', variant: 'coreos', isCoreOs: true };
  const iot = { id: 'fedora', variant: 'iot', isCoreOs: false };

  it.each([
    ['CoreOS on CoreOS', coreos, coreos, false],
    ['another OS on CoreOS', coreos, iot, true],
    ['CoreOS on another OS', iot, coreos, false],
    ['another OS on another OS', iot, iot, false],
    ['an image without an os-release', coreos, undefined, false],
  ])('judges %s', (_, booted, staged, isRefused) => {
    expect(refusedImage(IMAGE, booted, staged) !== undefined).toBe(isRefused);
  });
});
