/**
 * The port to one machine. It neither decides nor retries.
 *
 * Failures are thrown as `Failure`s with the messages of such machines: `rename A B: file exists`,
 * `error running CMD ARGS: STDERR: exit status 1`. Paths are absolute paths of the machine; symlinks are
 * resolved within the machine's root and never lead out of it.
 *
 * A power cut may come between any two calls and within any of them.
 */

export interface Host {
  readonly files: HostFiles;
  readonly units: HostUnits;
  readonly os: HostOs;
  readonly images: HostImages;
  readonly accounts: HostAccounts;
  /** Differs for every boot. */
  bootId(): Promise<string>;
  /** Requests a reboot and returns once it is queued; the daemon is stopped later. */
  reboot(rationale: string): Promise<void>;
  /** What `sshd -t` says of a configuration file; undefined where there is no sshd. */
  checkSshd(path: string): Promise<SshdVerdict | undefined>;
  /** Writes a line to the system journal. Never fails. */
  note(text: string): Promise<void>;
}

/** `problem`: its error, on one line. */
export type SshdVerdict = { readonly problem?: string };

export type FileSystemSpace = {
  /** Paths with the same one share the space. */
  readonly fileSystem: string;
  /** As root may use it. */
  readonly freeBytes: number;
};

export type FileKind = 'file' | 'folder' | 'link' | 'other';

export type FileStat = {
  readonly kind: FileKind;
  /** Permission bits with setuid, setgid and sticky: 0o0 to 0o7777. */
  readonly mode: number;
  readonly sizeBytes: number;
  readonly owner: Owner;
  /** Of a link, unresolved. */
  readonly target?: string;
};

export type Owner = { readonly uid: number; readonly gid: number };

export type FileToWrite = {
  readonly bytes: Uint8Array;
  /** 0o0 to 0o777. */
  readonly mode: number;
  /** By default the user of this process. */
  readonly owner?: Owner;
};

export interface HostFiles {
  /** Of the path itself; a link at its end is not resolved. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Resolves links. `undefined` where it does not exist. Throws where it exceeds `maxBytes`. */
  read(path: string, maxBytes?: number): Promise<Uint8Array | undefined>;
  /** The names in a folder, sorted; `undefined` where there is no folder. */
  list(path: string): Promise<readonly string[] | undefined>;
  /**
   * Atomic and durable: parents are created (0755), a file `.NAME<random>` beside it is written, synced and renamed. Readers
   * see the old content or the new one, also after a power cut.
   */
  write(path: string, file: FileToWrite): Promise<void>;
  /** Creates or replaces a symlink, atomically and durably. Parents are created. */
  link(path: string, target: string): Promise<void>;
  /** As `cp -a`: content, mode, owner, links as links. Atomic and durable like `write`. */
  copy(from: string, to: string): Promise<void>;
  /** Gives a file, link or folder another name, atomically and durably. Parents are created; nothing is replaced. */
  move(from: string, to: string): Promise<void>;
  /** Creates a folder with its parents. An existing one keeps its mode and owner. */
  makeFolder(path: string, folder: { readonly mode: number; readonly owner?: Owner }): Promise<void>;
  /** Removes a file or link, durably. Returns whether it existed. Rejects folders. */
  remove(path: string): Promise<boolean>;
  /** Removes a folder with its content, or the file or link of that name. Returns whether it existed. */
  removeFolder(path: string): Promise<boolean>;
  /** Removes the temporary files that interrupted writes to these paths left beside them. Returns their number. */
  removeTemporaryFiles(paths: readonly string[]): Promise<number>;
  /**
   * Why nothing can be written to this path, in the words of a failed `write`: a name that is too long, a read-only file
   * system, a folder of that name, or something else than a folder on the way to it. Undefined where it may work.
   */
  whyUnwritable(path: string): Promise<string | undefined>;
  /** Of the file system that has this path, or would have it; undefined where it is unknown. */
  space(path: string): Promise<FileSystemSpace | undefined>;
  /** Whether it belongs to the OS: `rpm -qf`, or below /etc with a default in /usr/etc. */
  isOfOs(path: string): Promise<boolean>;
  /**
   * Calls when any of these paths may have changed, appeared or gone; may call too often. Resolves once it watches. Ends
   * with the signal.
   */
  watch(paths: readonly string[], onChange: () => void, signal: AbortSignal): Promise<void>;
}

export interface HostUnits {
  /** The output of `systemctl is-enabled`: enabled, disabled, static, masked, not-found, … */
  isEnabled(unit: string): Promise<string>;
  /** Whether systemd knows a unit file of that name. */
  isKnown(unit: string): Promise<boolean>;
  enable(units: readonly string[]): Promise<void>;
  disable(units: readonly string[]): Promise<void>;
  preset(unit: string): Promise<void>;
  reloadManager(): Promise<void>;
  reload(service: string): Promise<void>;
  restart(service: string): Promise<void>;
  /** The words that the main process of a running service was started with; undefined where there is none. */
  commandLine(service: string): Promise<readonly string[] | undefined>;
  /** Names of units that have failed. */
  failed(): Promise<readonly string[]>;
}

/** One deployment, as in `rpm-ostree status --json`. */
export type Deployment = {
  readonly isBooted: boolean;
  readonly isStaged: boolean;
  /** The pullspec without its transport, or '' where the origin is not an image. */
  readonly image: string;
  readonly digest?: string;
  readonly version: string;
  readonly commit: string;
  readonly layeredPackages: readonly string[];
  readonly removedPackages: readonly string[];
  /** Installed from files on the machine, as overrides of packages of the OS are. */
  readonly localPackages?: readonly string[];
};

export type OsRelease = {
  /** ID of os-release: rhcos, scos, fedora, … */
  readonly id: string;
  readonly variant: string;
  readonly version: string;
  readonly isCoreOs: boolean;
  /** Whether the OS is a bootable image, of CoreOS or another. Otherwise only files and units are managed. */
  readonly isImageBased: boolean;
  /** Of the Enterprise Linux family, which has kernel types and extensions. */
  readonly isEnterpriseLinux: boolean;
};

export type PackageChange = {
  readonly install?: readonly string[];
  readonly uninstall?: readonly string[];
  /** Base packages to remove, and removals to reset. */
  readonly remove?: readonly string[];
  readonly reset?: readonly string[];
};

export type StatusOptions = { readonly isUtf8?: boolean };

export interface HostOs {
  release(): Promise<OsRelease>;
  /** Booted, staged and rollback, in boot order. */
  deployments(): Promise<readonly Deployment[]>;
  /** Of the staged deployment; `undefined` where there is none, or it cannot be read. */
  stagedRelease(): Promise<OsRelease | undefined>;
  /** The output of `rpm-ostree status`, which marks the booted deployment with `●` in a UTF-8 locale and `*` in others. */
  status(options?: StatusOptions): Promise<string>;
  /** Of the next boot. */
  kernelArguments(): Promise<readonly string[]>;
  /** Whether the image is in the machine's container storage. */
  isLocal(image: string): Promise<boolean>;
  /**
   * Downloads an image without retries, so that a rebase to it only has to stage it. It becomes no deployment: whatever boots
   * meanwhile is the OS as it was. What is there already is not downloaded again. Where the signal ends it, `dropFetched`
   * removes what it has left.
   */
  fetch(image: string, signal: AbortSignal): Promise<void>;
  /** Removes downloaded images of no deployment, also incomplete ones. */
  dropFetched(): Promise<void>;
  /** Whether an image has a file: one that was fetched, or is deployed; undefined where that is unknown. /etc is in /usr/etc. */
  isInImage(file: { readonly image: string; readonly path: string }): Promise<boolean | undefined>;
  /** Stages the image for the next boot, without retries. */
  rebase(image: string): Promise<void>;
  changeKernelArguments(change: KernelArgumentChange): Promise<void>;
  /** Why the next boot cannot have these kernel arguments in addition to the machine's own; undefined where it can. */
  kernelArgumentsProblem(wanted: readonly string[]): Promise<string | undefined>;
  /**
   * Where the OS is not an image: the next boot has exactly these in addition to the machine's own. It takes effect at once in the
   * configuration of the boot loader, so there is nothing to drop. Can be repeated. Where it fails, nothing has changed.
   */
  setKernelArguments(change: BootArgumentChange): Promise<void>;
  changePackages(change: PackageChange): Promise<void>;
  /** Makes the packages of an extensions image installable until the returned function is called. */
  openExtensions(image: string): Promise<() => Promise<void>>;
  /** Packages of a list that are installed in the booted OS. */
  installed(packages: readonly string[]): Promise<readonly string[]>;
  /** Drops the staged deployment. */
  dropPending(): Promise<void>;
  dropRollback(): Promise<void>;
  updateBootloader(image: string): Promise<void>;
  /** `undefined` where it is unknown. */
  isFips(): Promise<boolean | undefined>;
  /** The error of the last shutdown, if it could not finalize the staged deployment. */
  finalizeFailure(): Promise<string | undefined>;
}

/** The images of the machine's container runtime. */
export interface HostImages {
  /** Why the machine cannot keep its images from being removed; undefined where it can. */
  pinningProblem(): Promise<string | undefined>;
  /** Whether the runtime has the whole image: one that is being pulled, or was when the power was cut, is not there. */
  isPresent(image: string, signal: AbortSignal): Promise<boolean>;
  /** The layers of the image for this machine, as its registry lists them. Fails with the answer of the registry. */
  inspect(image: string, signal: AbortSignal): Promise<readonly ImageLayerSize[]>;
  /** Without retries, through the mirrors and with the credentials of the machine. Its reason is `NO_SPACE` where there is no space. */
  pull(image: string, signal: AbortSignal): Promise<void>;
  /** Of the file system of the images; undefined where it is unknown. */
  freeBytes(): Promise<number | undefined>;
}

export type ImageLayerSize = { readonly digest: string; readonly sizeBytes: number };

/** The reason of a failed pull for which there is no space: another attempt would fill the disk again. */
export const NO_SPACE = 'NoSpace';

export type KernelArgumentChange = {
  readonly remove: readonly string[];
  readonly append: readonly string[];
};

/** `previous`: those that the machine may have of ours now. */
export type BootArgumentChange = { readonly wanted: readonly string[]; readonly previous: readonly string[] };

export interface HostAccounts {
  user(name: string): Promise<Owner | undefined>;
  group(name: string): Promise<number | undefined>;
  /** `undefined` where there is no such user or no password entry. */
  passwordHash(user: string): Promise<string | undefined>;
  setPasswordHash(user: string, hash: string): Promise<void>;
}
