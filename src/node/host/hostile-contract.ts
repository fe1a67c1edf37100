/**
 * Nothing outside of the root is read or changed, for any links on the machine and any paths.
 */
import { afterEach, expect, it } from 'vitest';
import { file, problem, sceneFor, textAt } from '../../../test/host/contract-fixtures.ts';
import type { HostScene } from './contract.ts';

/** Link targets outside of the root. The file `canary` is beside the root. */
const WAYS_OUT = [
  '../canary',
  '/../canary',
  '../../../../../../canary',
  '/..',
  '..',
  '../..',
  '/proc/self/root/canary',
];
const MANY_UP = '../'.repeat(30);

export function hostileContract(create: () => Promise<HostScene>): void {
  const at = sceneFor(create);
  afterEach(async () => {
    expect(await at.scene.outside()).toBe('canary: untouched');
  });

  it('keeps paths with .. below the root', async () => {
    const { files } = at.host;
    await files.write('/../../canary', file('inside'));
    await files.write(`/etc/${MANY_UP}etc/app/../other`, file('inside too'));
    expect(await textAt(at.host, '/canary')).toBe('inside');
    expect(await textAt(at.host, '/etc/other')).toBe('inside too');
    expect(await textAt(at.host, '/../canary')).toBe('inside');
    expect(await files.remove('/../canary')).toBe(true);
    await files.makeFolder('/../made', { mode: 0o700 });
    expect(await files.list('/..')).toContain('made');
    await files.copy('/../etc/hosts', '/../../copied');
    expect(await textAt(at.host, '/copied')).toBe(await textAt(at.host, '/etc/hosts'));
    expect(await files.removeFolder('/../made')).toBe(true);
  });

  it.each(WAYS_OUT)('resolves a link to %s only within the root', async (target) => {
    const { files } = at.host;
    for (const place of ['/etc/planted', '/planted', '/var/a/b/planted']) {
      await files.link(place, target);
      expect(await read(place)).not.toContain('untouched');
      // As the last name it is replaced, as a parent it is resolved; either may be rejected, neither leads out.
      await problem(files.write(`${place}/canary`, file('evil')));
      await problem(files.makeFolder(`${place}/folder`, { mode: 0o755 }));
      await problem(files.copy('/etc/hosts', `${place}/hosts`));
      await problem(files.link(`${place}/link`, target));
      await problem(files.remove(`${place}/canary`));
      await problem(files.list(place));
      await problem(files.removeFolder(`${place}/folder`));
      await problem(files.removeTemporaryFiles([`${place}/canary`]));
      await problem(files.write(place, file('evil')));
      expect(await files.stat(place)).toMatchObject({ kind: 'file' });
    }
  });

  it('fails on circular links', async () => {
    const { files } = at.host;
    await files.link('/etc/a', 'b');
    await files.link('/etc/b', '/etc/a');
    await files.link('/etc/self', 'self');
    await files.link('/etc/deeper', 'deeper/deeper');
    for (const path of ['/etc/a', '/etc/self/x', '/etc/deeper']) {
      expect(await problem(files.read(path))).toBe(`open ${path}: too many levels of symbolic links`);
    }
    expect(await problem(files.write('/etc/a/x', file('x')))).toBe(
      'mkdir /etc/a: too many levels of symbolic links',
    );
    expect(await files.whyUnwritable('/etc/a/x')).toBe('open /etc/a: too many levels of symbolic links');
    expect(await files.removeTemporaryFiles(['/etc/a/x', '/etc/self/x'])).toBe(0);
    await files.write('/etc/a', file('x'));
    expect(await textAt(at.host, '/etc/b')).toBe('x');
  });

  it('resolves at most forty links', async () => {
    const { files } = at.host;
    await files.write('/etc/chain/0', file('end'));
    for (let count = 1; count <= 41; count++) await files.link(`/etc/chain/${count}`, `${count - 1}`);
    expect(await textAt(at.host, '/etc/chain/40')).toBe('end');
    expect(await problem(files.read('/etc/chain/41'))).toContain('too many levels of symbolic links');
  });

  it('does not read devices and pipes, and replaces them by files', async () => {
    if (!(await at.scene.makeSpecial('/etc/special'))) return;
    const { files } = at.host;
    expect(await files.stat('/etc/special')).toMatchObject({ kind: 'other' });
    expect(await problem(files.read('/etc/special'))).toBe('read /etc/special: invalid argument');
    expect(await problem(files.copy('/etc/special', '/etc/x'))).toBe('copy /etc/special: invalid argument');
    expect(await problem(files.write('/etc/special/x', file('x')))).toBe(
      'mkdir /etc/special: not a directory',
    );
    await files.write('/etc/special', file('x'));
    expect(await textAt(at.host, '/etc/special')).toBe('x');
  });

  it.each([
    'a/b.service',
    '../x.service',
    '-x.service',
    'a b.service',
    'x\ny.service',
    'x',
    '',
    'a\0.service',
  ])('rejects the unit name %j', async (unit) => {
    for (const ask of [at.host.units.isEnabled, at.host.units.isKnown, at.host.units.preset]) {
      expect(await problem(ask(unit))).toBe(`invalid unit name ${JSON.stringify(unit)}`);
    }
    expect(await problem(at.host.units.enable([unit]))).toContain('invalid unit name');
    expect(await problem(at.host.units.disable([unit]))).toContain('invalid unit name');
  });

  it('rejects a password hash with a line break, without its value in the message', async () => {
    for (const hash of ['x:0:0', '*\nroot::0']) {
      expect(await problem(at.host.accounts.setPasswordHash('core', hash))).toBe(
        'invalid password hash for user core',
      );
    }
    const message = await problem(at.host.accounts.setPasswordHash('nobody-here', '$6$secret'));
    expect(message).not.toContain('secret');
  });

  async function read(path: string): Promise<string> {
    try {
      return (await textAt(at.host, path)) ?? '';
    } catch {
      return '';
    }
  }
}
