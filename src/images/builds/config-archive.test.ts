import { describe, expect, it } from 'vitest';
import type { MachineConfig } from '../../api/index.ts';
import { untar } from '../untar.ts';
import { configArchive, unpackedConfig } from './config-archive.ts';

const rendered = (config: object) =>
  ({ metadata: { name: 'rendered-infra-1' }, spec: { config } }) as unknown as MachineConfig;

const ignition = { version: '3.5.0' };

function entriesOf(config: object): readonly string[] {
  const outcome = untar(configArchive(rendered(config)));
  if (outcome.kind === 'invalid') throw new Error(outcome.problems[0]?.message);
  return outcome.value.map((entry) => {
    const what =
      entry.kind === 'file' ? new TextDecoder().decode(entry.content) : 'target' in entry ? entry.target : '';
    return `${entry.kind} ${entry.path} ${entry.mode.toString(8)} ${what}`.trim();
  });
}

describe('configArchive', () => {
  it('holds files, folders and links, and no folders above them', () => {
    const storage = {
      directories: [{ path: '/etc/app', mode: 0o700 }],
      files: [
        { path: '/usr/local/bin/tool', mode: 0o755, contents: { source: 'data:,run' } },
        { path: '/etc/app/plain', contents: { source: 'data:,hello%20world' } },
        { path: '/etc/app/empty' },
      ],
      links: [
        { path: '/etc/link', target: '/etc/app/plain' },
        { path: '/etc/hard', target: '/etc/app/plain', hard: true },
      ],
    };
    expect(entriesOf({ ignition, storage })).toEqual([
      'folder var/usrlocal 755',
      'folder etc/app 700',
      'file etc/app/empty 644',
      'file etc/app/plain 644 hello world',
      'hardlink etc/hard 777 etc/app/plain',
      'symlink etc/link 777 /etc/app/plain',
      'file usr/local/bin/tool 755 run',
    ]);
  });

  it.each([
    ['/home/core/.ssh/authorized_keys', ['folder var/home 755']],
    ['/mnt/a', ['folder var/mnt 755']],
    ['/opt/bin/a', ['folder var/opt 755']],
    ['/root/.profile', ['folder var/roothome 700']],
    ['/srv/a', ['folder var/srv 755']],
    ['/usr/local/sbin/a', ['folder var/usrlocal 755']],
    ['/usr/locale/a', []],
    ['/etc/opt/a', []],
    ['/var/opt/a', []],
  ])('begins with what the folder of %s is a link to on CoreOS', (path, folders) => {
    expect(entriesOf({ ignition, storage: { files: [{ path }] } })).toEqual([
      ...folders,
      `file ${path.slice(1)} 644`,
    ]);
  });

  it('holds units and their drop-ins, and masks as links', () => {
    const units = [
      { name: 'a.service', contents: '[Unit]', dropins: [{ name: '10.conf', contents: '[Service]' }] },
      { name: 'b.service', mask: true },
      { name: 'c.service', enabled: true },
    ];
    expect(entriesOf({ ignition, systemd: { units } })).toEqual([
      'file etc/systemd/system/a.service 644 [Unit]',
      'file etc/systemd/system/a.service.d/10.conf 644 [Service]',
      'symlink etc/systemd/system/b.service 777 /dev/null',
    ]);
  });

  it('is the same for the same config', () => {
    const config = { ignition, storage: { files: [{ path: '/etc/a', contents: { source: 'data:,a' } }] } };
    expect(configArchive(rendered(config))).toEqual(configArchive(rendered(config)));
  });

  it('refuses a config that is no Ignition config', () => {
    expect(() => configArchive(rendered({ ignition: { version: 'x' } }))).toThrow(
      'the rendered config is invalid',
    );
  });
});

describe('the rendered config in its ConfigMap', () => {
  it.each(['', 'bnVsbA==', '%'])('cannot be %j', (text) => {
    expect(() => unpackedConfig(text)).toThrow();
  });
});
