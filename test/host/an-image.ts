/**
 * OS images for tests, and a puller that needs no network.
 */
import { Failure } from '../../src/base/errors.ts';
import type { ImageTree, PulledImage, PullImage, TreeEntry } from '../../src/node/host/index.ts';

export type TestImage = {
  readonly digest?: string;
  readonly version?: string;
  /** Contents by path. `-> TARGET` is a link. */
  readonly files?: Readonly<Record<string, string>>;
};

const CRIO =
  '[Unit]\nDescription=Containers\n[Service]\nExecStart=/usr/bin/crio\nExecReload=/bin/kill -s HUP $MAINPID\n[Install]\nWantedBy=multi-user.target\n';

const FILES: Readonly<Record<string, string>> = {
  '/usr/lib/os-release': 'ID=scos\nVARIANT_ID=coreos\nVERSION_ID="9.6"\nOSTREE_VERSION="9.6.1"\n',
  '/etc/passwd': 'root:x:0:0:root:/root:/bin/bash\ncore:x:1000:1000:Core:/var/home/core:/bin/bash\n',
  '/etc/group': 'root:x:0:\ncore:x:1000:\n',
  '/etc/shadow': 'root:*:1::::::\ncore:*:1::::::\n',
  '/etc/hosts': '127.0.0.1 localhost\n',
  '/usr/lib/systemd/system/crio.service': CRIO,
  '/usr/lib/systemd/system/multi-user.target.wants/crio.service': '-> ../crio.service',
  '/usr/lib/systemd/system/static.service': '[Service]\nExecStart=/usr/bin/true\n',
  '/usr/lib/systemd/system/chronyd.service':
    '[Service]\nExecStart=/usr/bin/true\n[Install]\nWantedBy=multi-user.target\nAlias=ntp.service\n',
  '/usr/lib/systemd/system-preset/90-default.preset': 'enable chronyd.service\ndisable *\n',
  '/usr/local': '-> ../var/usrlocal',
  '/usr/lib/sysimage/packages': 'kernel\nkernel-core\nglibc\n',
};

export function anImage({ digest = 'a', version = '9.6.1', files = {} }: TestImage = {}): PulledImage {
  return {
    digest: `sha256:${digest.repeat(64).slice(0, 64)}`,
    version,
    createdAt: '2026-01-02T03:04:05Z',
    labels: {},
    tree: aTree({ ...FILES, ...files }),
  };
}

export function aTree(files: Readonly<Record<string, string>>): ImageTree {
  return new Map(
    Object.entries(files).map(([path, text]): [string, TreeEntry] => {
      if (text.startsWith('-> ')) return [path, { kind: 'link', target: text.slice(3) }];
      return [path, { kind: 'file', bytes: new TextEncoder().encode(text), mode: 0o644 }];
    }),
  );
}

/** Pulls the images of the record; fails for others like a registry. */
export function pullFrom(images: Readonly<Record<string, PulledImage>>): PullImage {
  return async (reference) => {
    const image = images[reference];
    if (image !== undefined) return image;
    const [name = '', digest] = reference.split('@');
    const tag = digest ?? /:([^:/]+)$/.exec(name)?.[1] ?? 'latest';
    const message = `reading manifest ${tag} in ${name.replace(/:[^:/]+$/, '')}: manifest unknown`;
    throw new Failure('stalled', 'ManifestUnknown', message);
  };
}
