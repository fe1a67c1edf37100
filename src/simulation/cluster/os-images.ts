/**
 * The registry of a simulation and its OS images: small ones, with what a daemon looks at.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { Failure } from '../../base/errors.ts';
import type { ImageTree, PulledImage, PullImage, TreeEntry } from '../../node/host/index.ts';

/** The OS of new machines. */
export const FIRST_OS = osImage(1);

/** The reference of the n-th OS image. */
export function osImage(number: number): string {
  return `registry.example/os@${digest(number)}`;
}

export class SimulatedRegistry {
  /** No connection at all. */
  isDown: boolean = false;
  readonly #lost = new Set<string>();
  readonly #find: FindImage;
  /** What builds have pushed, by reference with digest. */
  readonly #built = new Map<string, BuiltOsImage>();
  /** Whether or not they are still there. */
  readonly #everBuilt = new Map<string, BuiltOsImage>();
  /** References with digest by tag. */
  readonly #tags = new Map<string, string>();
  readonly #removalListeners: ((reference: string) => void)[] = [];

  /** `find`: which images there are; by default those of `osImage`. */
  constructor(find: FindImage = numberedImage) {
    this.#find = find;
  }

  lose(reference: string): void {
    this.#lost.add(reference);
  }

  restore(): void {
    this.isDown = false;
    this.#lost.clear();
  }

  /** Returns the reference with digest. */
  push(tag: string, image: BuiltOsImage): string {
    const reference = `${tag.replace(/:[^:/]*$/, '')}@${image.digest}`;
    this.#built.set(reference, image);
    this.#everBuilt.set(reference, image);
    this.#tags.set(tag, reference);
    return reference;
  }

  /** The images of builds that are there. */
  get built(): ReadonlyMap<string, BuiltOsImage> {
    return this.#built;
  }

  /** Also those that were deleted since. */
  get everBuilt(): ReadonlyMap<string, BuiltOsImage> {
    return this.#everBuilt;
  }

  /** The digest that a tag stands for. */
  digestOf(tag: string): string | undefined {
    return this.#tags.get(tag)?.split('@')[1];
  }

  /** With its tags, for good, and without a word to listeners: somebody else did it. */
  drop(reference: string): void {
    this.#built.delete(reference);
    for (const [tag, tagged] of this.#tags) if (tagged === reference) this.#tags.delete(tag);
  }

  /** At the request of the builder. */
  remove(reference: string): void {
    if (this.#built.has(reference)) for (const listener of this.#removalListeners) listener(reference);
    this.drop(reference);
  }

  onRemoval(listener: (reference: string) => void): void {
    this.#removalListeners.push(listener);
  }

  /** Of the medium that machines are installed from. */
  readonly medium: PullImage = async (reference) => this.#find(reference) ?? imageOf(1);

  readonly pull: PullImage = async (reference) => {
    if (this.isDown) throw unreachable(reference);
    const found = this.#built.get(reference) ?? this.#find(reference);
    if (found === undefined || this.#lost.has(reference)) throw unknown(reference);
    return found;
  };
}

/** An OS image that a build has pushed, and what it was made of. */
export type BuiltOsImage = PulledImage & {
  readonly base: string;
  readonly containerfile: string;
};

type FindImage = (reference: string) => PulledImage | undefined;

/**
 * Any image: what is in it depends on nothing but its name. `units`: of services that it comes with, beside its own; all of them run.
 */
export function imagesOfAnyName(units: readonly string[]): FindImage {
  const known = new Map<string, PulledImage>();
  return (reference) => {
    const found = known.get(reference) ?? namedImage(reference, units);
    known.set(reference, found);
    return found;
  };
}

function namedImage(reference: string, units: readonly string[]): PulledImage {
  const hash = bytesToHex(sha256(utf8ToBytes(reference)));
  const version = `9.6.${Number.parseInt(hash.slice(0, 6), 16)}`;
  const named = /@(sha256:[0-9a-f]{64})$/.exec(reference)?.[1];
  const services = [...new Set([...USUAL_UNITS, ...units])];
  const wanted = ['crio.service', ...services].map((unit) =>
    link(`/etc/systemd/system/multi-user.target.wants/${unit}`, `/usr/lib/systemd/system/${unit}`),
  );
  const tree: ImageTree = new Map([...LAYOUT, ...wanted, ...treeOf(version, services)]);
  return { digest: named ?? `sha256:${hash}`, version, createdAt: CREATED_AT, labels: {}, tree };
}

const USUAL_UNITS = ['kubelet.service', 'sshd.service', 'NetworkManager.service', 'chronyd.service'];

/** Of an image-based OS: what may be written lies in /etc and /var. */
const LAYOUT: ImageTree = new Map<string, TreeEntry>([
  ...['home', 'mnt', 'opt', 'srv'].map((name) => link(`/${name}`, `var/${name}`)),
  ...[link('/root', 'var/roothome'), link('/usr/local', '../var/usrlocal')],
  ...['home', 'mnt', 'opt', 'roothome', 'srv', 'tmp', 'usrlocal'].map((name) => folder(`/var/${name}`)),
  ...['/run', '/tmp', '/etc/kubernetes', '/etc/systemd/system'].map(folder),
]);

function link(path: string, target: string): [string, TreeEntry] {
  return [path, { kind: 'link', target }];
}

function folder(path: string): [string, TreeEntry] {
  return [path, { kind: 'folder', mode: 0o755 }];
}

function numberedImage(reference: string): PulledImage | undefined {
  const number = numberOf(reference);
  return number === undefined ? undefined : imageOf(number);
}

const CREATED_AT = '2026-01-01T00:00:00Z';
const images = new Map<number, PulledImage>();

function imageOf(number: number): PulledImage {
  const known = images.get(number);
  if (known !== undefined) return known;
  const version = `9.6.${number}`;
  const image: PulledImage = {
    ...{ digest: digest(number), version, createdAt: CREATED_AT, labels: {} },
    tree: treeOf(version, []),
  };
  images.set(number, image);
  return image;
}

function digest(number: number): string {
  return `sha256:${number.toString(16).padStart(64, '0')}`;
}

function numberOf(reference: string): number | undefined {
  const hex = /^registry\.example\/os@sha256:([0-9a-f]{64})$/.exec(reference)?.[1];
  return hex === undefined ? undefined : Number.parseInt(hex, 16);
}

function treeOf(version: string, units: readonly string[]): ImageTree {
  const release = `ID=scos\nVARIANT_ID=coreos\nVERSION_ID="9.6"\nOSTREE_VERSION="${version}"\n`;
  const files: Readonly<Record<string, string>> = {
    '/usr/lib/os-release': release,
    '/etc/passwd': 'root:x:0:0:root:/root:/bin/bash\ncore:x:1000:1000:Core:/var/home/core:/bin/bash\n',
    '/etc/group': 'root:x:0:\ncore:x:1000:\n',
    '/etc/shadow': 'root:*:1::::::\ncore:*:1::::::\n',
    ...Object.fromEntries(
      ['crio.service', ...units].map((name) => [`/usr/lib/systemd/system/${name}`, SERVICE]),
    ),
    '/usr/lib/sysimage/packages': 'kernel\nkernel-core\n',
  };
  return new Map(
    Object.entries(files).map(([path, text]): [string, TreeEntry] => [
      path,
      { kind: 'file', bytes: new TextEncoder().encode(text), mode: 0o644 },
    ]),
  );
}

const SERVICE =
  '[Service]\nExecStart=/usr/bin/true\nExecReload=/usr/bin/true\n[Install]\nWantedBy=multi-user.target\n';

function unreachable(reference: string): Failure {
  const message = `pinging container registry of ${reference}: dial tcp: connect: connection refused`;
  return new Failure('stalled', 'Unreachable', message);
}

function unknown(reference: string): Failure {
  const [name = '', tag = 'latest'] = reference.split('@');
  return new Failure('stalled', 'ManifestUnknown', `reading manifest ${tag} in ${name}: manifest unknown`);
}
