/**
 * The unit of the kubelet: without the units that it requires, without its container runtime, or with a unit file that systemd
 * cannot load, the kubelet does not start again, and the node is lost.
 */
import { type Flags, flagProblems, parseFlags, type ValueProblem } from '../../config/kubelet/index.ts';
import { isBadlySet, isUnitName, listed, parseUnitFile } from '../../config/systemd/index.ts';
import {
  type Check,
  type Finding,
  type Needs,
  type PreflightChange,
  type PreflightSnapshot,
  refusal,
  warning,
} from './check.ts';
import { flagValue, kubeletFlags } from './kubelet-arguments.ts';
import {
  KUBELET_SERVICES,
  kubeletCommandOf,
  kubeletUnitOf,
  type Texts,
  textsAfter,
  textsBefore,
  unitFileNeeds,
  unitTextOf,
} from './kubelet-command.ts';
import { startFileFindings, startFilePaths } from './kubelet-files.ts';
import { offFindings, offNeeds } from './kubelet-off.ts';
import { programFindings, programNeeds, standaloneFindings } from './kubelet-program.ts';
import { firstBadLine, isOpenHeader } from './parse-problem.ts';
import {
  endpointFindings,
  imageText,
  mayCreate,
  runtimeText,
  serversOf,
  socketPath,
} from './runtime-sockets.ts';
import { unitPresence } from './unit-presence.ts';
import { configText, unitTextPaths, writtenPaths } from './written-texts.ts';

/** Requirements may be nested. */
const MAX_REQUIRED_UNITS = 200;

export const kubeletUnit: Check = {
  name: 'kubelet-unit',
  needs(change, node) {
    if (!isChange(change)) return {};
    const texts = textsAfter({ ...change, ...(node === undefined ? {} : { node }) });
    return merged([
      offNeeds(change),
      programNeeds(change, node),
      ...KUBELET_SERVICES.map((service) => needsOf(change, { texts, service })),
    ]);
  },
  run(snapshot) {
    const texts = textsAfter(snapshot);
    return [
      ...offFindings(snapshot),
      ...programFindings(snapshot),
      ...KUBELET_SERVICES.flatMap((service) => findings(snapshot, { texts, service })),
    ];
  },
};

/** Files of the node name others that may be written, so every change counts. */
function isChange(change: PreflightChange): boolean {
  const { isForced, change: parts } = change;
  return isForced || parts.osImage || parts.changedUnits.length > 0 || writtenPaths(change).length > 0;
}

type Questioned = { readonly texts: Texts; readonly service: string };

/** Whether the update changes the command of the service, or what it relies on. */
function isTouched(update: PreflightChange, { texts, service }: Questioned): boolean {
  if (update.isForced || update.change.osImage) return true;
  const written = new Set(writtenPaths(update));
  const { paths, environmentFiles } = kubeletUnitOf(texts, service);
  return (
    unitTextPaths(update.to, service).some((path) => written.has(path)) ||
    [...paths, ...environmentFiles.map(({ path }) => path)].some((path) => written.has(path))
  );
}

function needsOf(change: PreflightChange, questioned: Questioned): Needs {
  const { texts, service } = questioned;
  const environmentFiles = kubeletUnitOf(texts, service).environmentFiles.map(({ path }) => path);
  const isOurs = unitTextPaths(change.to, service).length > 0;
  const endpoint = isTouched(change, questioned) ? endpointFlag(texts, service) : undefined;
  return merged([
    unitFileNeeds(service),
    { files: environmentFiles, paths: environmentFiles, commandLines: [service] },
    { paths: service === 'kubelet.service' ? startFilePaths(texts) : [] },
    { units: isOurs ? [...requiredUnits(change, service).keys()] : [] },
    endpoint === undefined ? {} : { units: serversOf(endpoint), paths: [socketPath(endpoint) ?? []].flat() },
  ]);
}

function endpointFlag(texts: Texts, service: string): string | undefined {
  const flags = flagsOf(texts, service);
  return flags === undefined ? undefined : flagValue(flags, ENDPOINT_FLAG);
}

/** Of the command in the unit only. */
function flagsOf(texts: Texts, service: string): Flags | undefined {
  const words = kubeletCommandOf(texts, service)?.words;
  return words === undefined ? undefined : parseFlags(words.slice(1));
}

const ENDPOINT_FLAG = 'container-runtime-endpoint';

function merged(needs: readonly Needs[]): Needs {
  const all = (key: 'units' | 'paths' | 'files' | 'folders' | 'commandLines') =>
    needs.flatMap((one) => one[key] ?? []);
  return {
    units: all('units'),
    paths: all('paths'),
    files: all('files'),
    folders: all('folders'),
    commandLines: all('commandLines'),
  };
}

function findings(snapshot: PreflightSnapshot, questioned: Questioned): readonly Finding[] {
  const { service } = questioned;
  return [
    ...syntaxFindings(snapshot, service),
    ...requirementFindings(snapshot, service),
    ...(isTouched(snapshot, questioned) ? commandFindings(snapshot, questioned) : []),
  ];
}

/** Units of a config were parsed when it was rendered; files at their paths were not. */
function syntaxFindings(snapshot: PreflightSnapshot, service: string): readonly Finding[] {
  const written = new Set(writtenPaths(snapshot));
  return unitTextPaths(snapshot.to, service)
    .filter((path) => written.has(path))
    .flatMap((path) => {
      const line = firstBadLine(configText(snapshot.to, path) ?? '', isOpenHeader);
      if (line === undefined) return [];
      const why = `line ${line} is no valid section header, so systemd does not load ${service} and the kubelet does not start`;
      return [refusal(path, { why, remedy: 'close the header with ]' })];
    });
}

/** A missing or masked unit that is required makes the start fail. */
function requirementFindings(snapshot: PreflightSnapshot, service: string): readonly Finding[] {
  return [...requiredUnits(snapshot, service)].flatMap(([unit, { by, isTouched }]) => {
    const presence = unitPresence(snapshot, unit);
    if (!isTouched || (presence !== 'absent' && presence !== 'masked')) return [];
    const lacks =
      presence === 'masked'
        ? 'which is masked'
        : `which neither the node, ${imageText(snapshot)} nor the config has`;
    const runs = runtimeText(snapshot);
    return [
      refusal(by === service ? service : `${service} (through ${by})`, {
        why: `it requires ${unit}, ${lacks}, so the kubelet would not start${runs}`,
        remedy: `install what brings ${unit}, or remove the requirement from the config`,
      }),
    ];
  });
}

type Requirement = {
  /** The unit that requires it. */
  readonly by: string;
  /** The requirement, or what it is about, changes with this update. */
  readonly isTouched: boolean;
};

/** Units that the start of the service fails without, as far as the new config says so. */
function requiredUnits(update: PreflightChange, service: string): ReadonlyMap<string, Requirement> {
  const { to, change, isForced } = update;
  const written = new Set(writtenPaths(update));
  const changedUnits = new Set(change.changedUnits);
  const found = new Map<string, Requirement>();
  const open = [service];
  for (let by = open.shift(); by !== undefined && found.size < MAX_REQUIRED_UNITS; by = open.shift()) {
    for (const path of unitTextPaths(to, by)) {
      const unit = parseUnitFile(configText(to, path) ?? '');
      for (const name of ['Requires', 'Requisite', 'BindsTo'].flatMap((key) => listed(unit, 'Unit', key))) {
        if (!CAN_BE_MISSING.test(name) || !isUnitName(name)) continue;
        const isTouched = isForced || change.osImage || changedUnits.has(name) || written.has(path);
        if (!found.has(name)) open.push(name);
        if (found.get(name)?.isTouched !== true) found.set(name, { by, isTouched });
      }
    }
  }
  found.delete(service);
  return found;
}

/** Others are made by systemd itself. */
const CAN_BE_MISSING = /\.(service|socket|target)$/;

function commandFindings(snapshot: PreflightSnapshot, { texts, service }: Questioned): readonly Finding[] {
  const unit = kubeletUnitOf(texts, service);
  if (unit.paths.length === 0) return [];
  if (isBadlySet(service, parseUnitFile(unitTextOf(unit)))) {
    const why = 'it has no ExecStart, so systemd does not load it and the kubelet does not start';
    return [refusal(service, { why, remedy: 'add ExecStart to the unit or to its drop-in' })];
  }
  const missing = unit.environmentFiles.filter(
    ({ path, isOptional }) => !isOptional && texts.isThere(path) === false && !/[*?[]/.test(path),
  );
  const command = kubeletCommandOf(texts, service);
  const broken = command !== undefined && command.words === undefined;
  return [
    ...missing.map(({ path }) => {
      const why = `its EnvironmentFile ${path} is neither on the node nor in the config, so systemd does not start it`;
      if (mayCreate(snapshot, path)) return warning(service, { why });
      return refusal(service, {
        why,
        remedy: `write the file, or make it optional: EnvironmentFile=-${path}`,
      });
    }),
    ...(broken
      ? [
          refusal(service, {
            why: 'the quotes or escapes of its ExecStart do not match, so systemd passes over it and the kubelet does not start',
            remedy: 'correct ExecStart',
          }),
        ]
      : []),
    ...flagFindings(snapshot, { texts, service }),
    ...(service === 'kubelet.service'
      ? [...standaloneFindings(snapshot), ...startFileFindings(snapshot)]
      : []),
  ];
}

/** Of flags that the update brings: a kubelet that runs with the same ones knows them. */
function flagFindings(snapshot: PreflightSnapshot, { texts, service }: Questioned): readonly Finding[] {
  const flags = kubeletFlags(texts, snapshot, service);
  if (flags === undefined) return [];
  const running = kubeletFlags(textsBefore(snapshot), snapshot, service);
  const before = new Set(running === undefined ? [] : flagProblems(running).map(problemText));
  const endpoint = endpointFlag(texts, service);
  return [
    ...(flags.isKubelet ? flagProblems(flags) : [])
      .filter((problem) => !before.has(problemText(problem)))
      .map((problem) => flagFinding(service, problem)),
    ...(endpoint === undefined || endpoint === ''
      ? []
      : endpointFindings(snapshot, { subject: service, setting: `--${ENDPOINT_FLAG}`, endpoint })),
  ];
}

function problemText({ path, message }: ValueProblem): string {
  return `${path} ${message}`;
}

function flagFinding(service: string, problem: ValueProblem): Finding {
  const text = problemText(problem);
  if (problem.certainty === 'doubtful') return warning(service, { why: `in its command, ${text}` });
  return refusal(service, {
    why: `in its command, ${text}, so the kubelet would not start`,
    remedy: 'correct the unit, its drop-ins or the files that its variables come from',
  });
}
