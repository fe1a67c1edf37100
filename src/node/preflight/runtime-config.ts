/**
 * The configuration of the container runtime: with a file that it cannot read it does not start, or pulls no image.
 */
import { isObject, parseJson } from '../../base/json.ts';
import { parseCrioFile } from '../../config/crio/index.ts';
import { CONTAINERD, parseRegistriesConf, REGISTRIES_CONF_PATH } from '../../config/registries/index.ts';
import { type Check, type Finding, type PreflightSnapshot, refusal } from './check.ts';
import { containerdFindings, containerdNeeds } from './containerd-config.ts';
import { CRIO, crioFindings, crioNeeds } from './crio-config.ts';
import { jsonProblem, tomlProblem } from './parse-problem.ts';
import { inFolder, writtenTexts } from './written-texts.ts';

type ConfigKind = {
  readonly isMeant: (path: string) => boolean;
  /** The runtime that reads it. */
  readonly runtime: string;
  readonly problem: (text: string) => string | undefined;
};

const KINDS: readonly ConfigKind[] = [
  { isMeant: (path) => path === '/etc/crio/crio.conf', runtime: CRIO, problem: crioProblem },
  { isMeant: (path) => path.startsWith('/etc/crio/crio.conf.d/'), runtime: CRIO, problem: crioProblem },
  { isMeant: (path) => path === REGISTRIES_CONF_PATH, runtime: CRIO, problem: registriesProblem },
  {
    isMeant: inFolder('/etc/containers/registries.conf.d/', '.conf'),
    runtime: CRIO,
    problem: registriesProblem,
  },
  { isMeant: (path) => path === '/etc/containers/policy.json', runtime: CRIO, problem: policyProblem },
  { isMeant: inFolder('/etc/crio/policies/', '.json'), runtime: CRIO, problem: policyProblem },
  { isMeant: (path) => path === '/etc/containerd/config.toml', runtime: CONTAINERD, problem: tomlProblem },
  { isMeant: inFolder('/etc/containerd/conf.d/', '.toml'), runtime: CONTAINERD, problem: tomlProblem },
];

export const runtimeConfig: Check = {
  name: 'runtime-config',
  needs(change, node) {
    const [crio, containerd] = [crioNeeds(change, node), containerdNeeds(change)];
    return {
      ...crio,
      files: [...(crio.files ?? []), ...(containerd.files ?? [])],
      folders: [...(crio.folders ?? []), ...(containerd.folders ?? [])],
    };
  },
  run: (snapshot) => [
    ...KINDS.flatMap((kind) => findings(snapshot, kind)),
    ...crioFindings(snapshot),
    ...containerdFindings(snapshot),
  ],
};

function findings(
  snapshot: PreflightSnapshot,
  { isMeant, runtime, problem }: ConfigKind,
): readonly Finding[] {
  return writtenTexts(snapshot, isMeant).flatMap(({ path, text }) => {
    const { runtime: running = runtime } = snapshot.node;
    // What another runtime would read has no effect here.
    const found = running === runtime ? problem(text) : undefined;
    if (found === undefined) return [];
    return [refusal(path, { why: `${found}, so ${runtime} would not run pods`, remedy: 'correct it' })];
  });
}

function crioProblem(text: string): string | undefined {
  const parsed = parseCrioFile(text);
  return parsed.kind === 'broken' ? parsed.problem : undefined;
}

function registriesProblem(text: string): string | undefined {
  const parsed = parseRegistriesConf(text);
  if (parsed.kind === 'ok') return undefined;
  const [first] = parsed.problems;
  return `it is no registries.conf: ${first?.path ? `${first.path}: ` : ''}${first?.message ?? ''}`;
}

/** containers-policy.json(5): without a default nothing may be pulled, and the file is refused. */
function policyProblem(text: string): string | undefined {
  const broken = jsonProblem(text);
  if (broken !== undefined) return broken;
  const policy = parseJson(text);
  const rules: unknown = isObject(policy) ? policy.default : undefined;
  return Array.isArray(rules) && rules.length > 0 ? undefined : 'it has no requirements in "default"';
}
