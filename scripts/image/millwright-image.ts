/** The image of all roles but the builder: operator, controller, daemon, and the commands for people. */
import type { ImageRuntime } from '../../src/images/index.ts';
import type { ImageFile, ImageFiles } from './layers.ts';

/** Pods of the operator and the controllers run as this user; the daemon's overrides it. */
export const NOBODY = 65534;

export const MILLWRIGHT_RUNTIME: ImageRuntime = {
  User: `${NOBODY}:${NOBODY}`,
  Env: ['PATH=/usr/local/bin:/usr/bin:/bin'],
  Entrypoint: ['millwright'],
  Cmd: ['--help'],
  WorkingDir: '/',
};

/** Accounts, and the folders that runtimes mount over; with them, a read-only root needs nothing to be created. */
export function rootFiles(): ImageFiles {
  const folder = (mode: number): ImageFile => ({ kind: 'folder', mode });
  return new Map<string, ImageFile>([
    [
      'etc/passwd',
      textFile(`root:x:0:0:root:/:/bin/sh\nnobody:x:${NOBODY}:${NOBODY}:nobody:/nonexistent:/bin/sh\n`),
    ],
    ['etc/group', textFile(`root:x:0:\nnogroup:x:${NOBODY}:\n`)],
    ['etc/nsswitch.conf', textFile('hosts: files dns\n')],
    ['dev', folder(0o755)],
    ['proc', folder(0o555)],
    ['rootfs', folder(0o755)],
    ['sys', folder(0o555)],
    ['tmp', folder(0o1777)],
  ]);
}

export function textFile(content: string): ImageFile {
  return { kind: 'file', content: new TextEncoder().encode(content), mode: 0o644 };
}

export type LabelParts = {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** Of Node, for those who look after its advisories. */
  readonly nodeVersion: string;
  /** The commit. */
  readonly revision: string | undefined;
};

export function imageLabels({ title, description, version, nodeVersion, revision }: LabelParts) {
  return {
    'org.opencontainers.image.title': title,
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.version': version,
    ...(revision === undefined ? {} : { 'org.opencontainers.image.revision': revision }),
    'millwright.dev/node-version': nodeVersion,
  };
}
