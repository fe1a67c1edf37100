/**
 * The configuration of the kubelet: a file that it cannot read, or values that it does not accept, keep it from starting. Values are
 * judged as the kubelet will have them: its file, its drop-ins and its flags, whichever config they come from.
 */
import { isObject } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import {
  capacityProblems,
  configurationProblems,
  dropInPaths,
  type Fields,
  flaggedFields,
  mergedConfiguration,
  undecodable,
  unknownFields,
  type ValueProblem,
  wholeConfiguration,
} from '../../config/kubelet/index.ts';
import {
  type Check,
  type Finding,
  type Needs,
  type PreflightChange,
  type PreflightSnapshot,
  refusal,
  warning,
} from './check.ts';
import { flagNeeds, flagValue, type KubeletFlags, kubeletFlags } from './kubelet-arguments.ts';
import { kubeletUnitOf, type Texts, textsAfter, textsBefore } from './kubelet-command.ts';
import { certificateFindings, certificatePaths } from './kubelet-files.ts';
import { managerFiles, managerFindings } from './kubelet-managers.ts';
import { parsedYaml } from './parse-problem.ts';
import { endpointFindings, serversOf, socketPath } from './runtime-sockets.ts';
import { writtenPaths, writtenTexts } from './written-texts.ts';

const CONFIG_FILES = ['/etc/kubernetes/kubelet.conf', '/var/lib/kubelet/config.yaml'];
const CONFIG_FOLDERS = ['/etc/kubernetes/kubelet.conf.d/', '/etc/openshift/kubelet.conf.d/'];
const KUBELET = 'kubelet.service';
const ENDPOINT = 'containerRuntimeEndpoint';

export const kubeletConfig: Check = {
  name: 'kubelet-config',
  needs(change, node) {
    if (writtenPaths(change).length === 0) return {};
    return needsOf(change, node === undefined ? undefined : { ...change, node });
  },
  run(snapshot) {
    const written = configTexts(snapshot, kubeletFlags(textsAfter(snapshot), snapshot, KUBELET));
    const broken = written.flatMap((file) => fileFindings(snapshot, file));
    return broken.length > 0 ? broken : valueFindings(snapshot);
  },
};

/** Of the first round: which files there are. Then those, and at last the socket. */
function needsOf(change: PreflightChange, snapshot: PreflightSnapshot | undefined): Needs {
  const flags = snapshot === undefined ? undefined : kubeletFlags(textsAfter(snapshot), snapshot, KUBELET);
  const endpoints = configTexts(change, flags).flatMap(({ text }) => endpointOf(parsedValue(text)));
  const [main, folder] = ['config', 'config-dir'].map((name) =>
    flags === undefined ? undefined : flagValue(flags, name),
  );
  const base = flagNeeds(textsAfter(snapshot ?? change));
  const after = snapshot === undefined ? undefined : effective(snapshot, textsAfter(snapshot));
  return {
    ...base,
    files: [...base.files, ...(main === undefined ? [] : [main]), ...managerFiles(flags)],
    folders: [...base.folders, ...(folder === undefined ? [] : [folderPath(folder)])],
    units: endpoints.flatMap(serversOf),
    paths: [
      ...base.paths,
      ...endpoints.flatMap((endpoint) => socketPath(endpoint) ?? []),
      ...(after === undefined ? [] : certificatePaths(after.configuration).map(({ path }) => path)),
    ],
  };
}

function folderPath(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`;
}

type ConfigFile = { readonly path: string; readonly text: string; readonly isDropIn: boolean };

/** What the update writes of the usual files, and of those that the kubelet is started with. */
function configTexts(change: PreflightChange, flags: KubeletFlags | undefined): readonly ConfigFile[] {
  const [main, folder] = ['config', 'config-dir'].map((name) =>
    flags === undefined ? undefined : flagValue(flags, name),
  );
  const folders = [...CONFIG_FOLDERS, ...(folder === undefined ? [] : [folderPath(folder)])];
  const dropIns = new Set(
    dropInPaths(writtenPaths(change).filter((path) => folders.some((one) => path.startsWith(one)))),
  );
  return writtenTexts(
    change,
    (path) => path === main || CONFIG_FILES.includes(path) || dropIns.has(path),
  ).map((file) => ({ ...file, isDropIn: dropIns.has(file.path) && file.path !== main }));
}

function parsedValue(text: string): unknown {
  const parsed = parsedYaml(text);
  return parsed.kind === 'value' ? parsed.value : undefined;
}

function endpointOf(value: unknown): readonly string[] {
  const endpoint = isObject(value) ? stringAt(value, ENDPOINT) : '';
  return endpoint === '' ? [] : [endpoint];
}

function fileFindings(snapshot: PreflightSnapshot, { path, text, isDropIn }: ConfigFile): readonly Finding[] {
  const parsed = parsedYaml(text);
  if (parsed.kind === 'unknown') return [];
  if (parsed.kind === 'broken') {
    return [
      refusal(path, { why: `${parsed.problem}, so the kubelet would not start`, remedy: 'correct it' }),
    ];
  }
  const { value } = parsed;
  const [kind, apiVersion] = isObject(value)
    ? [stringAt(value, 'kind'), stringAt(value, 'apiVersion')]
    : ['', ''];
  const isConfiguration = kind === 'KubeletConfiguration' && apiVersion.startsWith('kubelet.config.k8s.io/');
  const isKubeconfig = kind === 'Config' && apiVersion === 'v1';
  if (isCredentials(snapshot, path)) return isKubeconfig ? [] : [overwrittenCredentials(path)];
  // kubeadm keeps credentials in a file of the same name.
  if (!isConfiguration && !isKubeconfig) {
    const why = `it is no KubeletConfiguration of kubelet.config.k8s.io (kind ${kind || 'missing'}), so the kubelet would not start`;
    return [refusal(path, { why, remedy: 'set its apiVersion and kind' })];
  }
  const wrong = isConfiguration ? undecodable(value) : undefined;
  if (wrong !== undefined) {
    return [refusal(path, { why: `${wrong}, so the kubelet would not start`, remedy: 'correct it' })];
  }
  if (isDropIn && parsed.repeated !== undefined) {
    const why = `it has ${parsed.repeated} twice, which a kubelet does not accept in a drop-in, so it would not start`;
    return [refusal(path, { why, remedy: 'remove one of them' })];
  }
  return endpointOf(value).flatMap((endpoint) =>
    endpointFindings(snapshot, { subject: path, setting: ENDPOINT, endpoint }),
  );
}

/** Whether the kubelet will have its credentials there; where its unit is not known, whether it has. */
function isCredentials(snapshot: PreflightSnapshot, path: string): boolean {
  const flags = kubeletFlags(textsAfter(snapshot), snapshot, KUBELET);
  return flags !== undefined && flagValue(flags, 'kubeconfig') === path;
}

function overwrittenCredentials(path: string): Finding {
  const why = 'the kubelet of this node has its credentials there (--kubeconfig), and would lose them';
  return refusal(path, { why, remedy: 'write the file that its --config names instead' });
}

/** Problems that the update brings: a kubelet that runs with the same values accepts them. */
function valueFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  const after = effective(snapshot, textsAfter(snapshot));
  if (after === undefined || !isTouched(snapshot, after)) return [];
  const before = effective(snapshot, textsBefore(snapshot));
  const known = new Set(before === undefined ? [] : before.problems.map(problemText));
  const strangers = new Set(before?.unknown ?? []);
  const subject = after.written.length > 0 ? after.written.join(', ') : KUBELET;
  return [
    ...managerFindings(snapshot, { ...after, subject, before: before?.configuration }),
    ...certificateFindings(snapshot, { ...after, subject, before: before?.configuration }),
    ...after.problems
      .filter((problem) => !known.has(problemText(problem)))
      .map((one) => finding(subject, one)),
    ...after.unknown
      .filter((name) => !strangers.has(name))
      .map((name) =>
        warning(subject, {
          why: `${name} is no field that is known here; kubelets pass over what they do not know`,
        }),
      ),
  ];
}

function problemText({ path, message }: ValueProblem): string {
  return `${path} ${message}`;
}

function finding(subject: string, problem: ValueProblem): Finding {
  const text = problemText(problem);
  if (problem.certainty === 'doubtful') {
    return warning(subject, { why: `with it, the kubelet may not start: ${text}` });
  }
  return refusal(subject, {
    why: `with it, the kubelet would not start: ${text}`,
    remedy: 'correct the value',
  });
}

type Effective = {
  /** Files that it comes from, of those that the update writes. */
  readonly written: readonly string[];
  /** All of them, with those of the unit. */
  readonly paths: readonly string[];
  readonly problems: readonly ValueProblem[];
  /** With defaults and flags. */
  readonly configuration: Fields;
  readonly flags: KubeletFlags;
  readonly unknown: readonly string[];
};

/** Undefined where a part of it is not known. */
function effective(snapshot: PreflightSnapshot, texts: Texts): Effective | undefined {
  const flags = kubeletFlags(texts, snapshot, KUBELET);
  const parts = flags === undefined ? undefined : configParts(texts, flags);
  if (flags === undefined || parts === undefined) return undefined;
  const [main = {}, ...dropIns] = parts.map(({ value }) => value);
  const isWritten = new Set(writtenPaths(snapshot));
  const unit = kubeletUnitOf(texts, KUBELET);
  const [merged, flagged] = [mergedConfiguration(main, dropIns), flaggedFields(flags)];
  const configuration = wholeConfiguration(merged, flagged);
  const ignored = flagValue(flags, 'experimental-allocatable-ignore-eviction') !== undefined;
  return {
    written: parts.map(({ path }) => path).filter((path) => isWritten.has(path)),
    paths: [...parts, ...unit.environmentFiles].map(({ path }) => path).concat(unit.paths),
    problems: [
      ...configurationProblems(merged, flagged),
      ...capacityProblems(
        { ...configuration, ...(ignored ? { evictionHard: {} } : {}) },
        snapshot.node.capacity ?? {},
      ),
    ],
    configuration,
    flags,
    unknown: parts.flatMap(({ value }) => unknownFields(value)),
  };
}

function isTouched(change: PreflightChange, { paths }: Effective): boolean {
  const written = new Set(writtenPaths(change));
  return paths.some((path) => written.has(path));
}

type Part = { readonly path: string; readonly value: Fields };

/** The file of `--config`, then drop-ins; a kubelet without such a file has an empty one. */
function configParts(texts: Texts, flags: KubeletFlags): readonly Part[] | undefined {
  const [main, folder] = ['config', 'config-dir'].map((name) => flagValue(flags, name));
  if (main === undefined && !flags.isWhole) return undefined;
  const dropIns = folder === undefined ? [] : dropInPaths(texts.below(folderPath(folder)));
  const parts: Part[] = main === undefined ? [{ path: '', value: {} }] : [];
  for (const path of [...(main === undefined ? [] : [main]), ...dropIns]) {
    const value = parsedValue(texts.textAt(path) ?? '');
    if (!isObject(value) || undecodable(value) !== undefined) return undefined;
    parts.push({ path, value });
  }
  return parts;
}
