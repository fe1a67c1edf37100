import { describe, expect, it } from 'vitest';
import type { BuiltImage } from '../../images/build-image.ts';
import { type ImageConfig, parseImageConfig } from '../../images/image-config.ts';
import { type Manifest, parseManifest } from '../../images/manifest.ts';
import { unpackLayers } from '../../images/unpack-layer.ts';
import { parseImageDescription } from './image-folder.ts';
import { readImageFolder } from './image-folder-node.ts';
import { buildOsImage, type ExtraFile, type ImageVariation } from './os-image.ts';
import { packageDiff } from './package-diff.ts';

const folder = await readImageFolder('images/base-os');
const text = (value: string) => new TextEncoder().encode(value);

function opened({ blobs, manifests }: BuiltImage, architecture: string) {
  const built = manifests.find(({ descriptor }) => descriptor.platform?.architecture === architecture);
  const parsed = parseManifest(built?.bytes ?? new Uint8Array(), built?.descriptor.mediaType ?? '');
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  const manifest = parsed.value as Manifest;
  const blob = (digest: string) => blobs.get(digest) ?? new Uint8Array();
  const config = (parseImageConfig(blob(manifest.config.digest)) as { readonly value: ImageConfig }).value;
  const layers = manifest.layers.map(({ digest }, number) => ({
    bytes: blob(digest),
    diffId: config.diffIds[number] ?? '',
  }));
  const unpacked = unpackLayers(layers);
  if (unpacked.kind === 'invalid') throw new Error(JSON.stringify(unpacked.problems));
  const read = (path: string) => {
    const entry = unpacked.value.get(path);
    return entry?.kind === 'file' ? new TextDecoder().decode(entry.content) : entry?.kind;
  };
  return { manifest, config, tree: unpacked.value, read };
}

const image = (variation?: ImageVariation) => buildOsImage(folder, variation);

describe('the base OS image', () => {
  it('has the same digest on every machine', () => {
    // Whoever changes a file of the image, or how images are written, changes this.
    expect(image().top.descriptor.digest).toBe(
      'sha256:7bcdc39a16cd4db3b1a237a640cf421c52847384ff0c25ea5155bd157e8cffdc',
    );
  });

  it('is a CoreOS for each architecture', () => {
    for (const [architecture, packages] of [
      ['amd64', 'x86_64'],
      ['arm64', 'aarch64'],
    ] as const) {
      const { config, read } = opened(image(), architecture);
      expect(config).toMatchObject({
        os: 'linux',
        architecture,
        created: '2026-01-01T00:00:00Z',
        labels: { version: '1.20260101.0', 'ostree.linux': `6.12.0-1.${packages}`, 'containers.bootc': '1' },
      });
      expect(read('usr/lib/os-release')).toMatch(/^VARIANT_ID=coreos$/m);
      expect(read('usr/lib/sysimage/packages')).toContain(`kernel-6.12.0-1.${packages}\n`);
      expect(read(`usr/lib/modules/6.12.0-1.${packages}/vmlinuz`)).toContain('6.12.0-1');
    }
  });

  it('has the units of a node, and nothing that is not filled in', () => {
    const { tree, read } = opened(image(), 'amd64');
    for (const unit of ['crio.service', 'kubelet.service', 'sshd.service']) {
      expect(read(`usr/lib/systemd/system/${unit}`)).toContain('[Service]');
    }
    for (const path of tree.keys()) expect(`${path} ${read(path)}`).not.toMatch(/@[A-Z]+@/);
  });

  it('has modes of files and directories as described', () => {
    const { tree } = opened(image(), 'amd64');
    expect(tree.get('etc/shadow')?.mode).toBe(0);
    expect(tree.get('tmp')?.mode).toBe(0o1777);
    expect(tree.get('usr/bin/dnf')?.mode).toBe(0o755);
    expect(tree.get('var')?.mode).toBe(0o755);
  });

  it('has scripts that can be executed, in the image and in its packages', () => {
    const { tree } = opened(image(), 'amd64');
    const scripts = [...tree].filter(([path, { kind }]) => kind === 'file' && /\/s?bin\/[^/]+$/.test(path));
    expect(scripts.length).toBeGreaterThan(5);
    for (const [path, { mode }] of scripts) expect(mode, path).toBe(0o755);
  });

  it('has no dangling symlinks', () => {
    const { tree } = opened(image(), 'amd64');
    const links = [...tree].flatMap(([path, entry]) =>
      entry.kind === 'symlink' ? [[path, entry.target]] : [],
    );
    expect(links.length).toBeGreaterThan(3);
    for (const [path = '', target = ''] of links) {
      const lead = new URL(target, `file:///${path}`).pathname.slice(1);
      expect(tree.has(lead), `${path} → ${target}`).toBe(true);
    }
  });
});

describe('the next OS image', async () => {
  const next = await readImageFolder('images/next-os');

  it('is a newer version of the base image, with its files', () => {
    const [base, newer] = [opened(image(), 'amd64'), opened(buildOsImage(next), 'amd64')];
    expect(newer.config).toMatchObject({
      created: '2026-02-01T00:00:00Z',
      labels: { version: '1.20260201.0' },
    });
    expect(newer.read('usr/lib/os-release')).toContain('VERSION_ID="1.20260201.0"');
    const withoutKernel = ({ tree }: typeof base) =>
      [...tree.keys()].filter((path) => !path.includes('/modules/'));
    expect(withoutKernel(newer)).toEqual(withoutKernel(base));
  });

  it('only has packages that are newer or the same', () => {
    const packages = (from: ReturnType<typeof opened>) =>
      (from.read('usr/lib/sysimage/packages') ?? '').split('\n').filter((line) => line !== '');
    const [base, newer] = [packages(opened(image(), 'amd64')), packages(opened(buildOsImage(next), 'amd64'))];
    expect(packageDiff(base, newer)).toBe('12 upgraded');
    expect(packageDiff(newer, base)).toBe('12 downgraded');
  });

  it('shares the layer of the shell with the base image', () => {
    const shell = { architecture: 'amd64', program: text('a program') };
    const [base, newer] = [opened(image({ shell }), 'amd64'), opened(buildOsImage(next, { shell }), 'amd64')];
    expect(newer.manifest.layers[1]).toEqual(base.manifest.layers[1]);
    expect(newer.manifest.layers[0]).not.toEqual(base.manifest.layers[0]);
  });
});

describe('a variant', () => {
  it('of another version is another image of the same kind', () => {
    const { config, read } = opened(image({ version: '2.0', kernel: '6.13.0-1' }), 'arm64');
    expect(read('usr/lib/os-release')).toContain('VERSION_ID="2.0"');
    expect(config.labels).toMatchObject({ version: '2.0', 'ostree.linux': '6.13.0-1.aarch64' });
  });

  it('with other files shares the layer below', () => {
    const files = new Map<string, ExtraFile | 'removed'>([
      ['usr/bin/tool', { kind: 'file', content: text('#!/bin/sh\n'), mode: 0o755 }],
      ['usr/bin/alias', { kind: 'symlink', target: 'tool' }],
      ['usr/lib/systemd/system/chronyd.service', 'removed'],
      ['usr/etc/hosts', { kind: 'file', content: text('@VERSION@') }],
    ]);
    const [plain, varied] = [opened(image(), 'amd64'), opened(image({ files, labels: { x: 'y' } }), 'amd64')];
    expect(varied.manifest.layers[0]).toEqual(plain.manifest.layers[0]);
    expect(varied.manifest.layers.length).toBe(2);
    expect(varied.tree.get('usr/bin/tool')?.mode).toBe(0o755);
    expect(varied.read('usr/bin/alias')).toBe('symlink');
    expect(varied.read('usr/lib/systemd/system/chronyd.service')).toBeUndefined();
    expect(varied.read('usr/etc/hosts')).toBe('@VERSION@');
    expect(varied.config.labels.x).toBe('y');
  });

  it('with a shell has it in the image of its architecture, below other files', () => {
    const program = text('a program');
    const files = new Map<string, ExtraFile>([['usr/bin/awk', { kind: 'file', content: text('another') }]]);
    const varied = image({ shell: { architecture: 'arm64', program }, files });
    const [amd64, arm64] = [opened(varied, 'amd64'), opened(varied, 'arm64')];
    expect(amd64.read('usr/bin/busybox')).toBeUndefined();
    expect(amd64.read('usr/bin/sh')).toBeUndefined();
    expect(arm64.read('usr/bin/busybox')).toBe('a program');
    expect(arm64.tree.get('usr/bin/busybox')?.mode).toBe(0o755);
    expect(arm64.tree.get('usr/bin/sh')).toMatchObject({ kind: 'symlink', target: 'busybox' });
    expect(arm64.read('usr/bin/awk')).toBe('another');
    expect(arm64.read('usr/bin/bash')).toContain('#!/usr/bin/busybox sh');
  });

  it('of one architecture has one image', () => {
    expect(image({ architectures: ['amd64'] }).manifests.length).toBe(1);
  });
});

describe('parseImageDescription', () => {
  it.each([
    ['no JSON', 'nothing', ''],
    ['no version', '{"created": "2026-01-01T00:00:00Z", "kernel": "1"}', 'version'],
    ['a time that is none', '{"version": "1", "kernel": "1", "created": "now"}', 'created'],
    [
      'a link that leads out',
      '{"version": "1", "kernel": "1", "created": "2026-01-01T00:00:00Z", "symlinks": {"a": "../x"}}',
      'symlinks["a"]',
    ],
    [
      'a mode that is none',
      '{"version": "1", "kernel": "1", "created": "2026-01-01T00:00:00Z", "modes": {"a": "rwx"}}',
      'modes["a"]',
    ],
    [
      'a command with a path',
      '{"version": "1", "kernel": "1", "created": "2026-01-01T00:00:00Z", "applets": ["../sh"]}',
      'applets',
    ],
  ])('refuses %s', (_, value, path) => {
    const outcome = parseImageDescription(value);
    expect(outcome.kind === 'invalid' && outcome.problems[0]?.path).toBe(path);
  });
});
