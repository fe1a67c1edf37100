/**
 * Drop-ins of the kubelet's configuration are read only with `--config-dir`: without it they would have no effect, and nobody
 * would know.
 */
import { parseFlags } from '../../config/kubelet/index.ts';
import {
  expandCommand,
  parseEnvironment,
  parseEnvironmentFile,
  parseUnitFile,
  settings,
} from '../../config/systemd/index.ts';
import { dropinPath } from '../plan/index.ts';
import { type Check, type Finding, type PreflightSnapshot, refusal, warning } from './check.ts';
import { flagNeeds, flagValue, kubeletFlags } from './kubelet-arguments.ts';
import { KUBELET_SERVICES, kubeletUnitOf, type Texts, textsAfter } from './kubelet-command.ts';
import { isDropin, writtenPaths } from './written-texts.ts';

const FOLDER = '/etc/kubernetes/kubelet.conf.d';
const isInFolder = (path: string) => path.startsWith(`${FOLDER}/`) && path.endsWith('.conf');

/** Files that variables of the kubelet's unit usually come from, where the unit itself is not known. */
const USUAL_ENVIRONMENT_FILES = [
  '/etc/default/kubelet',
  '/etc/sysconfig/kubelet',
  '/etc/kubernetes/kubelet-env',
  '/var/lib/kubelet/kubeadm-flags.env',
];

export const kubeletConfigDir: Check = {
  name: 'kubelet-config-dir',
  needs(change, node) {
    if (!writtenPaths(change).some(isInFolder)) return {};
    const needs = flagNeeds(textsAfter({ ...change, ...(node === undefined ? {} : { node }) }));
    return {
      ...needs,
      files: [...needs.files, ...USUAL_ENVIRONMENT_FILES],
      paths: [...needs.paths, '/etc/sysconfig'],
    };
  },
  run: (snapshot) =>
    writtenPaths(snapshot)
      .filter(isInFolder)
      .slice(0, 1)
      .flatMap((path) => findings(snapshot, path)),
};

function findings(snapshot: PreflightSnapshot, path: string): readonly Finding[] {
  const texts = textsAfter(snapshot);
  const running = KUBELET_SERVICES.filter((service) => snapshot.node.commandLines.has(service));
  const services = running.length > 0 ? running : KUBELET_SERVICES;
  if (services.some((service) => readsFolder(snapshot, texts, service))) return [];
  const [service] = running;
  if (service === undefined) {
    return [
      warning(path, { why: `it has an effect only where the kubelet runs with --config-dir=${FOLDER}` }),
    ];
  }
  const why = `the kubelet does not run with --config-dir=${FOLDER}, so the file would have no effect`;
  return [refusal(path, { why, remedy: remedyFor(snapshot, service) })];
}

/** By the command of its unit; where that is not known as a whole, also by what runs and by what the variables usually are. */
function readsFolder(snapshot: PreflightSnapshot, texts: Texts, service: string): boolean {
  const flags = kubeletFlags(texts, snapshot, service);
  if (flags !== undefined && isFolder(flagValue(flags, 'config-dir'))) return true;
  if (flags?.isWhole === true) return false;
  const running = snapshot.node.commandLines.get(service) ?? [];
  return [running, ...usualWords(texts, service)].some((words) =>
    isFolder(flagValue(parseFlags(words), 'config-dir')),
  );
}

function isFolder(value: string | undefined): boolean {
  return value?.replace(/\/+$/, '') === FOLDER;
}

/** Words of variables that a unit may use which is not known: of the usual files, and of its drop-ins that are. */
function usualWords(texts: Texts, service: string): readonly (readonly string[])[] {
  const files = USUAL_ENVIRONMENT_FILES.flatMap((path) => [
    ...parseEnvironmentFile(texts.textAt(path) ?? '').values(),
  ]);
  const isUnknown = kubeletUnitOf(texts, service).paths.length === 0;
  const folder = dropinPath(service, '');
  const dropins = (isUnknown ? texts.below(folder) : [])
    .filter((path) => isDropin(path.slice(folder.length)))
    .flatMap((path) => settings(parseUnitFile(texts.textAt(path) ?? ''), 'Service', 'Environment'))
    .flatMap((line) => [...parseEnvironment(line).values()]);
  return [...files, ...dropins].map((value) => expandCommand('$VALUE', new Map([['VALUE', value]])) ?? []);
}

function remedyFor({ node }: PreflightSnapshot, service: string): string {
  if (service.startsWith('k3s')) {
    return `add "kubelet-arg: [config-dir=${FOLDER}]" to /etc/rancher/k3s/config.yaml and restart ${service}`;
  }
  const file = node.paths.get('/etc/sysconfig') === true ? '/etc/sysconfig/kubelet' : '/etc/default/kubelet';
  return `add KUBELET_EXTRA_ARGS=--config-dir=${FOLDER} to ${file} and restart the kubelet`;
}
