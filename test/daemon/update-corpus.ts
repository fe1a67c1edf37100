/** Updates of all kinds, small enough to be interrupted at every call of the disk. */
import { aConfig, aUnit, type ConfigParts, OTHER_POLICY, POLICY } from './a-config.ts';
import { GONE_OS, NEW_OS, OLD_DEFAULTS, REFUSED_OS } from './daemon-node.ts';
import type { UpdateCase } from './power-cuts.ts';

const KEY = 'ssh-ed25519 AAAA someone';

function update(
  name: string,
  from: ConfigParts,
  to: ConfigParts,
  more: Partial<UpdateCase> = {},
): UpdateCase {
  const slug = `rendered-${name.replace(/[^a-z0-9]+/g, '-')}`;
  return { name, from: aConfig(`${slug}-old`, from), to: aConfig(`${slug}-new`, to), ...more };
}

const crio = { path: '/etc/containers/policy.json' };

export const CORPUS: readonly UpdateCase[] = [
  update('a file changes', { files: { '/etc/a': 'one' } }, { files: { '/etc/a': 'two' } }),
  update(
    'files come and go, with originals of the OS',
    { files: { '/etc/chrony.conf': 'mine', '/etc/gone': 'x' } },
    { files: { '/etc/motd.os': 'ours', '/opt/deep/er/new': 'y' } },
    {
      judge: async (node) =>
        (await node.text('/etc/chrony.conf')) === 'pool default\n' ? [] : ['no original'],
    },
  ),
  update('a unit is added', {}, { units: [aUnit('a.service', 'one')] }),
  update(
    'units change, drop-ins come and go',
    {
      units: [
        aUnit('a.service', 'one', { dropins: [{ name: '10-x.conf', contents: '[Service]\n' }] }),
        aUnit('b.service', 'two'),
      ],
    },
    {
      units: [
        aUnit('a.service', 'other', {
          enabled: false,
          dropins: [{ name: '20-y.conf', contents: '[Unit]\n' }],
        }),
        { name: 'chronyd.service', mask: true },
      ],
    },
  ),
  update(
    'keys and a password change',
    { sshKeys: [KEY] },
    { sshKeys: [KEY, `${KEY} else`], passwordHash: '$6$x' },
  ),
  update('kernel arguments change', { kernelArguments: ['a=1'] }, { kernelArguments: ['a=2', 'nosmt'] }),
  update('the OS changes', {}, { osImage: NEW_OS }),
  update(
    'config files are defaults of the old OS',
    { files: OLD_DEFAULTS },
    { files: OLD_DEFAULTS, osImage: NEW_OS },
  ),
  update(
    'config files are defaults, OS refused',
    { files: OLD_DEFAULTS },
    { files: OLD_DEFAULTS, osImage: REFUSED_OS },
    { isFailing: true },
  ),
  update(
    'everything changes at once',
    { files: { '/etc/a': 'one', '/etc/chrony.conf': 'mine' }, sshKeys: [KEY], kernelArguments: ['quiet'] },
    {
      files: { '/etc/a': 'two', '/etc/b': 'new' },
      units: [aUnit('a.service', 'one')],
      sshKeys: [`${KEY} else`],
      kernelArguments: ['nosmt'],
      osImage: NEW_OS,
    },
  ),
  update(
    'a service is reloaded, nothing reboots',
    { files: { [crio.path]: POLICY } },
    { files: { [crio.path]: OTHER_POLICY } },
  ),
  update(
    'a file cannot be written and the update is rolled back',
    { files: { '/etc/a': 'one', '/etc/chrony.conf': 'mine' } },
    { files: { '/etc/a': 'two', '/etc/by-hand': 'ours', '/var/home/core': 'no' } },
    {
      isFailing: true,
      async prepare(node) {
        await node.machine.host.files.makeFolder('/var/home/core', { mode: 0o700 });
        await node.write('/etc/by-hand', 'manual');
      },
      judge: async (node) =>
        (await node.text('/etc/by-hand')) === 'manual' ? [] : ['the manual file is gone'],
    },
  ),
  update(
    'an image is missing and nothing is changed',
    { files: { '/etc/a': 'one' }, sshKeys: [KEY], units: [aUnit('a.service', 'one')] },
    {
      files: { '/etc/a': 'two' },
      sshKeys: [`${KEY} else`],
      units: [aUnit('b.service', 'two')],
      osImage: GONE_OS,
    },
    { isFailing: true },
  ),
  update(
    'an image is refused and the update is rolled back',
    { files: { '/etc/a': 'one' }, sshKeys: [KEY], units: [aUnit('a.service', 'one')] },
    {
      files: { '/etc/a': 'two' },
      sshKeys: [`${KEY} else`],
      units: [aUnit('b.service', 'two')],
      osImage: REFUSED_OS,
    },
    { isFailing: true },
  ),
  update(
    'a service cannot be reloaded and the update is rolled back',
    { files: { [crio.path]: POLICY } },
    { files: { [crio.path]: OTHER_POLICY } },
    {
      isFailing: true,
      prepare: async (node) => {
        node.machine.faults.failingUnits.add('crio.service');
      },
    },
  ),
];
