import { describe, expect, test } from 'vitest';
import { aConfig, aFile } from '../../../test/support/build.ts';
import { daemonStateProblems, isDaemonState } from './daemon-state.ts';

const DAEMON = '/etc/machine-config-daemon';

describe('isDaemonState', () => {
  test.each([
    ...['currentconfig', 'currentimage', 'journal.json', 'journal-from.json', 'journal-in-the-way/etc/x'],
    ...['node-annotations.json', 'node-annotation.json.bak', 'orig/etc/x.mcdorig', 'noorig/etc/x.mcdnoorig'],
    ...['', 'x', 'no-reboot.d/x', 'policy-for-old-podman.json.bak'],
  ])('is true of %j in the folder of the daemon', (name) => {
    expect(isDaemonState(name === '' ? DAEMON : `${DAEMON}/${name}`)).toBe(true);
  });

  test.each([
    '/etc/ignition-machine-config-encapsulated.json',
    '/etc/ignition-machine-config-encapsulated.json.bak',
    '/etc/systemd/system-preset/20-ignition.preset',
  ])('is true of %s', (path) => {
    expect(isDaemonState(path)).toBe(true);
  });

  test.each([
    `${DAEMON}/no-reboot/containers-gpg.pub`,
    `${DAEMON}/policy-for-old-podman.json`,
    `${DAEMON}/generate_podman_policy_args.sh`,
    `${DAEMON}-x/currentconfig`,
    '/etc/currentconfig',
    '/etc/systemd/system-preset/30-mine.preset',
  ])('is false of %s, which configs write', (path) => {
    expect(isDaemonState(path)).toBe(false);
  });
});

test('daemonStateProblems finds files, directories and links, and lets the folder itself be a directory', () => {
  const config = aConfig({
    storage: {
      files: [aFile('/etc/a', ''), aFile(`${DAEMON}/currentimage`, '')],
      directories: [{ path: DAEMON }, { path: `${DAEMON}/no-reboot` }, { path: `${DAEMON}/orig` }],
      links: [{ path: `${DAEMON}/journal.json`, target: '/dev/null' }],
    },
  });
  expect(daemonStateProblems(config).map(({ path }) => path)).toEqual([
    'storage.files[1].path',
    'storage.directories[2].path',
    'storage.links[0].path',
  ]);
});
