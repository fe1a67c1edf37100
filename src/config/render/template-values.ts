/**
 * The values of the template placeholders: all conditions and all quoting are here.
 *
 * All of a ControllerConfig is optional: a plain Kubernetes cluster has none, and its nodes get only the files that
 * need no input. Values come from users, so each is validated or quoted for the place where the template uses it, and
 * no message repeats a credential.
 */

import { invalid, type Outcome, ok, type Problem, within } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { valueAt } from '../../base/json-fields.ts';
import { checkDnsSubdomain } from '../../kubernetes/meta/index.ts';
import { decodeDataUrl } from '../ignition/index.ts';
import type { BaseConfigInput } from './base-config-input.ts';
import { type KubeletTls, kubeletTls } from './kubelet-tls.ts';
import { PLATFORMS } from './template-tree.ts';

/** Strings without a trailing line break; empty where not applicable. */
export type TemplateValues = {
  /** Certificates in PEM. */
  readonly additionalTrustBundle: string;
  readonly apiServerHost: string;
  readonly apiServerPort: string;
  readonly cloudConfig: string;
  /** Lines of TOML for the table `crio.image`. */
  readonly crioPauseImage: string;
  /** Lines of YAML for the top level of a KubeletConfiguration. */
  readonly kubeletClusterDns: string;
  /** Each flag with a space before it. */
  readonly kubeletFlags: string;
  /** Lines of YAML for the top level of a KubeletConfiguration. */
  readonly kubeletTls: string;
  /** Lines of an EnvironmentFile. */
  readonly proxyEnvironment: string;
  /** JSON in one line. */
  readonly pullSecret: string;
};

/** The values, and the variants of templates to use. */
type TemplateChoice = { readonly values: TemplateValues; readonly variants: readonly string[] };

export function templateChoice(input: BaseConfigInput): Outcome<TemplateChoice> {
  const config = input.controllerConfig ?? {};
  const report: Report = { problems: [], warnings: [] };
  const platform = platformOf(config, report);
  const apiServer = apiServerOf(input, report);
  const tls = kubeletTls(input.tlsProfile);
  if (tls.kind === 'ok') report.warnings.push(...tls.warnings.map((item) => within('tlsProfile', item)));
  else report.problems.push(...tls.problems.map((item) => within('tlsProfile', item)));
  const values: TemplateValues = {
    additionalTrustBundle: trustBundleOf(config, report),
    apiServerHost: apiServer.host,
    apiServerPort: apiServer.port,
    cloudConfig: withoutLastBreaks(textAt(config, ['cloudProviderConfig'], report)),
    crioPauseImage: pauseImageLines(textAt(config, ['images', 'infraImageKey'], report)),
    kubeletClusterDns: clusterDnsLines(config, report),
    kubeletFlags: kubeletFlags(config, platform, report),
    kubeletTls: tls.kind === 'ok' ? tlsLines(tls.value) : '',
    proxyEnvironment: proxyLines(config, report),
    pullSecret: compactSecret(input.pullSecret, report),
  };
  const isSingle = textAt(config, ['infra', 'status', 'controlPlaneTopology'], report) === 'SingleReplica';
  const variants = ['_base', platform, ...(isSingle ? ['sno'] : [])];
  return report.problems.length > 0 ? invalid(report.problems) : ok({ values, variants }, report.warnings);
}

type Config = NonNullable<BaseConfigInput['controllerConfig']>;
type Report = { readonly problems: Problem[]; readonly warnings: Problem[] };

/** In lower case, like the names of variants. */
function platformOf(config: Config, report: Report): string {
  const path = ['infra', 'status', 'platformStatus', 'type'];
  const type = textAt(config, path, report) || textAt(config, ['platform'], report);
  const platform = type.toLowerCase();
  if (type === '' || PLATFORMS.has(platform)) return platform || 'none';
  const message = `unknown platform ${JSON.stringify(type)} counts as None`;
  report.warnings.push({ path: fieldPath(path), message });
  return 'none';
}

/** The API server address for host-network pods. The two variables they read cannot express a path. */
function apiServerOf(
  input: BaseConfigInput,
  report: Report,
): { readonly host: string; readonly port: string } {
  const path = ['infra', 'status', 'apiServerInternalURI'];
  const url = input.apiServerUrl ?? textAt(input.controllerConfig ?? {}, path, report);
  if (url === '') return { host: '', port: '' };
  const [, host, port = '443'] =
    /^https:\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?\/?$/.exec(url) ?? [];
  if (host !== undefined) return { host: host.replace(/[[\]]/g, ''), port };
  report.problems.push({
    path: input.apiServerUrl === undefined ? fieldPath(path) : 'apiServerUrl',
    message: `must be an https URL of a host and a port, not ${JSON.stringify(url)}`,
  });
  return { host: '', port: '' };
}

function trustBundleOf(config: Config, report: Report): string {
  const path = ['additionalTrustBundle'];
  const encoded = textAt(config, path, report);
  const data = encoded === '' ? { bytes: new Uint8Array() } : decodeDataUrl(`data:;base64,${encoded}`);
  if (typeof data === 'string') {
    report.problems.push({ path: fieldPath(path), message: 'must be valid base64' });
    return '';
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(data.bytes);
  if (text.includes('\uFFFD')) {
    report.warnings.push({
      path: fieldPath(path),
      message: 'is not UTF-8 throughout; the other bytes are replaced',
    });
  }
  return withoutLastBreaks(text);
}

/** The command is left to the image: there is no path that all of them share. */
function pauseImageLines(image: string): string {
  return image === '' ? '' : `pause_image = ${JSON.stringify(image)}\npause_command = ""`;
}

function clusterDnsLines(config: Config, report: Report): string {
  const [addressPath, domainPath] = [['clusterDNSIP'], ['dns', 'status', 'clusterDomain']];
  const address = textAt(config, addressPath, report);
  if (address !== '' && !/^[0-9A-Fa-f.:]+$/.test(address)) {
    const message = `must be an IP address, not ${JSON.stringify(address)}`;
    report.problems.push({ path: fieldPath(addressPath), message });
  }
  const domain = textAt(config, domainPath, report) || DEFAULT_CLUSTER_DOMAIN;
  if (checkDnsSubdomain(domain).length > 0) {
    const message = `must be a domain, not ${JSON.stringify(domain)}`;
    report.problems.push({ path: fieldPath(domainPath), message });
  }
  return [
    ...(address === '' ? [] : ['clusterDNS:', `  - ${JSON.stringify(address)}`]),
    // A domain such as 10.1 would be a number.
    `clusterDomain: ${domain === DEFAULT_CLUSTER_DOMAIN ? domain : JSON.stringify(domain)}`,
  ].join('\n');
}

/** Of nearly every cluster; also where none is known. */
export const DEFAULT_CLUSTER_DOMAIN = 'cluster.local';

function kubeletFlags(config: Config, platform: string, report: Report): string {
  const flags: string[] = [];
  const managerState = ['infra', 'status', 'platformStatus', 'external', 'cloudControllerManager', 'state'];
  const hasManager =
    platform === 'external'
      ? textAt(config, managerState, report) === 'External'
      : PLATFORMS_WITH_CLOUD_CONTROLLER.has(platform);
  if (hasManager) flags.push('--cloud-provider=external');
  const families = textAt(config, ['ipFamilies'], report);
  if (!IP_FAMILIES.has(families)) {
    const message = `unknown families ${JSON.stringify(families)} count as IPv4`;
    report.warnings.push({ path: fieldPath(['ipFamilies']), message });
  }
  // Otherwise the kubelet prefers an IPv4 address.
  if (families === 'IPv6' || families === 'DualStackIPv6Primary') flags.push('--node-ip=::');
  return flags.map((flag) => ` ${flag}`).join('');
}

const IP_FAMILIES: ReadonlySet<string> = new Set(['', 'IPv4', 'IPv6', 'DualStack', 'DualStackIPv6Primary']);

/** Platforms on which a cloud controller manager, not the kubelet, sets the addresses and zones of nodes. */
const PLATFORMS_WITH_CLOUD_CONTROLLER: ReadonlySet<string> = new Set([
  'alibabacloud',
  'aws',
  'azure',
  'gcp',
  'ibmcloud',
  'kubevirt',
  'nutanix',
  'openstack',
  'powervs',
  'vsphere',
]);

function tlsLines(tls: KubeletTls): string {
  const lines = [`tlsMinVersion: ${tls.minVersion}`];
  const suites = tls.cipherSuites.map((suite) => `  - ${suite}`);
  if (suites.length > 0) lines.push('tlsCipherSuites:', ...suites);
  return lines.join('\n');
}

function proxyLines(config: Config, report: Report): string {
  const lines: string[] = [];
  for (const [field, variable] of PROXY_VARIABLES) {
    const path = ['proxy', field];
    const given = textAt(config, path, report);
    const value = field === 'noProxy' ? given.replace(/[ \t\r\n]*,[ \t\r\n]*/g, ',').trim() : given;
    if (value === '') continue;
    // systemd interprets quotes and backslashes itself, and a line break starts another variable. The value may
    // contain a password, so it is not repeated.
    const message = 'must be ASCII without spaces, quotes and backslashes';
    if (/^[!#-&(-[\]-~]+$/.test(value)) lines.push(`${variable}=${value}`);
    else report.problems.push({ path: fieldPath(path), message });
  }
  return lines.join('\n');
}

const PROXY_VARIABLES = [
  ['httpProxy', 'HTTP_PROXY'],
  ['httpsProxy', 'HTTPS_PROXY'],
  ['noProxy', 'NO_PROXY'],
] as const;

/** Removes white space and leaves all else, including the order of keys. */
function compactSecret(secret: string | undefined, report: Report): string {
  if (secret === undefined || secret.trim() === '') return '';
  if (!isObject(parseJson(secret))) {
    // The parser's message would quote the secret.
    report.problems.push({ path: 'pullSecret', message: 'must be a JSON object' });
    return '';
  }
  return secret.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|[ \t\r\n]+/g, (_, text?: string) => text ?? '');
}

/** The string at a path of a ControllerConfig; absent, `null` and empty are the same. */
function textAt(config: Config, path: readonly string[], report: Report): string {
  const value = valueAt(config, ...path);
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  report.problems.push({
    path: fieldPath(path),
    message: 'must be a string',
    reason: 'FieldValueTypeInvalid',
  });
  return '';
}

function fieldPath(path: readonly string[]): string {
  return ['controllerConfig', ...path].join('.');
}

function withoutLastBreaks(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}
