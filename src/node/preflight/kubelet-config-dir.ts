/**
 * Drop-ins of the kubelet's configuration are read only with `--config-dir`: without it they would have no effect, and nobody
 * would know.
 */
import { type Check, type Finding, type PreflightSnapshot, refusal, warning } from './check.ts';
import { isFlagSet, KUBELET_ENVIRONMENT_FILES, KUBELET_FOLDERS } from './kubelet-flags.ts';
import { KUBELET_SERVICES } from './kubelet-unit.ts';
import { inFolder, writtenPaths } from './written-texts.ts';

const FOLDER = '/etc/kubernetes/kubelet.conf.d';
const isDropin = inFolder(`${FOLDER}/`, '.conf');

export const kubeletConfigDir: Check = {
  name: 'kubelet-config-dir',
  needs(change) {
    if (!writtenPaths(change).some(isDropin)) return {};
    return {
      commandLines: KUBELET_SERVICES,
      files: KUBELET_ENVIRONMENT_FILES,
      folders: KUBELET_FOLDERS,
      paths: ['/etc/sysconfig'],
    };
  },
  run: (snapshot) =>
    writtenPaths(snapshot)
      .filter(isDropin)
      .slice(0, 1)
      .flatMap((path) => findings(snapshot, path)),
};

function findings(snapshot: PreflightSnapshot, path: string): readonly Finding[] {
  if (isFlagSet(snapshot, 'config-dir', FOLDER)) return [];
  const running = KUBELET_SERVICES.find((service) => snapshot.node.commandLines.has(service));
  if (running === undefined) {
    return [
      warning(path, { why: `it has an effect only where the kubelet runs with --config-dir=${FOLDER}` }),
    ];
  }
  const why = `the kubelet does not run with --config-dir=${FOLDER}, so the file would have no effect`;
  return [refusal(path, { why, remedy: remedyFor(snapshot, running) })];
}

function remedyFor({ node }: PreflightSnapshot, service: string): string {
  if (service.startsWith('k3s')) {
    return `add "kubelet-arg: [config-dir=${FOLDER}]" to /etc/rancher/k3s/config.yaml and restart ${service}`;
  }
  const file = node.paths.get('/etc/sysconfig') === true ? '/etc/sysconfig/kubelet' : '/etc/default/kubelet';
  return `add KUBELET_EXTRA_ARGS=--config-dir=${FOLDER} to ${file} and restart the kubelet`;
}
