/**
 * The units of every host, as `systemctl` has them.
 */
import { expect, it } from 'vitest';
import { file, problem, sceneFor } from '../../../test/host/contract-fixtures.ts';
import type { HostScene } from './contract.ts';

const UNITS = '/etc/systemd/system';
const WANTED = '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n';

export function unitsContract(create: () => Promise<HostScene>): void {
  const at = sceneFor(create);
  const targetOf = async (path: string) => (await at.host.files.stat(path))?.target;

  /** What a name with `..` would change. */
  const foldersAround = async () => {
    const { files } = at.host;
    return await Promise.all(
      ['/', '/etc', '/etc/systemd', '/tmp', '/var', '/run'].map((path) => files.list(path)),
    );
  };

  it('that do not exist are not enabled', async () => {
    const { units } = at.host;
    expect(await units.isEnabled('none.service')).toBe('not-found');
    expect(await units.isKnown('none.service')).toBe(false);
    expect(await problem(units.enable(['chronyd.service', 'none.service']))).toMatch(
      /^error enabling units: Failed to enable unit: Unit (file )?none\.service does not exist\.?\n$/,
    );
    expect(await problem(units.disable(['none.service']))).toMatch(
      /^error disabling unit: Failed to disable unit: Unit (file )?none\.service does not exist\.?\n$/,
    );
  });

  it('that are masked are not enabled', async () => {
    const { units, files } = at.host;
    await files.link(`${UNITS}/chronyd.service`, '/dev/null');
    expect(await units.isEnabled('chronyd.service')).toBe('masked');
    expect(await problem(units.enable(['chronyd.service']))).toBe(
      'error enabling units: Failed to enable unit: Unit file /etc/systemd/system/chronyd.service is masked.\n',
    );
  });

  it('have a command line while they run', async () => {
    const { units } = at.host;
    expect(await units.commandLine('none.service')).toBeUndefined();
    expect(await units.commandLine('static.service')).toBeUndefined();
    await units.restart('crio.service');
    expect(await units.commandLine('crio.service')).toEqual(['/usr/bin/crio']);
  });

  it('without an [Install] section are static', async () => {
    expect(await at.host.units.isEnabled('static.service')).toBe('static');
    expect(await at.host.units.isKnown('static.service')).toBe(true);
  });

  it('are enabled by links, and disabled without them', async () => {
    const { units, files } = at.host;
    const text = `${WANTED}RequiredBy=other.target\nAlias=nick.service\nAlso=helper.service\n`;
    await files.write(`${UNITS}/app.service`, file(text));
    await files.write(`${UNITS}/helper.service`, file(WANTED));
    expect(await units.isEnabled('app.service')).toBe('disabled');
    await units.enable(['app.service']);
    for (const unit of ['app.service', 'helper.service']) expect(await units.isEnabled(unit)).toBe('enabled');
    expect(await targetOf(`${UNITS}/multi-user.target.wants/app.service`)).toMatch(/app\.service$/);
    expect(await targetOf(`${UNITS}/other.target.requires/app.service`)).toMatch(/app\.service$/);
    expect(await targetOf(`${UNITS}/nick.service`)).toMatch(/app\.service$/);
    expect(await targetOf(`${UNITS}/multi-user.target.wants/helper.service`)).toMatch(/helper\.service$/);
    await units.enable(['app.service']);
    await units.disable(['app.service']);
    for (const unit of ['app.service', 'helper.service'])
      expect(await units.isEnabled(unit)).toBe('disabled');
    expect(await files.stat(`${UNITS}/nick.service`)).toBeUndefined();
    expect(await files.stat(`${UNITS}/app.service`)).toBeDefined();
  });

  it('can be instances of templates', async () => {
    const { units, files } = at.host;
    await files.write(`${UNITS}/getty@.service`, file(`${WANTED}DefaultInstance=tty1\n`));
    await units.enable(['getty@tty7.service']);
    expect(await targetOf(`${UNITS}/multi-user.target.wants/getty@tty7.service`)).toMatch(/getty@\.service$/);
    expect(await units.isEnabled('getty@tty7.service')).toBe('enabled');
    await units.enable(['getty@.service']);
    expect(await targetOf(`${UNITS}/multi-user.target.wants/getty@tty1.service`)).toMatch(/getty@\.service$/);
    await units.disable(['getty@.service']);
    expect((await files.list(`${UNITS}/multi-user.target.wants`)) ?? []).toEqual([]);
  });

  it.each([
    ['WantedBy=../..', /"\.\.\/\.\." is not a valid unit name/],
    ['RequiredBy=../../../tmp/x.target', /"\.\.\/\.\.\/\.\.\/tmp\/x\.target" is not a valid unit name/],
    ['WantedBy=/tmp/x.target', /"\/tmp\/x\.target" is not a valid unit name/],
    ['WantedBy=multi-user', /"multi-user" is not a valid unit name/],
    ['Alias=../../../tmp/b.service', /\.\.\/\.\.\/\.\.\/tmp\/b\.service/],
    ['Alias=b.target', /annot alias evil\.service as b\.target/],
    ['Alias=b@.service', /annot alias evil\.service as b@\.service/],
    ['Alias=x.target.wants/b.service', /annot alias evil\.service as x\.target\.wants\/b\.service/],
    ['Also=../../passwd', /Invalid argument/],
  ])('of which %s would lead out of the unit folders are refused', async (line, message) => {
    const { units, files } = at.host;
    await files.write(`${UNITS}/evil.service`, file(`[Service]\nExecStart=/bin/true\n[Install]\n${line}\n`));
    const before = await foldersAround();
    expect(await problem(units.enable(['evil.service']))).toMatch(message);
    expect(await foldersAround()).toEqual(before);
    expect(await files.list(UNITS)).toContain('evil.service');
    await units.disable(['evil.service']);
  });

  it('with a name that leads out have their other links', async () => {
    const { units, files } = at.host;
    await files.write(`${UNITS}/evil.service`, file(`${WANTED}WantedBy=../../../tmp/x.target\n`));
    const before = await foldersAround();
    expect(await problem(units.enable(['evil.service']))).toMatch(/is not a valid unit name/);
    expect(await foldersAround()).toEqual(before);
    expect(await targetOf(`${UNITS}/multi-user.target.wants/evil.service`)).toMatch(/evil\.service$/);
  });

  it.each([
    ['DefaultInstance=../../x\nWantedBy=multi-user.target', /Invalid argument/],
    ['WantedBy=multi-user.target', /destination unit multi-user\.target is a non-template unit/],
    ['DefaultInstance=i\nAlias=b.service', /annot alias evil@\.service as b\.service/],
  ])('that are templates with %j are refused', async (lines, message) => {
    const { units, files } = at.host;
    await files.write(
      `${UNITS}/evil@.service`,
      file(`[Service]\nExecStart=/bin/true\n[Install]\n${lines}\n`),
    );
    const before = await foldersAround();
    expect(await problem(units.enable(['evil@.service']))).toMatch(message);
    expect(await foldersAround()).toEqual(before);
    expect((await files.list(`${UNITS}/multi-user.target.wants`)) ?? []).not.toContainEqual(
      expect.stringContaining('evil'),
    );
  });

  it('may be wanted by the root file system, and by templates', async () => {
    const { units, files } = at.host;
    const text = '[Service]\nExecStart=/bin/true\n[Install]\n';
    await files.write(`${UNITS}/app.service`, file(`${text}WantedBy=-.mount\nAlso=missing.service\n`));
    await files.write(`${UNITS}/each@.service`, file(`${text}WantedBy=all@%i.target\nAlias=any@.service\n`));
    await units.enable(['app.service', 'each@one.service']);
    expect(await targetOf(`${UNITS}/-.mount.wants/app.service`)).toMatch(/app\.service$/);
    expect(await targetOf(`${UNITS}/all@one.target.wants/each@one.service`)).toMatch(/each@\.service$/);
    expect(await targetOf(`${UNITS}/any@one.service`)).toMatch(/each@\.service$/);
  });

  it('follow their presets', async () => {
    const { units, files } = at.host;
    await files.write(`${UNITS}/app.service`, file(WANTED));
    await units.preset('chronyd.service');
    await units.preset('app.service');
    expect(await units.isEnabled('chronyd.service')).toBe('enabled');
    expect(await units.isEnabled('app.service')).toBe('disabled');
    await files.write('/etc/systemd/system-preset/10-mine.preset', file('# mine\nenable a*.service\n'));
    await units.preset('app.service');
    expect(await units.isEnabled('app.service')).toBe('enabled');
    await files.write('/etc/systemd/system-preset/10-mine.preset', file('disable a[o-q]p.service\n'));
    await units.preset('app.service');
    expect(await units.isEnabled('app.service')).toBe('disabled');
  });

  it('are restarted and reloaded, and fail where they do not exist', async () => {
    const { units } = at.host;
    await units.restart('crio.service');
    await units.reload('crio');
    await units.reloadManager();
    expect(await units.failed()).toEqual([]);
    expect(await problem(units.restart('foo.service'))).toBe(
      'error running systemctl restart foo.service: Failed to restart foo.service: Unit foo.service not found.: exit status 5',
    );
    expect(await problem(units.reload('foo'))).toBe(
      'error running systemctl reload foo: Failed to reload foo.service: Unit foo.service not found.: exit status 5',
    );
  });
}
