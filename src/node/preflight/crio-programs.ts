/**
 * The programs that CRI-O needs to start: its default runtime, the monitor of each runtime, and `pinns`.
 */
import { type CrioConfig, crioMinor, crioText, crioValueProblems } from '../../config/crio/index.ts';
import type { NodeConfig } from '../plan/index.ts';
import type { CrioCommand } from './crio-command.ts';
import type { Texts } from './kubelet-command.ts';
import { unexecutableMode } from './unit-programs.ts';

export type CrioState = {
  readonly command: CrioCommand;
  readonly config: CrioConfig;
  readonly version: string | undefined;
};

type CrioProblem = {
  readonly text: string;
  readonly remedy: string;
  /** Of what is missed; absent where nothing is. */
  readonly places?: readonly string[];
};

/** Everywhere where one of its programs may be. */
export function neededPlaces(state: CrioState): readonly string[] {
  return neededPrograms(state).flatMap(({ places = [], runtimePlaces = [] }) => [
    ...places,
    ...runtimePlaces,
  ]);
}

/** Why CRI-O does not start. `config`: that of the update, where it is about the time after it. */
export function crioProblems(
  state: CrioState,
  isThere: Texts['isThere'],
  config?: NodeConfig,
): readonly CrioProblem[] {
  const { command } = state;
  const values = crioValueProblems(state.config)
    .filter((text) => !(command.isLevelFlagged && text.startsWith('log_level ')))
    .map((text) => ({ text, remedy: 'correct it' }));
  const programs = neededPrograms(state).flatMap((needed) => programProblems(needed, isThere, config));
  const files =
    command.isFileFlagged && isThere(command.configFile) === false ? [missingFile(command.configFile)] : [];
  // Several runtimes may share a monitor.
  return [...values, ...files, ...new Map(programs.map((one) => [one.text, one])).values()];
}

function missingFile(path: string): CrioProblem {
  const text = `its --config is ${path}, which ${LACKING}`;
  return { text, remedy: 'write the file, or remove the flag', places: [path] };
}

function programProblems(
  { places, runtimePlaces, ...problem }: Needed,
  isThere: Texts['isThere'],
  config: NodeConfig | undefined,
): readonly CrioProblem[] {
  // A runtime without its program is passed over, and so is its monitor.
  if (runtimePlaces !== undefined && !runtimePlaces.some((place) => isThere(place) === true)) return [];
  if (places === undefined) return [];
  const present = places.filter((place) => isThere(place) !== false);
  const [first, ...others] = present;
  if (first === undefined) return [{ ...problem, places }];
  const mode = config === undefined ? undefined : unexecutableMode(config, first);
  if (mode === undefined || others.length > 0) return [];
  const text = `the config writes ${first} with mode ${mode}, with which nobody can execute it`;
  return [{ text, remedy: 'set mode 0755' }];
}

type Needed = {
  readonly text: string;
  readonly remedy: string;
  /** Any of them will do. Empty: there can be none. Undefined where they are not known. */
  readonly places: readonly string[] | undefined;
  /** Of the runtime whose monitor it is. */
  readonly runtimePlaces?: readonly string[];
};

/** Older ones know no monitor of a runtime. */
const OLDEST_MINOR = 26;

function neededPrograms(state: CrioState): readonly Needed[] {
  const isOld = (crioMinor(state.version) ?? 0) < OLDEST_MINOR;
  return [...defaultRuntime(state), ...(isOld ? [] : [...monitors(state), pinns(state)])];
}

function defaultRuntime({ command, config }: CrioState): readonly Needed[] {
  const { defaultRuntime: name = '', isDefaultSet } = config;
  const runtime = config.runtimes.get(name);
  if (runtime === undefined) return [];
  const places = placesOf(command, { path: runtime.path, name });
  if (runtime.path !== '') {
    const text = `the default runtime ${name} has the runtime_path ${runtime.path}, which ${LACKING}`;
    return [{ text, remedy: 'install it, or name a program that the node has', places }];
  }
  const remedy = `install ${name}, or set default_runtime and its runtime_path to a program that the node has`;
  const text = isDefaultSet
    ? `the default runtime ${name} has no runtime_path, and is in no folder of CRI-O's PATH`
    : `no file sets default_runtime, so it is ${name}, which is in no folder of CRI-O's PATH`;
  return [{ text, remedy, places }];
}

const LACKING = 'neither the node nor the config has';

/** Without the monitor of any runtime that it has, CRI-O does not start. */
function monitors({ command, config }: CrioState): readonly Needed[] {
  const common = crioText(config, 'runtime', 'conmon');
  return [...config.runtimes].flatMap(([name, { path, type, monitorPath, isPlain }]): readonly Needed[] => {
    const runtimePlaces = placesOf(command, { path, name });
    const isJudged = isPlain || name === config.defaultRuntime;
    if (runtimePlaces === undefined || !['', 'oci'].includes(type) || !isJudged) return [];
    const setting = common === '' ? `monitor_path of the runtime ${name}` : 'conmon';
    const monitor = common || monitorPath;
    if (monitor !== '' && !monitor.startsWith('/')) {
      const text = `${setting} is ${monitor}, and must be an absolute path`;
      return [{ text, remedy: 'correct it', places: [], runtimePlaces }];
    }
    return [{ ...ownProgram(command, { setting, path: monitor, name: 'conmon' }), runtimePlaces }];
  });
}

function pinns({ command, config }: CrioState): Needed {
  const path = crioText(config, 'runtime', 'pinns_path');
  return ownProgram(command, { setting: 'pinns_path', path, name: 'pinns' });
}

type OwnProgram = { readonly setting: string; readonly path: string; readonly name: string };

function ownProgram(command: CrioCommand, { setting, path, name }: OwnProgram): Needed {
  const places = placesOf(command, { path, name });
  if (path === '') {
    const text = `${setting} is not set, and no folder of CRI-O's PATH has ${name}`;
    return { text, remedy: `set it to the place of ${name}, or install ${name}`, places };
  }
  const remedy = `install it, or name the place of ${name} on the node`;
  return { text: `${setting} is ${path}, which ${LACKING}`, remedy, places };
}

/** Of a program with a path, or of one that CRI-O looks for. */
function placesOf(
  { folders }: CrioCommand,
  { path, name }: { readonly path: string; readonly name: string },
): readonly string[] | undefined {
  if (path !== '') return path.startsWith('/') ? [path] : undefined;
  return name === '' || name.includes('/') ? undefined : folders?.map((folder) => `${folder}/${name}`);
}
