/**
 * Flags of the kubelet: of the unit that the new config brings, else of the one that runs.
 */
import { dropinPath } from '../plan/index.ts';
import type { PreflightChange, PreflightSnapshot } from './check.ts';
import { KUBELET_SERVICES } from './kubelet-unit.ts';
import { configText, unitTextPaths } from './written-texts.ts';

/** Files that variables of the kubelet's unit usually come from. */
export const KUBELET_ENVIRONMENT_FILES: readonly string[] = [
  '/etc/default/kubelet',
  '/etc/sysconfig/kubelet',
  '/etc/kubernetes/kubelet-env',
  '/var/lib/kubelet/kubeadm-flags.env',
  '/etc/rancher/k3s/config.yaml',
];

/** Folders with more of them. */
export const KUBELET_FOLDERS: readonly string[] = [
  '/etc/rancher/k3s/config.yaml.d/',
  ...KUBELET_SERVICES.map((service) => dropinPath(service, '')),
];

/** The values of a flag, as in `--config=/a`, wherever the kubelet may get it from after the update. */
export function flagValues(snapshot: PreflightSnapshot, flag: string): ReadonlySet<string> {
  return new Set(kubeletTexts(snapshot).flatMap((text) => [...flagsIn(text, flag)]));
}

export function flagsIn(text: string, flag: string): ReadonlySet<string> {
  const pattern = new RegExp(`(?:--|kubelet-arg[=: ]+["']?)${flag}[= ]["']?([^\\s"']+)`, 'g');
  return new Set([...text.matchAll(pattern)].flatMap(([, value]) => (value === undefined ? [] : [value])));
}

/** k3s has lists of flags without dashes in its YAML. */
export function isFlagSet(snapshot: PreflightSnapshot, flag: string, value: string): boolean {
  if (flagValues(snapshot, flag).has(value)) return true;
  const text = `${flag}=${value}`;
  return kubeletTexts(snapshot).some((one) => one.includes(text));
}

function kubeletTexts(snapshot: PreflightSnapshot): readonly string[] {
  const { node } = snapshot;
  const running = KUBELET_SERVICES.flatMap((service) => node.commandLines.get(service)?.join(' ') ?? []);
  const isEnvironment = (path: string) =>
    KUBELET_ENVIRONMENT_FILES.includes(path) || KUBELET_FOLDERS.some((folder) => path.startsWith(folder));
  const onNode = [...node.files].filter(([path]) => isEnvironment(path)).map(([, text]) => text);
  return [...running, ...onNode, ...configTexts(snapshot)];
}

/** Of the new config: units of kubelets, and files with their variables. */
function configTexts({ to }: PreflightChange): readonly string[] {
  const paths = [
    ...KUBELET_SERVICES.flatMap((service) => unitTextPaths(to, service)),
    ...KUBELET_ENVIRONMENT_FILES,
    ...(to.ignition.storage?.files ?? [])
      .map(({ path }) => path)
      .filter((path) => KUBELET_FOLDERS.some((folder) => path.startsWith(folder))),
  ];
  return [...new Set(paths)].flatMap((path) => configText(to, path) ?? []);
}
