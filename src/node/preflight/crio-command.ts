/**
 * How systemd starts CRI-O: with which files, and where CRI-O looks for programs.
 */
import { parseUnitFile, settings } from '../../config/systemd/index.ts';
import type { Needs } from './check.ts';
import {
  environmentOf,
  kubeletCommandOf,
  kubeletUnitOf,
  type Texts,
  unitFileNeeds,
  unitTextOf,
} from './kubelet-command.ts';

/** One may be an alias of the other. */
export const CRIO_SERVICES: readonly string[] = ['crio.service', 'cri-o.service'];

export type CrioCommand = {
  readonly service: string;
  /** CRI-O itself. */
  readonly program: string;
  readonly configFile: string;
  /** Ends in a slash. */
  readonly configFolder: string;
  /** Folders of its PATH; undefined where they are not known. */
  readonly folders: readonly string[] | undefined;
  /** Whether a flag names the file, which then has to exist. */
  readonly isFileFlagged: boolean;
  /** Whether a flag sets its level of logging. */
  readonly isLevelFlagged: boolean;
};

/** What `crioCommand` reads of the machine. `texts`: what is known already, as a unit names files. */
export function crioCommandNeeds(texts: Texts): Required<Pick<Needs, 'files' | 'folders' | 'paths'>> {
  const units = CRIO_SERVICES.map(unitFileNeeds);
  const environmentFiles = environmentPaths(texts);
  return {
    files: [...units.flatMap(({ files }) => files), ...environmentFiles],
    folders: units.flatMap(({ folders }) => folders),
    paths: environmentFiles,
  };
}

/** Files of the units and of their variables, as far as they are known. */
export function crioUnitPaths(texts: Texts): readonly string[] {
  return [
    ...CRIO_SERVICES.flatMap((service) => kubeletUnitOf(texts, service).paths),
    ...environmentPaths(texts),
  ];
}

function environmentPaths(texts: Texts): readonly string[] {
  return CRIO_SERVICES.flatMap((service) =>
    kubeletUnitOf(texts, service).environmentFiles.map(({ path }) => path),
  );
}

/** Undefined where it is not known as a whole, and where flags or variables set more than the files. */
export function crioCommand(texts: Texts): CrioCommand | undefined {
  for (const service of CRIO_SERVICES) {
    const command = kubeletCommandOf(texts, service);
    if (command === undefined) continue;
    return command.isWhole ? commandOf(texts, service, command.words ?? []) : undefined;
  }
  return undefined;
}

function commandOf(texts: Texts, service: string, words: readonly string[]): CrioCommand | undefined {
  // Another program may start it.
  const at = words.findIndex((word) => /\/crio$|^-/.test(word));
  const program = words[at] ?? '-';
  const { variables } = environmentOf(texts, service);
  // Each flag has a variable.
  const isSet = [...variables.keys()].some((name) => name.startsWith('CONTAINER_'));
  if (program.startsWith('-') || isSet) return undefined;
  const flags = flagsIn(words.slice(at + 1));
  if (OVERRIDING.some((name) => flags.has(name))) return undefined;
  const configFolder = flags.get('config-dir') ?? flags.get('d') ?? '/etc/crio/crio.conf.d';
  return {
    service,
    program,
    configFile: flags.get('config') ?? flags.get('c') ?? '/etc/crio/crio.conf',
    configFolder: configFolder.endsWith('/') ? configFolder : `${configFolder}/`,
    folders: foldersOf(texts, service, variables.get('PATH')),
    isFileFlagged: flags.has('config') || flags.has('c'),
    isLevelFlagged: flags.has('log-level') || flags.has('l'),
  };
}

/** Flags that take precedence over what is judged of the files. */
const OVERRIDING = [
  ...['default-runtime', 'runtimes', 'conmon', 'conmon-cgroup', 'cgroup-manager', 'pinns-path'],
  ...['log-size-max', 'image-volumes', 'stream-enable-tls', 'stream-tls-cert', 'stream-tls-key'],
];

/** With one dash or two, and the value behind a `=` or as the next word. */
function flagsIn(words: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  for (const [index, word] of words.entries()) {
    const [, name, value] = /^--?([\w-]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (name !== undefined) flags.set(name, value ?? words[index + 1] ?? '');
  }
  return flags;
}

/** Those of systemd: which of them it has depends on the distribution. */
const DEFAULT_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

function foldersOf(texts: Texts, service: string, path: string | undefined): readonly string[] | undefined {
  const unit = parseUnitFile(unitTextOf(kubeletUnitOf(texts, service)));
  const isElsewhere = ['ExecSearchPath', 'PassEnvironment', 'UnsetEnvironment'].some(
    (key) => settings(unit, 'Service', key).length > 0,
  );
  if (isElsewhere) return undefined;
  if (path === undefined) return DEFAULT_FOLDERS;
  const folders = path.split(':').map((folder) => folder.replace(/(?<=.)\/+$/, ''));
  return folders.every((folder) => /^\/[^%$]*$/.test(folder)) ? folders : undefined;
}
