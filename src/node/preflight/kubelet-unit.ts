/**
 * The unit of the kubelet: without the units that it requires, without its container runtime, or with a unit file that systemd
 * cannot load, the kubelet does not start again, and the node is lost.
 */
import { isBadlySet, isUnitName, listed, parseUnitFile, settings } from '../../config/systemd/index.ts';
import { dropinPath, unitPath } from '../plan/index.ts';
import {
  type Check,
  type Finding,
  type Needs,
  type PreflightChange,
  type PreflightSnapshot,
  refusal,
} from './check.ts';
import { firstBadLine, isOpenHeader } from './parse-problem.ts';
import {
  endpointFindings,
  imageText,
  runtimeEndpoint,
  runtimeText,
  serversOf,
  socketPath,
} from './runtime-sockets.ts';
import { unitPresence } from './unit-presence.ts';
import { configText, isDropin, unitTextPaths, writtenPaths } from './written-texts.ts';

/** The services that run a kubelet. */
export const KUBELET_SERVICES: readonly string[] = ['kubelet.service', 'k3s.service', 'k3s-agent.service'];

/** Folders of unit files beside that of configs; earlier ones take precedence. */
const OTHER_FOLDERS = ['/run/systemd/system', '/usr/local/lib/systemd/system', '/usr/lib/systemd/system'];

/** Requirements may be nested. */
const MAX_REQUIRED_UNITS = 200;

export const kubeletUnit: Check = {
  name: 'kubelet-unit',
  needs: (change) =>
    merged(
      servicesOf(change)
        .filter((service) => isTouched(change, service))
        .map((service) => needsOf(change, service)),
    ),
  run: (snapshot) => servicesOf(snapshot).flatMap((service) => findings(snapshot, service)),
};

/** Those that the new config has a part of. */
function servicesOf({ to }: PreflightChange): readonly string[] {
  return KUBELET_SERVICES.filter((service) => unitTextPaths(to, service).length > 0);
}

/** Whether the update changes the unit, or what it relies on. */
function isTouched(update: PreflightChange, service: string): boolean {
  if (update.isForced || update.change.osImage) return true;
  const written = new Set(writtenPaths(update));
  return (
    unitTextPaths(update.to, service).some((path) => written.has(path)) ||
    [...requiredUnits(update, service).values()].some((one) => one.isTouched)
  );
}

function needsOf(change: PreflightChange, service: string): Needs {
  const required = requiredUnits(change, service);
  const endpoints = unitTextPaths(change.to, service).flatMap((path) =>
    endpointsIn(configText(change.to, path) ?? ''),
  );
  return {
    units: [...required.keys(), ...endpoints.flatMap(serversOf)],
    paths: endpoints.flatMap((endpoint) => socketPath(endpoint) ?? []),
    ...unitFileNeeds(service),
  };
}

/** What `effectiveCommand` needs. */
export function unitFileNeeds(service: string): Required<Pick<Needs, 'files' | 'folders'>> {
  return {
    files: [unitPath(service), ...OTHER_FOLDERS.map((folder) => `${folder}/${service}`)],
    folders: [dropinPath(service, ''), ...OTHER_FOLDERS.map((folder) => `${folder}/${service}.d/`)],
  };
}

/** The command that systemd will run, with the variables of the unit itself; undefined where its unit is not known. */
export function effectiveCommand(snapshot: PreflightSnapshot, service: string): string | undefined {
  const unit = parseUnitFile(effectiveTexts(snapshot, service).texts.join(NEXT_FILE));
  const [command] = settings(unit, 'Service', 'ExecStart').slice(-1);
  const variables = new Map(
    settings(unit, 'Service', 'Environment').flatMap((line) =>
      [...line.matchAll(/(?:"([A-Za-z_]\w*)=([^"]*)"|([A-Za-z_]\w*)=(\S*))/g)].map(
        ([, name, value, plainName, plainValue]) =>
          [name ?? plainName ?? '', value ?? plainValue ?? ''] as const,
      ),
    ),
  );
  return command?.replace(/\$\{?(\w+)\}?/g, (_, name: string) => variables.get(name) ?? '');
}

function merged(needs: readonly Needs[]): Needs {
  const all = (key: 'units' | 'paths' | 'files' | 'folders') => needs.flatMap((one) => one[key] ?? []);
  return { units: all('units'), paths: all('paths'), files: all('files'), folders: all('folders') };
}

function findings(snapshot: PreflightSnapshot, service: string): readonly Finding[] {
  return [
    ...syntaxFindings(snapshot, service),
    ...requirementFindings(snapshot, service),
    ...commandFindings(snapshot, service),
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

function commandFindings(snapshot: PreflightSnapshot, service: string): readonly Finding[] {
  const { texts, isWritten } = effectiveTexts(snapshot, service);
  if (!isWritten && !snapshot.change.osImage) return [];
  const unit = parseUnitFile(texts.join(NEXT_FILE));
  const hasWhole = texts.length > 0 && settings(unit, 'Service', 'ExecStart').length > 0;
  if (texts.length > 0 && isWritten && isBadlySet(service, unit) && hasUnitFile(snapshot, service)) {
    const why = 'it has no ExecStart, so systemd does not load it and the kubelet does not start';
    return [refusal(service, { why, remedy: 'add ExecStart to the unit or to its drop-in' })];
  }
  if (!hasWhole) return [];
  const endpoints = settings(unit, 'Service', 'ExecStart').flatMap(endpointsIn);
  return endpoints.flatMap((endpoint) =>
    endpointFindings(snapshot, { subject: service, setting: '--container-runtime-endpoint', endpoint }),
  );
}

/** Where settings of a file without a section header cannot become part of the file before. */
const NEXT_FILE = '\n[X-]\n';

function endpointsIn(text: string): readonly string[] {
  const found = runtimeEndpoint(text);
  return found === undefined ? [] : [found];
}

function hasUnitFile({ to, node }: PreflightSnapshot, service: string): boolean {
  const paths = [unitPath(service), ...OTHER_FOLDERS.map((folder) => `${folder}/${service}`)];
  return configText(to, unitPath(service)) !== undefined || paths.some((path) => node.files.has(path));
}

/** The unit file and its drop-ins as systemd will read them. `isWritten`: this update changes one of them. */
function effectiveTexts(snapshot: PreflightSnapshot, service: string) {
  const { to, node } = snapshot;
  const written = new Set(writtenPaths(snapshot));
  const ours = unitTextPaths(to, service);
  const folders = [unitPath(''), ...OTHER_FOLDERS.map((folder) => `${folder}/`)];
  const textAt = (path: string) => configText(to, path) ?? node.files.get(path);
  const whole = folders.map((folder) => textAt(`${folder}${service}`)).find((text) => text !== undefined);
  const dropins = new Map<string, string>();
  for (const folder of folders.map((one) => `${one}${service}.d/`)) {
    for (const path of [...ours, ...node.files.keys()]) {
      const name = path.startsWith(folder) ? path.slice(folder.length) : '';
      const text = textAt(path);
      if (isDropin(name) && !dropins.has(name) && text !== undefined) dropins.set(name, text);
    }
  }
  const ordered = [...dropins.keys()].sort().flatMap((name) => dropins.get(name) ?? []);
  return {
    texts: whole === undefined ? [] : [whole, ...ordered],
    isWritten: ours.some((path) => written.has(path)),
  };
}
