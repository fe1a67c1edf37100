/**
 * The configuration of the kubelet: a file that it cannot read keeps it from starting.
 */
import { isObject } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { type Check, type Finding, type PreflightChange, type PreflightSnapshot, refusal } from './check.ts';
import { flagsIn, flagValues } from './kubelet-flags.ts';
import { effectiveCommand, KUBELET_SERVICES, unitFileNeeds } from './kubelet-unit.ts';
import { parsedYaml } from './parse-problem.ts';
import { endpointFindings, serversOf, socketPath } from './runtime-sockets.ts';
import { inFolder, writtenTexts } from './written-texts.ts';

const CONFIG_FILES = ['/etc/kubernetes/kubelet.conf', '/var/lib/kubelet/config.yaml'];
const CONFIG_FOLDERS = ['/etc/kubernetes/kubelet.conf.d/', '/etc/openshift/kubelet.conf.d/'];
const KUBELET = 'kubelet.service';
const ENDPOINT = 'containerRuntimeEndpoint';

export const kubeletConfig: Check = {
  name: 'kubelet-config',
  needs(change) {
    const texts = configTexts(change);
    if (texts.length === 0) return {};
    const endpoints = texts.flatMap(({ text }) => endpointOf(parsedValue(text)));
    return {
      commandLines: KUBELET_SERVICES,
      ...unitFileNeeds(KUBELET),
      units: endpoints.flatMap(serversOf),
      paths: endpoints.flatMap((endpoint) => socketPath(endpoint) ?? []),
    };
  },
  run: (snapshot) => configTexts(snapshot).flatMap((file) => findings(snapshot, file)),
};

type ConfigFile = { readonly path: string; readonly text: string };

function configTexts(change: PreflightChange): readonly ConfigFile[] {
  const isInFolder = CONFIG_FOLDERS.map((folder) => inFolder(folder, '.conf'));
  return writtenTexts(
    change,
    (path) => CONFIG_FILES.includes(path) || isInFolder.some((isMeant) => isMeant(path)),
  );
}

function parsedValue(text: string): unknown {
  const parsed = parsedYaml(text);
  return parsed.kind === 'value' ? parsed.value : undefined;
}

function endpointOf(value: unknown): readonly string[] {
  const endpoint = isObject(value) ? stringAt(value, ENDPOINT) : '';
  return endpoint === '' ? [] : [endpoint];
}

function findings(snapshot: PreflightSnapshot, { path, text }: ConfigFile): readonly Finding[] {
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
  return endpointOf(value).flatMap((endpoint) =>
    endpointFindings(snapshot, { subject: path, setting: ENDPOINT, endpoint }),
  );
}

/** Whether the kubelet will have its credentials there; where its unit is not known, whether it has. */
function isCredentials(snapshot: PreflightSnapshot, path: string): boolean {
  const command = effectiveCommand(snapshot, KUBELET);
  return (command === undefined ? flagValues(snapshot, 'kubeconfig') : flagsIn(command, 'kubeconfig')).has(
    path,
  );
}

function overwrittenCredentials(path: string): Finding {
  const why = 'the kubelet of this node has its credentials there (--kubeconfig), and would lose them';
  return refusal(path, { why, remedy: 'write the file that its --config names instead' });
}
