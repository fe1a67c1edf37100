/**
 * Config changes and the resulting actions of a node. `src/node/plan` must predict each row, and `test/daemon` runs
 * it on a real daemon.
 */
import type { MachineConfigSpec, NodeDisruptionPolicy } from '../../src/api/index.ts';
import { base64DataUrl } from '../../src/config/ignition/index.ts';
import type { NodeConfigParts } from './a-node-config.ts';
import { aFile } from './build.ts';

export type Side = NodeConfigParts;

export type Change = {
  readonly what: string;
  readonly before?: Side;
  readonly after?: Side;
  readonly policy?: NodeDisruptionPolicy;
  readonly isForced?: boolean;
  readonly isFirstBoot?: boolean;
  readonly actions: string;
  readonly drains: boolean;
  /** The kinds of the steps before the actions. */
  readonly steps: string;
};

const files = (...list: readonly object[]): Side => ({ storage: { files: list } }) as Side;
const text = (path: string, contents: string, extra: object = {}) =>
  files(aFile(path, contents, { mode: 0o644, ...extra }));
const units = (...list: readonly object[]): Side => ({ systemd: { units: list } }) as Side;
const core = (...users: readonly object[]): Side =>
  ({ passwd: { users: users.map((fields) => ({ name: 'core', ...fields })) } }) as Side;
const spec = (fields: MachineConfigSpec): Side => ({ spec: fields });
const both = (...sides: readonly Side[]): Side => {
  const list = sides.flatMap(({ storage }) => storage?.files ?? []);
  return Object.assign({}, ...sides, list.length > 0 ? { storage: { files: list } } : {});
};
const REGISTRIES = '/etc/containers/registries.conf';
const POLICY = '{"default":[{"type":"insecureAcceptAnything"}]}';
const kubelet = (maxPods: number) =>
  `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: ${maxPods}\n`;
const registries = (contents: string): Side => text(REGISTRIES, contents);
const entry = (location: string, ...mirrors: readonly string[]) =>
  [`[[registry]]\nprefix = ""\nlocation = "${location}"\n`, ...mirrors].join('');
const mirror = (location: string, pull?: string) =>
  `[[registry.mirror]]\nlocation = "${location}"\n${pull ? `pull-from-mirror = "${pull}"\n` : ''}`;
const search = (...names: readonly string[]) => `unqualified-search-registries = ${JSON.stringify(names)}\n`;
export const A = `registry.example/os@sha256:${'a'.repeat(64)}`;
export const B = `registry.example/os@sha256:${'b'.repeat(64)}`;
const L1 = 'registry.example/layered@sha256:1111';
const L2 = 'registry.example/layered@sha256:2222';
const unit = { name: 'x.service', contents: '[Service]\nExecStart=/bin/true\n', enabled: true };
const DROPIN = '/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf';

const REBOOT = { actions: '[Reboot]', drains: true };
const NONE = { actions: '[None]', drains: false };
const RELOAD = { actions: '[Reload crio.service]', drains: false };
const SAFE = { actions: '[Special]', drains: false, steps: 'files' };
const UNSAFE = { actions: '[Special]', drains: true, steps: 'drain files' };

// biome-ignore format: a table, one change a line.
export const CHANGES: readonly Change[] = [
  // OS image, kernel and boot settings.
  { what: 'the same config again', before: text('/etc/a', '1'), after: text('/etc/a', '1'), ...NONE, steps: '' },
  { what: 'a new OS image', before: spec({ osImageURL: A }), after: spec({ osImageURL: B }), ...REBOOT, steps: 'fetch drain os' },
  { what: 'a first OS image', after: spec({ osImageURL: B }), ...REBOOT, steps: 'fetch drain os' },
  { what: 'an OS image that is named no more', before: spec({ osImageURL: A }), ...NONE, steps: '' },
  { what: 'a kernel argument', after: spec({ kernelArguments: ['quiet'] }), ...REBOOT, steps: 'drain os' },
  { what: 'kernel arguments in another order', before: spec({ kernelArguments: ['a', 'b'] }), after: spec({ kernelArguments: ['b', 'a'] }), ...REBOOT, steps: 'drain os' },
  { what: 'a kernel argument twice', before: spec({ kernelArguments: ['a'] }), after: spec({ kernelArguments: ['a', 'a'] }), ...REBOOT, steps: 'drain os' },
  { what: 'an empty list of kernel arguments', after: spec({ kernelArguments: [] }), ...NONE, steps: '' },
  { what: 'the realtime kernel', after: spec({ kernelType: 'realtime' }), ...REBOOT, steps: 'drain os' },
  { what: 'the default kernel by its name', after: spec({ kernelType: 'default' }), ...NONE, steps: '' },
  { what: 'back from the realtime kernel', before: spec({ kernelType: 'realtime' }), ...REBOOT, steps: 'drain os' },
  { what: 'a file on a node with the realtime kernel', before: spec({ kernelType: 'realtime' }), after: both(spec({ kernelType: 'realtime' }), text('/etc/a', '1')), ...REBOOT, steps: 'drain files' },
  { what: 'an extension', after: spec({ extensions: ['usbguard'] }), ...REBOOT, steps: 'drain os' },
  { what: 'extensions in another order', before: spec({ extensions: ['usbguard', 'ipsec'] }), after: spec({ extensions: ['ipsec', 'usbguard'] }), ...NONE, steps: '' },
  { what: 'an extension that goes', before: spec({ extensions: ['usbguard'] }), ...REBOOT, steps: 'drain os' },
  { what: 'another extensions image alone', after: spec({ baseOSExtensionsContainerImage: B }), ...NONE, steps: '' },
  // Image mode.
  { what: 'into image mode', before: spec({ osImageURL: A }), after: both(spec({ osImageURL: A }), { image: L1 }), ...REBOOT, steps: 'fetch drain os' },
  { what: 'a new image of image mode', before: { image: L1 }, after: { image: L2 }, ...REBOOT, steps: 'fetch drain os' },
  { what: 'another OS image below the same image of image mode', before: both(spec({ osImageURL: A }), { image: L1 }), after: both(spec({ osImageURL: B }), { image: L1 }), ...NONE, steps: '' },
  { what: 'a file in image mode', before: { image: L1 }, after: both({ image: L1 }, text('/etc/containers/policy.json', POLICY)), ...RELOAD, steps: 'files' },
  { what: 'an extension in image mode, which the image brings', before: { image: L1 }, after: both({ image: L1 }, spec({ extensions: ['usbguard'] })), ...REBOOT, steps: 'drain' },
  { what: 'kernel arguments in image mode', before: { image: L1 }, after: both({ image: L1 }, spec({ kernelArguments: ['a'] })), ...REBOOT, steps: 'drain os' },
  { what: 'out of image mode', before: both(spec({ osImageURL: A }), { image: L1 }), after: spec({ osImageURL: A }), ...REBOOT, steps: 'fetch drain os' },
  // Files.
  { what: 'a file that no policy knows', after: text('/etc/a', '1'), ...REBOOT, steps: 'drain files' },
  { what: 'a file that no policy knows goes', before: text('/etc/a', '1'), ...REBOOT, steps: 'drain files' },
  { what: 'a mode', before: text('/etc/a', '1'), after: text('/etc/a', '1', { mode: 0o600 }), ...REBOOT, steps: 'drain files' },
  { what: 'an owner', before: text('/etc/a', '1'), after: text('/etc/a', '1', { user: { name: 'core' } }), ...REBOOT, steps: 'drain files' },
  { what: 'files in another order (edge case 12)', before: files(aFile('/etc/a', '1'), aFile('/etc/b', '2')), after: files(aFile('/etc/b', '2'), aFile('/etc/a', '1')), ...NONE, steps: '' },
  { what: 'the same contents in another encoding', before: text('/etc/crio/policies/a', '1'), after: files({ path: '/etc/crio/policies/a', mode: 0o644, contents: { source: base64DataUrl('', '1') } }), ...RELOAD, steps: 'files' },
  { what: 'the pull secret', before: text('/var/lib/kubelet/config.json', '{}'), after: text('/var/lib/kubelet/config.json', '{"auths":{}}'), ...NONE, steps: 'files' },
  { what: 'the pull secret goes', before: text('/var/lib/kubelet/config.json', '{}'), ...NONE, steps: 'files' },
  { what: 'a key for signatures', after: text('/etc/machine-config-daemon/no-reboot/containers-gpg.pub', 'k'), ...RELOAD, steps: 'files' },
  { what: 'a policy for signatures', after: text('/etc/containers/policy.json', POLICY), ...RELOAD, steps: 'files' },
  { what: 'a file in registries.d', after: text('/etc/containers/registries.d/a.yaml', ''), ...RELOAD, steps: 'files' },
  { what: 'a file deep in registries.d', after: text('/etc/containers/registries.d/a/b.yaml', ''), ...RELOAD, steps: 'files' },
  { what: 'a file whose name only begins as a policy does (edge case 13)', after: text('/etc/containers/registries.dump', ''), ...REBOOT, steps: 'drain files' },
  { what: 'a file in registries.conf.d, which no policy knows', after: text('/etc/containers/registries.conf.d/01-image-searchRegistries.conf', ''), ...REBOOT, steps: 'drain files' },
  { what: 'a policy of a namespace', after: text('/etc/crio/policies/ns.json', POLICY), ...RELOAD, steps: 'files' },
  { what: 'a network file', after: text('/etc/nmstate/openshift/a.yml', ''), ...NONE, steps: 'files' },
  { what: "the users' authorities", after: text('/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt', 'c'), actions: '[Restart coreos-update-ca-trust.service, Restart crio.service]', drains: false, steps: 'files' },
  { what: 'a credential provider', after: text('/etc/kubernetes/credential-providers/a.yaml', ''), actions: '[Restart kubelet.service]', drains: false, steps: 'files' },
  { what: 'the drop-in of the credential provider as a file', after: text(DROPIN, '[Service]\n'), actions: '[DaemonReload, Restart kubelet.service]', drains: false, steps: 'files' },
  { what: 'the same drop-in as part of a unit', after: units({ name: 'kubelet.service', dropins: [{ name: '40-kubelet-crio-image-credential-provider.conf', contents: '[Service]\n' }] }), ...REBOOT, steps: 'drain files' },
  { what: 'two files of one policy', after: both(text('/etc/crio/policies/a', ''), text('/etc/crio/policies/b', '')), ...RELOAD, steps: 'files' },
  { what: 'a file with something to do and one with nothing', after: both(text('/etc/crio/policies/a', ''), text('/etc/nmstate/openshift/a', '')), ...RELOAD, steps: 'files' },
  { what: 'a file with a policy and one without (edge case 11)', after: both(text('/etc/crio/policies/a', ''), text('/etc/a', '')), ...REBOOT, steps: 'drain files' },
  { what: 'a file with a policy, and one without that goes', before: text('/etc/a', ''), after: text('/etc/crio/policies/a', ''), ...REBOOT, steps: 'drain files' },
  { what: 'authorities and a policy for signatures', after: both(text('/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt', 'c'), text('/etc/containers/policy.json', POLICY)), actions: '[Restart coreos-update-ca-trust.service, Restart crio.service, Reload crio.service]', drains: false, steps: 'files' },
  // registries.conf.
  { what: 'a registry with a digest mirror', before: registries(search('a')), after: registries(search('a') + entry('r', mirror('m', 'digest-only'))), ...SAFE },
  { what: 'a registry with a tag mirror', before: registries(search('a')), after: registries(search('a') + entry('r', mirror('m', 'tag-only'))), ...UNSAFE },
  { what: 'one more search registry', before: registries(search('a')), after: registries(search('a', 'b')), ...SAFE },
  { what: 'search registries in another order', before: registries(search('a', 'b')), after: registries(search('b', 'a')), ...UNSAFE },
  { what: 'a registry that goes', before: registries(entry('r')), after: registries(''), ...UNSAFE },
  { what: 'registries.conf that goes', before: registries(entry('r')), ...UNSAFE },
  { what: 'a safe registries.conf and a file with a policy', before: registries(''), after: both(registries(search('a')), text('/etc/crio/policies/a', '')), actions: '[Special, Reload crio.service]', drains: false, steps: 'files' },
  { what: 'a safe registries.conf and a file without a policy', before: registries(''), after: both(registries(search('a')), text('/etc/a', '')), ...REBOOT, steps: 'drain files' },
  // Units.
  { what: 'a unit', after: units(unit), ...REBOOT, steps: 'drain files' },
  { what: 'a unit that goes', before: units(unit), ...REBOOT, steps: 'drain files' },
  { what: 'a unit that is disabled', before: units(unit), after: units({ ...unit, enabled: false }), ...REBOOT, steps: 'drain files' },
  { what: 'a unit that is masked', before: units(unit), after: units({ ...unit, mask: true }), ...REBOOT, steps: 'drain files' },
  { what: 'units in another order', before: units(unit, { name: 'y.service', enabled: true }), after: units({ name: 'y.service', enabled: true }, unit), ...NONE, steps: '' },
  { what: 'the unit of the registry for releases', after: units({ ...unit, name: 'iri-registry.service' }), actions: '[DaemonReload, Restart iri-registry.service]', drains: false, steps: 'files' },
  { what: 'that unit with its files', after: both(units({ ...unit, name: 'iri-registry.service' }), text('/etc/iri-registry/a', '')), actions: '[DaemonReload, Restart iri-registry.service]', drains: false, steps: 'files' },
  // Users.
  { what: 'an SSH key', before: core({ sshAuthorizedKeys: ['a'] }), after: core({ sshAuthorizedKeys: ['a', 'b'] }), ...NONE, steps: 'ssh-keys' },
  { what: 'a password', before: core({ sshAuthorizedKeys: ['a'] }), after: core({ sshAuthorizedKeys: ['a'], passwordHash: 'x' }), ...NONE, steps: 'passwords' },
  { what: 'the user goes, with key and password', before: core({ sshAuthorizedKeys: ['a'], passwordHash: 'x' }), ...NONE, steps: 'ssh-keys passwords' },
  { what: 'an SSH key and a file', after: both(core({ sshAuthorizedKeys: ['a'] }), text('/etc/containers/policy.json', POLICY)), ...RELOAD, steps: 'files ssh-keys' },
  { what: 'everything at once', after: both(core({ sshAuthorizedKeys: ['a'], passwordHash: 'x' }), text('/etc/a', ''), units(unit), spec({ osImageURL: B, kernelArguments: ['a'] })), ...REBOOT, steps: 'fetch drain files ssh-keys passwords os' },
  // Node disruption policies.
  { what: 'a policy for a folder', after: text('/etc/foo/a', ''), policy: { files: [{ path: '/etc/foo', actions: [{ type: 'None' }] }] }, ...NONE, steps: 'files' },
  { what: 'a policy with a slash at its end', after: text('/etc/foo/a', ''), policy: { files: [{ path: '/etc/foo/', actions: [{ type: 'None' }] }] }, ...NONE, steps: 'files' },
  { what: 'a policy for /, which matches nothing', after: text('/etc/foo/a', ''), policy: { files: [{ path: '/', actions: [{ type: 'None' }] }] }, ...REBOOT, steps: 'drain files' },
  { what: 'a policy that is no pattern', after: text('/etc/foo/a', ''), policy: { files: [{ path: '/etc/foo/*', actions: [{ type: 'None' }] }] }, ...REBOOT, steps: 'drain files' },
  { what: 'of two policies the longer one', after: text('/etc/foo/bar/a', ''), policy: { files: [{ path: '/etc/foo', actions: [{ type: 'Reboot' }] }, { path: '/etc/foo/bar', actions: [{ type: 'DaemonReload' }] }] }, actions: '[DaemonReload]', drains: false, steps: 'files' },
  { what: 'a policy in the place of a default', after: text('/etc/containers/policy.json', POLICY), policy: { files: [{ path: '/etc/containers/policy.json', actions: [{ type: 'Drain' }, { type: 'Restart', restart: { serviceName: 'crio.service' } }] }] }, actions: '[Drain, Restart crio.service]', drains: true, steps: 'drain files' },
  { what: 'a policy that asks for a drain alone', after: units(unit), policy: { units: [{ name: 'x.service', actions: [{ type: 'Drain' }] }] }, actions: '[Drain]', drains: true, steps: 'drain files' },
  { what: 'a policy that reboots among others that do not', after: both(text('/etc/foo', ''), text('/etc/crio/policies/a', '')), policy: { files: [{ path: '/etc/foo', actions: [{ type: 'Reboot' }] }] }, ...REBOOT, steps: 'drain files' },
  { what: 'a policy for SSH keys', after: core({ sshAuthorizedKeys: ['a'] }), policy: { sshkey: { actions: [{ type: 'Reload', reload: { serviceName: 'sshd.service' } }] } }, actions: '[Reload sshd.service]', drains: false, steps: 'ssh-keys' },
  { what: 'a policy without actions', after: text('/etc/foo', ''), policy: { files: [{ path: '/etc/foo', actions: [] }] }, ...NONE, steps: 'files' },
  { what: 'two policies that both reload systemd', after: both(units(unit), text('/etc/foo', '')), policy: { files: [{ path: '/etc/foo', actions: [{ type: 'DaemonReload' }, { type: 'Restart', restart: { serviceName: 'foo.service' } }] }], units: [{ name: 'x.service', actions: [{ type: 'DaemonReload' }, { type: 'Restart', restart: { serviceName: 'x.service' } }] }] }, actions: '[DaemonReload, Restart foo.service, Restart x.service]', drains: false, steps: 'files' },
  // Generated configs.
  { what: 'a KubeletConfig', before: text('/etc/kubernetes/kubelet.conf', kubelet(250)), after: text('/etc/kubernetes/kubelet.conf', kubelet(500)), ...REBOOT, steps: 'drain files' },
  { what: 'a KubeletConfig that goes, with its log level', before: both(text('/etc/kubernetes/kubelet.conf', kubelet(500)), text('/etc/systemd/system/kubelet.service.d/20-logging.conf', '[Service]')), after: text('/etc/kubernetes/kubelet.conf', kubelet(250)), ...REBOOT, steps: 'drain files' },
  { what: 'a ContainerRuntimeConfig', after: text('/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit', '[crio.runtime]'), ...REBOOT, steps: 'drain files' },
  { what: 'a ContainerRuntimeConfig, with a policy of the user', after: text('/etc/crio/crio.conf.d/01-ctrcfg-logLevel', '[crio.runtime]'), policy: { files: [{ path: '/etc/crio/crio.conf.d', actions: [{ type: 'Reload', reload: { serviceName: 'crio.service' } }] }] }, ...RELOAD, steps: 'files' },
  { what: 'an ImageTagMirrorSet', before: registries(search('a') + entry('r', mirror('m', 'tag-only'))), after: registries(search('a') + entry('r', mirror('m', 'tag-only'), mirror('n', 'tag-only'))), ...UNSAFE },
  { what: 'an ImageDigestMirrorSet', before: registries(search('a') + entry('r', mirror('m', 'tag-only'))), after: registries(search('a') + entry('r', mirror('n', 'digest-only'), mirror('m', 'tag-only'))), ...SAFE },
  { what: 'a mirror set that goes', before: registries(search('a') + entry('r', mirror('m', 'digest-only'))), after: registries(search('a')), ...UNSAFE },
  { what: 'registries, with a policy of the user that reboots', before: registries(search('a')), after: registries(search('a') + entry('r', mirror('m', 'digest-only'))), policy: { files: [{ path: '/etc/containers/registries.conf', actions: [{ type: 'Reboot' }] }] }, ...REBOOT, steps: 'drain files' },
  { what: 'a policy for a unit', before: units(unit), after: units({ ...unit, enabled: false }), policy: { units: [{ name: 'x.service', actions: [{ type: 'DaemonReload' }] }] }, actions: '[DaemonReload]', drains: false, steps: 'files' },
  { what: 'a policy for SSH keys that reboots', after: core({ sshAuthorizedKeys: ['a'] }), policy: { sshkey: { actions: [{ type: 'Reboot' }] } }, ...REBOOT, steps: 'drain ssh-keys' },
  // Circumstances.
  { what: 'the same config, forced', before: both(text('/etc/a', ''), units(unit)), after: both(text('/etc/a', ''), units(unit)), isForced: true, ...REBOOT, steps: 'drain files' },
  { what: 'the same image, forced', before: spec({ osImageURL: A }), after: spec({ osImageURL: A }), isForced: true, ...REBOOT, steps: 'fetch drain files os' },
  { what: 'a file with a policy, forced', after: text('/etc/containers/policy.json', POLICY), isForced: true, ...REBOOT, steps: 'drain files' },
  { what: 'the first boot with a new image', before: spec({ osImageURL: A }), after: spec({ osImageURL: B }), isFirstBoot: true, actions: '[Reboot]', drains: false, steps: 'os' },
  { what: 'the first boot with nothing to do', before: spec({ osImageURL: A }), after: spec({ osImageURL: A }), isFirstBoot: true, ...NONE, steps: '' },
];
