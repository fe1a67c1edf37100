/**
 * The port to one machine: what the daemon may ask of it. It neither decides nor retries.
 *
 * What goes wrong is thrown as a `Failure` whose text is what people know from such machines: `rename A B: file exists`,
 * `error running CMD ARGS: STDERR: exit status 1`. Paths are absolute paths of the machine; a symlink on the way is
 * followed within the machine's root and never leads out of it.
 *
 * A power cut may come between any two calls and within any of them. What a call says is durable, is.
 */

export interface Host {
  readonly files: HostFiles;
  readonly units: HostUnits;
  readonly os: HostOs;
  readonly accounts: HostAccounts;
  /** Another one after every boot. */
  bootId(): Promise<string>;
  /** Asks for a reboot and returns once it is queued; the daemon is stopped some time later. */
  reboot(rationale: string): Promise<void>;
  /** A line for the machine's own journal. Never fails: nobody could act on it. */
  note(text: string): Promise<void>;
}

export type FileKind = 'file' | 'folder' | 'link' | 'other';

export type FileStat = {
  readonly kind: FileKind;
  /** Permission bits with setuid, setgid and sticky: 0o0 to 0o7777. */
  readonly mode: number;
  readonly sizeBytes: number;
  readonly owner: Owner;
  /** Of a link, as it is written. */
  readonly target?: string;
};

export type Owner = { readonly uid: number; readonly gid: number };

export type FileToWrite = {
  readonly bytes: Uint8Array;
  /** 0o0 to 0o777. */
  readonly mode: number;
  /** Without it whoever runs this owns the file. */
  readonly owner?: Owner;
};

export interface HostFiles {
  /** Of the path itself, not of what a link at its end points to. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Follows links. `undefined` where there is nothing. At most `maxBytes`, beyond which it throws. */
  read(path: string, maxBytes?: number): Promise<Uint8Array | undefined>;
  /** The names in a folder, sorted; `undefined` where there is no folder. */
  list(path: string): Promise<readonly string[] | undefined>;
  /**
   * Atomic and durable: parents are made (0755), a file `.NAME<random>` beside it is written, synced and renamed. Whoever
   * reads sees the old content or the new one, also after a power cut.
   */
  write(path: string, file: FileToWrite): Promise<void>;
  /** Makes or replaces a symlink, atomically and durably. Parents are made. */
  link(path: string, target: string): Promise<void>;
  /** As `cp -a`: content, mode, owner, links as links. Atomic and durable like `write`. */
  copy(from: string, to: string): Promise<void>;
  /** A folder with its parents. One that is there keeps its mode and owner. */
  makeFolder(path: string, folder: { readonly mode: number; readonly owner?: Owner }): Promise<void>;
  /** A file or link, durably. Whether there was one. A folder is refused. */
  remove(path: string): Promise<boolean>;
  /** A folder with all that is in it, or the file or link of that name. Whether there was one. */
  removeFolder(path: string): Promise<boolean>;
  /** Takes away what writes to these paths left beside them when a power cut ended them. How many there were. */
  removeTemporaryFiles(paths: readonly string[]): Promise<number>;
  /** Whether the OS brought it: `rpm -qf`, or below /etc with a default in /usr/etc. */
  isOfOs(path: string): Promise<boolean>;
  /**
   * Calls when any of these paths may have changed, appeared or gone; may call too often. Resolves once it watches. Ends
   * with the signal.
   */
  watch(paths: readonly string[], onChange: () => void, signal: AbortSignal): Promise<void>;
}

export interface HostUnits {
  /** What `systemctl is-enabled` prints: enabled, disabled, static, masked, not-found, … */
  isEnabled(unit: string): Promise<string>;
  /** Whether systemd knows a unit file of that name. */
  isKnown(unit: string): Promise<boolean>;
  enable(units: readonly string[]): Promise<void>;
  disable(units: readonly string[]): Promise<void>;
  preset(unit: string): Promise<void>;
  reloadManager(): Promise<void>;
  reload(service: string): Promise<void>;
  restart(service: string): Promise<void>;
  /** Names of units that have failed. */
  failed(): Promise<readonly string[]>;
}

/** One OS on the disk, as `rpm-ostree status --json` describes it. */
export type Deployment = {
  readonly isBooted: boolean;
  readonly isStaged: boolean;
  /** The pullspec without its transport, or '' where the origin is none. */
  readonly image: string;
  readonly digest?: string;
  readonly version: string;
  readonly commit: string;
  readonly layeredPackages: readonly string[];
  readonly removedPackages: readonly string[];
};

export type OsRelease = {
  /** ID of os-release: rhcos, scos, fedora, … */
  readonly id: string;
  readonly variant: string;
  readonly version: string;
  /** Whether the OS is an image that can be exchanged. Elsewhere files and units are all that is done. */
  readonly isImageBased: boolean;
  /** Of the Enterprise Linux family, whose kernels and extensions can be exchanged. */
  readonly isEnterpriseLinux: boolean;
};

export type PackageChange = {
  readonly install?: readonly string[];
  readonly uninstall?: readonly string[];
  /** Of the base, to take away, or to take back what was taken away. */
  readonly remove?: readonly string[];
  readonly reset?: readonly string[];
};

export interface HostOs {
  release(): Promise<OsRelease>;
  /** Booted, staged and rollback, in the order in which they would boot. */
  deployments(): Promise<readonly Deployment[]>;
  /** For people: what `rpm-ostree status` prints. */
  status(): Promise<string>;
  /** Of the next boot. */
  kernelArguments(): Promise<readonly string[]>;
  /** Whether the image is in the machine's own storage already. */
  isLocal(image: string): Promise<boolean>;
  /** Stages the image for the next boot. One try. */
  rebase(image: string): Promise<void>;
  changeKernelArguments(change: KernelArgumentChange): Promise<void>;
  changePackages(change: PackageChange): Promise<void>;
  /** Makes the packages of an extensions image installable until the end is called. */
  openExtensions(image: string): Promise<() => Promise<void>>;
  /** Packages of a list that are installed in the booted OS. */
  installed(packages: readonly string[]): Promise<readonly string[]>;
  /** Drops what is staged. */
  dropPending(): Promise<void>;
  dropRollback(): Promise<void>;
  updateBootloader(image: string): Promise<void>;
  /** `undefined` where the machine does not say. */
  isFips(): Promise<boolean | undefined>;
  /** What the last shutdown said if it could not finish the staged OS. */
  finalizeFailure(): Promise<string | undefined>;
  /** Points the OS' puller to the credentials that are there now. */
  linkCredentials(): Promise<void>;
}

export type KernelArgumentChange = {
  readonly remove: readonly string[];
  readonly append: readonly string[];
};

export interface HostAccounts {
  user(name: string): Promise<Owner | undefined>;
  group(name: string): Promise<number | undefined>;
  /** `undefined` where there is no such user or no password entry. */
  passwordHash(user: string): Promise<string | undefined>;
  setPasswordHash(user: string, hash: string): Promise<void>;
}
