/**
 * The image of the builder and of build pods: the image of Millwright with `buildah` of this machine, for an ordinary user. The equal of
 * `images/builder/Containerfile` without a base image.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { Failure } from '../../src/base/errors.ts';
import type { ImageRuntime } from '../../src/images/index.ts';
import type { ImageFile, ImageFiles } from './layers.ts';
import { textFile } from './millwright-image.ts';
import { programWithLibraries } from './runtime.ts';

/** Builds run as this user. Its ids are below 65536, so that they exist in pods with a user namespace too. */
export const BUILD_USER = 1000;
const HOME = '/home/build';

/** `file capability`: as root by the setuid bit they would need CAP_SYS_ADMIN, which pods do not have. */
const PROGRAMS: readonly (readonly [name: string, debian: string, capability?: number])[] = [
  ['buildah', 'buildah'],
  ['unshare', 'util-linux'],
  ['newgidmap', 'uidmap', 6],
  ['newuidmap', 'uidmap', 7],
];

export const BUILDER_RUNTIME: ImageRuntime = {
  User: `${BUILD_USER}:${BUILD_USER}`,
  Env: [
    'PATH=/usr/local/bin:/usr/bin:/bin',
    `HOME=${HOME}`,
    'BUILDAH_ISOLATION=chroot',
    'STORAGE_DRIVER=vfs',
  ],
  Cmd: ['millwright', 'builder'],
  WorkingDir: HOME,
};

/** What it has beyond the image of Millwright; its accounts replace those. */
export function builderFiles(searchPath = process.env.PATH ?? ''): ImageFiles {
  const files = new Map<string, ImageFile>(builderSettings());
  for (const [name, debian, capability] of PROGRAMS) {
    const found = programWithLibraries(programIn(searchPath, name, debian), `usr/bin/${name}`);
    for (const [path, file] of found) files.set(path, file);
    const program = found.get(`usr/bin/${name}`);
    if (program?.kind === 'file' && capability !== undefined) {
      const attributes = { 'security.capability': fileCapability(capability) };
      files.set(`usr/bin/${name}`, { ...program, attributes });
    }
  }
  return files;
}

export function builderSettings(): ImageFiles {
  // All ids below 65536 but the user's own.
  const ranges = textFile(`build:1:${BUILD_USER - 1}\nbuild:${BUILD_USER + 1}:${65535 - BUILD_USER}\n`);
  const own = (mode: number): ImageFile => ({ kind: 'folder', mode, owner: BUILD_USER });
  const home = HOME.slice(1);
  return new Map<string, ImageFile>([
    [
      'etc/passwd',
      textFile(
        `root:x:0:0:root:/root:/bin/sh\nbuild:x:${BUILD_USER}:${BUILD_USER}::${HOME}:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n`,
      ),
    ],
    ['etc/group', textFile(`root:x:0:\nbuild:x:${BUILD_USER}:\nnogroup:x:65534:\n`)],
    ['etc/subuid', ranges],
    ['etc/subgid', ranges],
    // Signatures are the business of nodes; this is the default of the tools.
    ['etc/containers/policy.json', textFile('{"default":[{"type":"insecureAcceptAnything"}]}\n')],
    // Those of Node: the machine's may have some of its own.
    ['etc/ssl/certs/ca-certificates.crt', textFile(`${rootCertificates.join('\n')}\n`)],
    [home, own(0o755)],
    [`${home}/.local`, own(0o755)],
    [`${home}/.local/share`, own(0o755)],
    [`${home}/.local/share/containers`, own(0o755)],
    ['var/tmp', { kind: 'folder', mode: 0o1777 }],
  ]);
}

/** The value of `security.capability`, version 2: this one, permitted and effective. */
export function fileCapability(number: number): Uint8Array {
  const bytes = new Uint8Array(20);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x02000001, true);
  view.setUint32(4, 2 ** number, true);
  return bytes;
}

function programIn(searchPath: string, name: string, debian: string): string {
  for (const folder of searchPath.split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // The next folder may have it.
    }
  }
  throw new Failure('usage', 'NoProgram', `no ${name} in PATH: install it (Debian: ${debian})`);
}
