/**
 * Whether an update may bring a program or file that neither the machine nor the config has: with another OS, or by a unit that
 * makes it. What a unit does is read from its commands and from the scripts of the config; of other programs nothing is known.
 */
import { parseUnitFile } from '../../config/systemd/index.ts';
import { type NodeConfig, pathsOf } from '../plan/index.ts';
import type { PreflightSnapshot } from './check.ts';
import { programIn } from './unit-programs.ts';
import { configText, unitTextPaths, writtenPaths } from './written-texts.ts';

type Sought = {
  /** Any of them will do, as the places of a program in PATH. */
  readonly paths: readonly string[];
  /** Units that need it, and so do not bring it. */
  readonly users: readonly string[];
};

export function mayInstall(snapshot: PreflightSnapshot, { paths, users }: Sought): boolean {
  const { to, change, isForced, node } = snapshot;
  if (node.nextOs !== 'booted' || change.extensions) return true;
  const changed = new Set(change.changedUnits);
  const others = (to.ignition.systemd?.units ?? []).filter(({ name }) => !users.includes(name));
  const isChanged = ({ name }: { readonly name: string }) => isForced || changed.has(name);
  // What a mount has is not known, nor what a unit of the node does.
  const isUnknown = others.some(
    ({ name, enabled, contents }) =>
      isChanged({ name }) && (/mount$/.test(name) || (enabled === true && !contents)),
  );
  const written = writtenPaths(snapshot);
  const commands = others.flatMap((unit) => {
    const own = unitTextPaths(to, unit.name).flatMap((path) => commandsIn(configText(to, path) ?? ''));
    const texts = [...own, ...scriptsOf(to, own)];
    const isNews = isChanged(unit) || texts.some((text) => written.some((path) => text.includes(path)));
    return isNews ? own : [];
  });
  const temporary = pathsOf(to).filter((path) => path.startsWith('/etc/tmpfiles.d/'));
  const isListed = temporary.some((one) => paths.some((path) => configText(to, one)?.includes(path)));
  return isUnknown || isListed || mayBring(snapshot, { commands, paths });
}

type Commands = { readonly commands: readonly string[]; readonly paths: readonly string[] };

/** Whether one of these commands may bring it. */
export function mayBring({ to }: PreflightSnapshot, { commands, paths }: Commands): boolean {
  const ours = new Set(pathsOf(to));
  if (commands.some((command) => isOpaque(command, ours))) return true;
  const scripts = scriptsOf(to, commands);
  if (scripts.some((script) => runsOthers(script, ours))) return true;
  return [...commands, ...scripts].some(
    (text) => INSTALLERS.test(text) || paths.some((path) => isNamed(text, path)),
  );
}

/** The texts of scripts of the config that these commands run, and that those scripts run. */
function scriptsOf(to: NodeConfig, commands: readonly string[]): readonly string[] {
  const left = new Set(
    (to.ignition.storage?.files ?? []).filter(({ mode = 0 }) => (mode & 0o111) !== 0).map(({ path }) => path),
  );
  const found: string[] = [];
  for (let open = commands; open.length > 0; ) {
    const run = [...left].filter((path) => open.some((text) => text.includes(path)));
    for (const path of run) left.delete(path);
    open = run.map((path) => configText(to, path) ?? '');
    found.push(...open);
  }
  return found;
}

/** Whether a command starts a program of which nothing is known. */
function isOpaque(command: string, ours: ReadonlySet<string>): boolean {
  const program = programIn(command);
  if (program === undefined) return true;
  if (ours.has(program)) return false;
  return SHELLS.has(nameOf(program)) ? runsOthers(command, ours) : !HARMLESS.has(nameOf(program));
}

function runsOthers(script: string, ours: ReadonlySet<string>): boolean {
  const named = script.match(PROGRAMS) ?? [];
  return named.some((path) => !(ours.has(path) || HARMLESS.has(nameOf(path)) || SHELLS.has(nameOf(path))));
}

/** Of any kind: also those that run once the service has ended. */
function commandsIn(text: string): readonly string[] {
  const service = parseUnitFile(text).get('Service') ?? [];
  return [...service].flatMap(([key, values]) => (key.startsWith('Exec') ? values : []));
}

/** The program itself, or its folder as a whole, where a command may put anything. */
function isNamed(text: string, path: string): boolean {
  const [folder, name] = [path.slice(0, path.lastIndexOf('/')), nameOf(path)].map((one) =>
    one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  return new RegExp(`(?<![\\w.-])${name}(?![\\w-])|${folder}/?(?![\\w./-])`).test(text);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** They bring what they do not name. */
const INSTALLERS =
  /(?<![\w.-])(?:apk|apt|apt-get|ctr|curl|dnf|docker|dpkg|git|helm|mount|nerdctl|oras|perl|pip3?|podman|python3?|rpm|rpm-ostree|rsync|scp|skopeo|snap|systemctl|systemd-run|tar|unzip|wget|yum|zypper)(?![\w-])/;

/** Programs of every OS that do no more than their arguments say. */
const HARMLESS: ReadonlySet<string> = new Set(
  `cat chcon chmod chown cp echo ethtool false hostnamectl install ip kill ln loginctl logger ls mkdir modprobe mv
   nmcli printf restorecon rm rmdir sed sleep stat swapoff swapon sysctl systemd-sysctl systemd-tmpfiles tee
   test timedatectl touch true tuned-adm udevadm`.split(/\s+/),
);

/** They run what they are told to. */
const SHELLS: ReadonlySet<string> = new Set(['bash', 'dash', 'env', 'sh']);

/** Paths in a script that may be those of programs. */
const PROGRAMS = /(?<![\w.$}/-])\/(?:opt|usr|s?bin|home|root|srv)\/[\w.@/+-]+/g;
