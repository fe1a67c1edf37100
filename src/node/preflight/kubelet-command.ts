/**
 * The command that systemd starts the kubelet with: of its unit and drop-ins, with variables from the files that they name. Files that
 * the new config writes count as written, others as the node has them.
 */
import {
  expandCommand,
  parseEnvironment,
  parseEnvironmentFile,
  parseUnitFile,
  settings,
  specified,
} from '../../config/systemd/index.ts';
import { dropinPath, pathsOf, unitPath } from '../plan/index.ts';
import type { Needs, NodeFacts, PreflightChange, PreflightSnapshot } from './check.ts';
import { configText, isDropin } from './written-texts.ts';

/** The services that run a kubelet. */
export const KUBELET_SERVICES: readonly string[] = ['kubelet.service', 'k3s.service', 'k3s-agent.service'];

/** Folders of unit files beside that of configs; earlier ones take precedence. */
const OTHER_FOLDERS = [
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
];

/** Where settings of a file without a section header cannot become part of the file before. */
const NEXT_FILE = '\n[X-]\n';

/** Files of a machine, at one point of time. */
export type Texts = {
  readonly textAt: (path: string) => string | undefined;
  /** Undefined where that is not known. */
  readonly isThere: (path: string) => boolean | undefined;
  /** Known paths in a folder, and below it. */
  readonly below: (folder: string) => readonly string[];
};

/** Once the update is applied. What leaves the config is unknown: a file from before may come back. */
export function textsAfter({ from, to, node }: PreflightChange & { readonly node?: NodeFacts }): Texts {
  const ours = new Set(pathsOf(to));
  const leaving = new Set(pathsOf(from).filter((path) => !ours.has(path)));
  return {
    textAt: (path) => configText(to, path) ?? (leaving.has(path) ? undefined : node?.files.get(path)),
    isThere(path) {
      if (ours.has(path)) return true;
      if (leaving.has(path)) return undefined;
      return node?.files.has(path) === true ? true : node?.paths.get(path);
    },
    below: (folder) =>
      [...new Set([...ours, ...(node?.files.keys() ?? [])])]
        .filter((path) => path.startsWith(folder) && !leaving.has(path))
        .sort(),
  };
}

/** As the node has them now. */
export function textsBefore({ node }: PreflightSnapshot): Texts {
  return {
    textAt: (path) => node.files.get(path),
    isThere: (path) => (node.files.has(path) ? true : node.paths.get(path)),
    below: (folder) => [...node.files.keys()].filter((path) => path.startsWith(folder)).sort(),
  };
}

type KubeletUnit = {
  /** Its file and its drop-ins in their order; empty where the file is not known. */
  readonly paths: readonly string[];
  readonly texts: readonly string[];
  readonly environmentFiles: readonly { readonly path: string; readonly isOptional: boolean }[];
};

/** The unit as systemd will read it. */
export function kubeletUnitOf(texts: Texts, service: string): KubeletUnit {
  const folders = [unitPath(''), ...OTHER_FOLDERS.map((folder) => `${folder}/`)];
  const whole = folders
    .map((folder) => `${folder}${service}`)
    .find((path) => texts.textAt(path) !== undefined);
  const dropins = new Map<string, string>();
  for (const folder of folders.map((one) => `${one}${service}.d/`)) {
    for (const path of texts.below(folder)) {
      const name = path.slice(folder.length);
      if (isDropin(name) && !dropins.has(name) && texts.textAt(path) !== undefined) dropins.set(name, path);
    }
  }
  const ordered = [...dropins].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, path]) => path);
  const paths = whole === undefined ? [] : [whole, ...ordered];
  const unitTexts = paths.flatMap((path) => texts.textAt(path) ?? []);
  const unit = parseUnitFile(unitTexts.join(NEXT_FILE));
  const environmentFiles = settings(unit, 'Service', 'EnvironmentFile').map((value) => {
    const isOptional = value.startsWith('-');
    return { path: specified(isOptional ? value.slice(1) : value, service), isOptional };
  });
  return { paths, texts: unitTexts, environmentFiles };
}

/** What `kubeletUnitOf` and `kubeletCommandOf` read of the machine. */
export function unitFileNeeds(service: string): Required<Pick<Needs, 'files' | 'folders'>> {
  return {
    files: [unitPath(service), ...OTHER_FOLDERS.map((folder) => `${folder}/${service}`)],
    folders: [dropinPath(service, ''), ...OTHER_FOLDERS.map((folder) => `${folder}/${service}.d/`)],
  };
}

type KubeletCommand = {
  /** With the program; absent where its quotes do not match, so that systemd passes over it. */
  readonly words?: readonly string[];
  /** Whether all its variables are known. */
  readonly isWhole: boolean;
};

/** Undefined where the unit, or its command, is not known. */
export function kubeletCommandOf(texts: Texts, service: string): KubeletCommand | undefined {
  const [line] = commandLines(texts, service, 'ExecStart').slice(-1);
  if (line === undefined) return undefined;
  const { variables, isWhole } = environmentOf(texts, service);
  const words = expandCommand(line, variables);
  return { ...(words === undefined ? {} : { words }), isWhole: isWhole && !/%[^%]/.test(line) };
}

/** The words of the commands that have to succeed before the program of a service is started. */
export function preparingCommands(texts: Texts, service: string): readonly (readonly string[])[] {
  const { variables } = environmentOf(texts, service);
  return commandLines(texts, service, 'ExecStartPre')
    .filter((line) => !/^[@:+!|]*-/.test(line))
    .flatMap((line) => {
      const words = expandCommand(line, variables);
      return words === undefined ? [] : [words];
    });
}

function commandLines(texts: Texts, service: string, key: 'ExecStart' | 'ExecStartPre'): readonly string[] {
  return settings(parseUnitFile(unitTextOf(kubeletUnitOf(texts, service))), 'Service', key);
}

type Environment = {
  readonly variables: ReadonlyMap<string, string>;
  /** Whether all files of variables are known. */
  readonly isWhole: boolean;
};

/** The variables that systemd gives to a service, beside those that it gives to all. */
export function environmentOf(texts: Texts, service: string): Environment {
  const unit = kubeletUnitOf(texts, service);
  const variables = new Map(
    settings(parseUnitFile(unitTextOf(unit)), 'Service', 'Environment').flatMap((one) => [
      ...parseEnvironment(specified(one, service)),
    ]),
  );
  let isWhole = true;
  // Files take precedence, and later ones over earlier ones.
  for (const { path } of unit.environmentFiles) {
    const text = texts.textAt(path);
    if (text === undefined && texts.isThere(path) !== false) isWhole = false;
    for (const [name, value] of parseEnvironmentFile(text ?? '')) variables.set(name, value);
  }
  return { variables, isWhole };
}

/** All its settings, for the parser. */
export function unitTextOf({ texts }: KubeletUnit): string {
  return texts.join(NEXT_FILE);
}
