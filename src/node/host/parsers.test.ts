import { describe, expect, it } from 'vitest';
import { groupIn, passwordHashIn, userIn, withPasswordHash } from './account-files.ts';
import { parseBootcStatus } from './bootc-tool.ts';
import { packTree, systemTree, unpackTree } from './image-tree.ts';
import { enterpriseVersion } from './linux-bootloader.ts';
import { isPermissive, patchedPolicy } from './linux-local-image.ts';
import { failedUnits } from './linux-units.ts';
import { parseLocalImages } from './local-images.ts';
import { parseOsRelease } from './os-release.ts';
import { imageOfReference, ostreeStatus, parseOstreeStatus } from './ostree-status.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('os-release', () => {
  it.each([
    ['ID=rhcos\nVERSION_ID="4.16"\nOSTREE_VERSION=416.94.1', 'rhcos', '416.94.1', true, true],
    ['ID="rhel"\nVARIANT_ID=coreos\nVERSION_ID="9.6"', 'rhel', '9.6', true, true],
    ['ID=fedora\nVARIANT_ID=coreos\nVERSION_ID=42', 'fedora', '42', true, false],
    ["ID='debian'\nVERSION_ID='12'", 'debian', '12', false, false],
    ['NAME="a \\"b\\""\n# ID=x\nnonsense', '', '', false, false],
  ])('%j', (text, id, version, isImageBased, isEnterpriseLinux) => {
    expect(parseOsRelease(text)).toMatchObject({ id, version, isImageBased, isEnterpriseLinux });
  });
});

describe('the status of rpm-ostree', () => {
  it.each(['', 'null', '[]', '{}', '{"deployments":3}', 'x'])('is rejected where it is %j', (text) => {
    expect(() => parseOstreeStatus(text)).toThrow('failed to parse rpm-ostree status');
  });

  it('is parsed from the output of old and new versions', () => {
    const text = JSON.stringify({
      deployments: [
        { staged: true, 'container-image-reference': 'ostree-unverified-registry:q.io/a:1', checksum: 'c' },
        {
          booted: true,
          'custom-origin': ['pivot://q.io/b', 'x'],
          'base-checksum': 'b',
          checksum: 'c',
          version: '1',
        },
        { 'requested-packages': ['a', 3], 'requested-base-removals': 'x' },
        {
          'requested-local-packages': ['b'],
          'requested-local-fileoverride-packages': ['c'],
          'requested-base-local-replacements': ['d'],
        },
        null,
      ],
    });
    expect(parseOstreeStatus(text)).toMatchObject([
      { image: 'q.io/a:1', isStaged: true, isBooted: false, commit: 'c' },
      { image: 'q.io/b', isBooted: true, commit: 'b', version: '1' },
      { image: '', layeredPackages: ['a'], removedPackages: [] },
      { layeredPackages: [], localPackages: ['b', 'c', 'd'] },
    ]);
  });

  it('is rejected with an unknown transport', () => {
    expect(() => imageOfReference('docker://x')).toThrow('unknown scheme in docker://x');
  });

  it('is printed with layered and removed packages', () => {
    const one = {
      ...{
        isBooted: false,
        isStaged: true,
        image: 'x',
        version: '1',
        commit: 'c',
        timestamp: 't',
        reference: '',
      },
      layeredPackages: ['a', 'b'],
      removedPackages: ['kernel'],
    };
    expect(
      ostreeStatus([
        one,
        { ...one, isBooted: true, digest: 'sha256:1', reference: 'ostree-unverified-registry:x' },
      ]),
    ).toBe(
      [
        'State: idle',
        'Deployments:',
        '  c',
        '                  Version: 1 (t)',
        '      RemovedBasePackages: kernel',
        '          LayeredPackages: a b',
        '',
        '* ostree-unverified-registry:x',
        '                   Digest: sha256:1',
        '                  Version: 1 (t)',
        '      RemovedBasePackages: kernel',
        '          LayeredPackages: a b',
        '',
      ].join('\n'),
    );
  });
});

describe('the status of bootc', () => {
  it('is parsed without a throw from any JSON', () => {
    expect(() => parseBootcStatus('x')).toThrow('failed to parse bootc status: it is not JSON');
    for (const text of ['null', '{}', '{"status":[]}', '{"status":{"booted":3}}']) {
      expect(parseBootcStatus(text)).toEqual([]);
    }
  });
});

describe('the tree of an image', () => {
  it('contains only the files of the OS', () => {
    const entry = { kind: 'file', bytes: bytes('x'), mode: 0o644 } as const;
    const paths = [
      '/usr/a',
      '/etc/b',
      '/var/c',
      '/usr/../d',
      '/usr//e',
      'usr/f',
      '/usr',
      '/etc',
      '/usr/g\0',
      '/usr/./h',
    ];
    const tree = systemTree(new Map(paths.map((path) => [path, entry])));
    expect([...tree.keys()].sort()).toEqual(['/usr/a', '/usr/etc/b']);
  });

  it('is restored from its packed form', () => {
    const tree = new Map([
      ['/usr/a', { kind: 'file', bytes: new Uint8Array([0, 255, 10]), mode: 0o755 } as const],
      ['/usr/b', { kind: 'link', target: 'a' } as const],
      ['/usr/c', { kind: 'folder', mode: 0o700 } as const],
    ]);
    expect(unpackTree(packTree(tree))).toEqual(tree);
    expect(unpackTree(packTree(new Map()))).toEqual(new Map());
  });

  it('is restored from the form of older versions, with contents in base64', () => {
    const text = '[{"path":"/usr/a","kind":"file","bytes":"AP8K","mode":493}]\n';
    const a = { kind: 'file', bytes: new Uint8Array([0, 255, 10]), mode: 0o755 };
    expect(unpackTree(bytes(text))).toEqual(new Map([['/usr/a', a]]));
  });

  it('cannot be restored from anything else', () => {
    for (const text of [
      '',
      '{',
      '3',
      '[{"path":"/x","kind":"file","mode":1,"size":3}]\nab',
      '[{"path":"/x","kind":"file","mode":1,"size":-1}]\nab',
      '[{"path":"/x","kind":"file","mode":1}]\nab',
      '[3]',
      '[{"path":"/x","kind":"file","mode":1,"bytes":"?"}]',
      '[{"path":"/x","kind":"link"}]',
    ]) {
      expect(() => unpackTree(bytes(text))).toThrow('cannot be read');
    }
  });
});

describe('the signature policy of a machine', () => {
  const accept = { type: 'insecureAcceptAnything' };

  it.each([
    [{ default: [accept] }, true],
    [{ default: [accept], transports: { docker: {} } }, true],
    [{ default: [accept], transports: { 'containers-storage': {} } }, false],
    [{ default: [{ type: 'reject' }] }, false],
    [{ default: [accept, accept] }, false],
    [{}, false],
  ])('%j accepts everything: %s', (policy, isSo) => {
    expect(isPermissive(policy)).toBe(isSo);
  });

  it('accepts one more image, and keeps its other rules', () => {
    const policy = {
      default: [{ type: 'reject' }],
      transports: { docker: { a: [] }, 'containers-storage': { b: [] } },
    };
    expect(patchedPolicy(policy, '[overlay@/x]y@z')).toEqual({
      default: [{ type: 'reject' }],
      transports: { docker: { a: [] }, 'containers-storage': { b: [], '[overlay@/x]y@z': [accept] } },
    });
  });
});

describe('other parsers', () => {
  it('read accounts', () => {
    const shadow = 'root:*:1:::::\ncore:x:2:::::\nlonely\n';
    expect(withPasswordHash(shadow, { user: 'core', hash: 'y$&' })).toBe(
      'root:*:1:::::\ncore:y$&:2:::::\nlonely\n',
    );
    expect(passwordHashIn(shadow, 'lonely')).toBeUndefined();
    expect(userIn('a:x:notnumber:1:', 'a')).toBeUndefined();
    expect(groupIn('a:x:99999999999:', 'a')).toBeUndefined();
  });

  it('read versions', () => {
    expect(enterpriseVersion('418.94.202410090804-0')).toEqual([9, 4]);
    expect(enterpriseVersion('9.6.20251013-1')).toEqual([9, 6]);
    expect(enterpriseVersion('x')).toEqual([0, 0]);
  });

  it('read failed units', () => {
    expect(failedUnits('● a.service loaded failed failed A\n  b.timer loaded failed\n\n')).toEqual([
      'a.service',
      'b.timer',
    ]);
  });

  it('read image references', () => {
    expect(parseLocalImages('')).toEqual([]);
    expect(parseLocalImages('{}')).toEqual([]);
    expect(parseLocalImages('[{"Id":"a","RepoDigests":["x",3]},{}]')).toEqual([
      { id: 'a', repoDigests: ['x'] },
      { id: '', repoDigests: [] },
    ]);
  });
});
