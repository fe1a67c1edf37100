/**
 * What systemd starts as the kubelet, and as its container runtime: a program that does not exist, or a kubelet that no longer knows
 * its cluster, and the node is lost.
 */
import { parseFlags } from '../../config/kubelet/index.ts';
import {
  type Finding,
  type Needs,
  type NodeFacts,
  type PreflightChange,
  type PreflightSnapshot,
  refusal,
  warning,
} from './check.ts';
import { flagValue, isKubeletCommand } from './kubelet-arguments.ts';
import {
  KUBELET_SERVICES,
  kubeletCommandOf,
  type Texts,
  textsAfter,
  textsBefore,
} from './kubelet-command.ts';
import { mayInstall } from './program-sources.ts';
import {
  isMissing,
  programBeforeNeeds,
  programPaths,
  programsAfter,
  programsBefore,
  unexecutableMode,
} from './unit-programs.ts';
import { unitTextPaths, writtenPaths } from './written-texts.ts';

const KUBELET = 'kubelet.service';

/** By the name that the runtime has in its Node. */
const RUNTIME_SERVICES: ReadonlyMap<string, readonly string[]> = new Map([
  ['cri-o', ['crio.service', 'cri-o.service']],
  ['containerd', ['containerd.service']],
  ['docker', ['docker.service', 'cri-docker.service']],
]);

/** Of the first round: unit files. Then the programs that they name. */
export function programNeeds(change: PreflightChange, node?: NodeFacts): Needs {
  const services = essentialServices(node?.runtime);
  const needs = services.map(programBeforeNeeds);
  const snapshot = node === undefined ? undefined : { ...change, node };
  const programs =
    snapshot === undefined
      ? []
      : [programsAfter, programsBefore].flatMap((programs) =>
          changedServices(change, node?.runtime).flatMap((service) => programs(snapshot, service)),
        );
  return {
    files: needs.flatMap(({ files }) => files ?? []),
    folders: needs.flatMap(({ folders }) => folders ?? []),
    commandLines: services,
    paths: programs.flatMap(programPaths),
  };
}

/** Whose unit the update writes. */
function changedServices(change: PreflightChange, runtime: string | undefined): readonly string[] {
  const written = new Set(writtenPaths(change));
  return essentialServices(runtime).filter((service) =>
    unitTextPaths(change.to, service).some((path) => written.has(path)),
  );
}

export function essentialServices(runtime: string | undefined): readonly string[] {
  return [...KUBELET_SERVICES, ...(RUNTIME_SERVICES.get(runtime ?? '') ?? [])];
}

export function programFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  const { runtime } = snapshot.node;
  const changed = new Set(changedServices(snapshot, runtime));
  return essentialServices(runtime).flatMap((service) => {
    const programs = [...new Set(programsAfter(snapshot, service))];
    return [
      ...programs.flatMap((program) =>
        modeFindings(snapshot, { service, program, isChanged: changed.has(service) }),
      ),
      ...(changed.has(service)
        ? programs.flatMap((program) => missingFindings(snapshot, { service, program }))
        : []),
    ];
  });
}

type ServiceProgram = { readonly service: string; readonly program: string };

/** Where the update writes the program, or has the service start it. */
function modeFindings(
  snapshot: PreflightSnapshot,
  { service, program, isChanged }: ServiceProgram & { readonly isChanged: boolean },
): readonly Finding[] {
  const mode = unexecutableMode(snapshot.to, program);
  const isNews =
    writtenPaths(snapshot).includes(program) ||
    (isChanged && !programsBefore(snapshot, service).includes(program));
  if (mode === undefined || !isNews) return [];
  const why = `the config writes its program ${program} with mode ${mode}, so that nobody can execute it and ${lost(service)}`;
  return [refusal(service, { why, remedy: 'set mode 0755' })];
}

/** Only of units that had another program: then they were started with that. */
function missingFindings(
  snapshot: PreflightSnapshot,
  { service, program }: ServiceProgram,
): readonly Finding[] {
  if (!isMissing(snapshot, { unit: service, program })) return [];
  const [before, after] = [programsBefore(snapshot, service), programsAfter(snapshot, service)];
  const isPreparing = after.at(-1) !== program;
  // Sandboxes have units whose programs nobody needs.
  const isSeen = [...before, ...after].some((path) => snapshot.node.paths.get(path) === true);
  if (isPreparing && !isSeen) return [];
  const why = `its program ${program} does not exist on the node`;
  const isNew = before.length === 0;
  if (isNew || mayInstall(snapshot, { paths: [program], users: [service, ...KUBELET_SERVICES] })) {
    return [warning(service, { why })];
  }
  const remedy = `correct ${isPreparing ? 'ExecStartPre' : 'ExecStart'}, or have the config write the program`;
  return [refusal(service, { why: `${why}, so ${lost(service)}`, remedy })];
}

function lost(service: string): string {
  return KUBELET_SERVICES.includes(service)
    ? 'the kubelet would not start'
    : 'the container runtime would not start';
}

/**
 * Without either file, a kubelet runs on its own and no longer belongs to the cluster. Units are compared with units: a program may
 * be a script that adds flags.
 */
export function standaloneFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  if (isConnected(textsAfter(snapshot)) !== false) return [];
  const words = snapshot.node.commandLines.get(KUBELET);
  const before = isConnected(textsBefore(snapshot)) ?? (words === undefined ? false : hasCredentials(words));
  if (!before) return [];
  const why =
    'its command has neither --kubeconfig nor --bootstrap-kubeconfig, which it has now, so the kubelet would run without the cluster';
  const remedy = 'add --kubeconfig to the command, or to the variables that it uses';
  return [refusal(KUBELET, { why, remedy })];
}

/** Undefined where that is not known, as of a script that starts the kubelet. */
function isConnected(texts: Texts): boolean | undefined {
  const command = kubeletCommandOf(texts, KUBELET);
  if (command?.words === undefined) return undefined;
  if (hasCredentials(command.words)) return true;
  return command.isWhole && isKubeletCommand(command.words) ? false : undefined;
}

function hasCredentials(words: readonly string[]): boolean {
  const flags = parseFlags(words.slice(1));
  return ['kubeconfig', 'bootstrap-kubeconfig'].some((name) => (flagValue(flags, name) ?? '') !== '');
}
