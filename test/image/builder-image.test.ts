/** What `npm run image -- --builder` adds for the builder, without the programs of the machine. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  BUILD_USER,
  BUILDER_RUNTIME,
  builderFiles,
  builderSettings,
  fileCapability,
} from '../../scripts/image/builder-image.ts';
import { layerItems } from '../../scripts/image/layers.ts';
import { untar, writeTar } from '../../src/images/index.ts';

const containerfile = readFileSync('images/builder/Containerfile', 'utf8');
const settings = builderSettings();
const textOf = (path: string) => {
  const file = settings.get(path);
  return file?.kind === 'file' ? new TextDecoder().decode(file.content) : undefined;
};

describe('the image of the builder without a base image', () => {
  it('has the user, the ids and the environment of the Containerfile', () => {
    const ranges = (textOf('etc/subuid') ?? '').trimEnd().replace('\n', '\\n');
    expect(containerfile).toContain(`printf '${ranges}\\n' > /etc/subuid`);
    expect(textOf('etc/subgid')).toBe(textOf('etc/subuid'));
    expect(containerfile).toContain(`useradd --uid ${BUILD_USER} --create-home build`);
    const environment = /^ENV (.*)$/m.exec(containerfile)?.[1]?.split(' ');
    expect(BUILDER_RUNTIME.Env.slice(1)).toEqual(environment);
    expect(containerfile).toContain(`CMD ${JSON.stringify(BUILDER_RUNTIME.Cmd).replace(',', ', ')}`);
    expect(containerfile).toContain(`WORKDIR ${BUILDER_RUNTIME.WorkingDir}`);
  });

  it('gives the storage of builds to their user', () => {
    const unpacked = untar(writeTar(layerItems(settings, 0)));
    const entries = unpacked.kind === 'ok' ? unpacked.value : [];
    const owners = new Map(entries.map(({ path, uid, gid }) => [path, [uid, gid]]));
    for (const path of ['home/build', 'home/build/.local/share/containers'])
      expect(owners.get(path), path).toEqual([BUILD_USER, BUILD_USER]);
    for (const path of ['home', 'etc/passwd', 'etc/subuid']) expect(owners.get(path), path).toEqual([0, 0]);
  });

  it('trusts the authorities of Node and no key of the machine', () => {
    expect(textOf('etc/ssl/certs/ca-certificates.crt')).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(textOf('etc/ssl/certs/ca-certificates.crt')).not.toContain('PRIVATE KEY');
  });

  it('lets newuidmap set user ids without the setuid bit', () => {
    // As setcap cap_setuid=ep writes it.
    expect(Buffer.from(fileCapability(7)).toString('hex')).toBe('0100000280000000000000000000000000000000');
    const content = new Uint8Array();
    const attributes = { 'security.capability': fileCapability(7) };
    const archive = Buffer.from(
      writeTar([{ kind: 'file', path: 'usr/bin/newuidmap', mode: 0o755, mtime: 0, content, attributes }]),
    );
    const at = archive.indexOf('SCHILY.xattr.security.capability=');
    const length = Number(archive.subarray(512, at).toString().trim());
    expect(archive[512 + length - 1]).toBe(0x0a);
    expect(length).toBe('57 SCHILY.xattr.security.capability='.length + 20 + 1);
  });

  it('is refused with one line where a program is missing', () => {
    expect(() => builderFiles('/nowhere')).toThrow('no buildah in PATH: install it (Debian: buildah)');
  });
});
