/**
 * The Containerfile of a build: the rendered config, extensions and kernel of the pool, then the content of the
 * MachineOSConfig.
 *
 *     extract   the rendered MachineConfig, unpacked
 *     configs   the OS image with that config; extensions, kernel, CA bundle
 *     …         the content of the MachineOSConfig, usually `FROM configs AS final`; the last stage is the image
 *
 * Files of the config come as an archive that the builder expands (`CONFIG_ARCHIVE`), not by the image's own Ignition, so
 * that any OS image can be built on.
 */
import type { MachineConfig, MachineOSConfig } from '../../api/index.ts';
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import { objectsAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { extensionPackages, kernelTypeProblem, unknownExtensions } from '../../node/plan/index.ts';
import { parseImageReference } from '../image-reference.ts';
import { containerfileProblems } from './containerfile-syntax.ts';

/** Paths in the build context. */
export const CONFIG_FILE = 'machineconfig/machineconfig.json.gz';
export const CONFIG_ARCHIVE = 'machineconfig/files.tar';
export const TRUST_BUNDLE = 'additionaltrustbundle/openshift-config-user-ca-bundle.crt';

export type ContainerfileInputs = {
  readonly config: MachineOSConfig;
  readonly rendered: MachineConfig;
  /** Of the nodes of the pool, each once; none where no node reports it. */
  readonly architectures: readonly string[];
  readonly hasTrustBundle: boolean;
};

export function composeContainerfile(inputs: ContainerfileInputs): Outcome<string> {
  const { config, rendered, architectures } = inputs;
  const content = contentFor(config, architectures);
  if (content.kind === 'invalid') return content;
  const { spec } = rendered;
  const extensions = stringsAt(spec, 'extensions');
  const kernelType = stringAt(spec, 'kernelType') || 'default';
  const problems: Problem[] = [
    unknownExtensions(extensions),
    kernelTypeProblem(kernelType, architectures.length === 1 ? architectures[0] : undefined),
  ].flatMap((message) => (message === undefined ? [] : [{ path: '', message }]));
  const image = stringAt(spec, 'osImageURL');
  problems.push(...imageProblems(rendered, 'osImageURL'));
  if (stringAt(spec, 'baseOSExtensionsContainerImage') !== '') {
    problems.push(...imageProblems(rendered, 'baseOSExtensionsContainerImage'));
  }
  if (problems.length > 0) return invalid(problems);
  const own = [
    ...extractStage(image),
    ...configsStage(image),
    ...packageSteps(spec, extensions, kernelType),
    ...(inputs.hasTrustBundle ? trustBundleSteps : []),
    ...labelSteps(inputs, image),
    '',
  ];
  const wrong = containerfileProblems(content.value, { needsFrom: false });
  if (wrong.length > 0) return invalid(wrong);
  return ok([...own, content.value, ''].join('\n'));
}

/** References are written into the Containerfile as they are. */
function imageProblems(rendered: MachineConfig, field: string): readonly Problem[] {
  const outcome = parseImageReference(stringAt(rendered.spec, field));
  if (outcome.kind === 'ok') return [];
  return outcome.problems.map(({ message }) => ({
    path: '',
    message: `${field} of MachineConfig ${nameOf(rendered)}: ${message}`,
  }));
}

/** Each once, in order. */
export function architecturesOf(nodes: readonly Node[]): readonly string[] {
  const all = new Set(nodes.map((node) => stringAt(node, 'status', 'nodeInfo', 'architecture')));
  all.delete('');
  return [...all].sort(compareBytes);
}

const ARCHITECTURES: { readonly [architecture: string]: string } = {
  amd64: 'AMD64',
  arm64: 'ARM64',
  ppc64le: 'PPC64LE',
  s390x: 'S390X',
};

/**
 * The entry for the architecture of the nodes, else the one for all. Upstream ignores entries for an architecture; with
 * nodes of several, ours would be right for some of them only, so differing entries are refused.
 */
function contentFor(config: MachineOSConfig, architectures: readonly string[]): Outcome<string> {
  const entries = objectsAt(config, 'spec', 'containerFile').map((entry) => ({
    arch: stringAt(entry, 'containerfileArch') || 'NoArch',
    content: stringAt(entry, 'content'),
  }));
  const contentOf = (wanted: string | undefined) =>
    (entries.find(({ arch }) => arch === wanted) ?? entries.find(({ arch }) => arch === 'NoArch'))?.content ??
    '';
  // Before a node has joined, any of the entries may be the one.
  const wanted =
    architectures.length > 0
      ? architectures.map((architecture) => ARCHITECTURES[architecture])
      : ['NoArch', ...entries.map(({ arch }) => arch)];
  const contents = new Set(wanted.map(contentOf));
  if (contents.size === 1) return ok([...contents][0] ?? '');
  const nodes =
    architectures.length > 0
      ? `the nodes of the pool have several architectures (${architectures.join(', ')})`
      : 'the architecture of the pool is not known before a node has joined it';
  return invalid([
    {
      path: 'spec.containerFile',
      message: `${nodes}, and one image is built for all: give one entry with containerfileArch NoArch, or ${architectures.length > 0 ? 'split the pool' : 'add a node'}`,
    },
  ]);
}

function extractStage(image: string): readonly string[] {
  return [
    `FROM ${image} AS extract`,
    `COPY ./${CONFIG_FILE} /tmp/machineconfig.json.gz`,
    'RUN mkdir -p /etc/machine-config-daemon && base64 -d /tmp/machineconfig.json.gz | gunzip > /etc/machine-config-daemon/currentconfig',
    '',
  ];
}

function configsStage(image: string): readonly string[] {
  return [
    `FROM ${image} AS configs`,
    'COPY --from=extract /etc/machine-config-daemon/currentconfig /etc/machine-config-daemon/currentconfig',
    `ADD ./${CONFIG_ARCHIVE} /`,
    'RUN ostree container commit',
    '',
  ];
}

const KERNELS: { readonly [type: string]: readonly string[] } = {
  realtime: ['kernel-rt-core', 'kernel-rt-modules', 'kernel-rt-modules-extra', 'kernel-rt-kvm'],
  '64k-pages': [
    'kernel-64k-core',
    'kernel-64k-modules',
    'kernel-64k-modules-core',
    'kernel-64k-modules-extra',
  ],
  default: ['kernel', 'kernel-core', 'kernel-modules', 'kernel-modules-core', 'kernel-modules-extra'],
};

const EXTENSIONS_MOUNT = '/tmp/mco-extensions/os-extensions-content';
const EXTENSIONS_REPO = '/etc/yum.repos.d/coreos-extensions.repo';

function packageSteps(
  spec: MachineConfig['spec'],
  extensions: readonly string[],
  kernelType: string,
): readonly string[] {
  const image = stringAt(spec, 'baseOSExtensionsContainerImage');
  const packages = extensionPackages(extensions);
  const kernel = kernelType === 'default' ? [] : (KERNELS[kernelType] ?? []);
  if (image === '' || (packages.length === 0 && kernel.length === 0)) return [];
  const repository = [
    '[coreos-extensions]',
    'enabled=1',
    'metadata_expire=1m',
    `baseurl=${EXTENSIONS_MOUNT}/usr/share/rpm-ostree/extensions/`,
    'gpgcheck=0',
    'skip_if_unavailable=False',
  ];
  const commands = [
    `printf '%s\\n' ${repository.map((line) => `'${line}'`).join(' ')} > ${EXTENSIONS_REPO}`,
    ...(packages.length === 0 ? [] : [`rpm-ostree install ${packages.join(' ')}`]),
    ...(kernel.length === 0 ? [] : kernelSwap(kernelType, kernel)),
    `rm -f ${EXTENSIONS_REPO}`,
    'ostree container commit',
  ];
  return [
    `RUN --mount=type=bind,from=${image},target=${EXTENSIONS_MOUNT} ${commands.join(' && \\\n    ')}`,
    '',
  ];
}

/** The base image may come with any of the kernels. `rpm` has its path, since a shell may have one of its own. */
function kernelSwap(kernelType: string, wanted: readonly string[]): readonly string[] {
  const branches = Object.entries(KERNELS).map(([type, packages], index) => {
    const core = packages.find((name) => name.endsWith('-core')) ?? '';
    const change = type === kernelType ? 'true' : swap(packages, wanted);
    return `${index === 0 ? 'if' : 'elif'} /usr/bin/rpm -q ${core} > /dev/null; then ${change};`;
  });
  const unknown = `else echo "Error: Unknown base kernel type. Unable to perform the kernel swap to '${kernelType}'" && exit 1; fi`;
  return [[...branches, unknown].join(' ')];
}

function swap(remove: readonly string[], install: readonly string[]): string {
  const lines = [`remove ${remove.join(' ')}`, `install ${install.join(' ')}`, 'run'];
  return `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} | dnf -y shell`;
}

const trustBundleSteps: readonly string[] = [
  `COPY ./${TRUST_BUNDLE} /etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt`,
  'RUN update-ca-trust',
];

function labelSteps({ config, rendered }: ContainerfileInputs, image: string): readonly string[] {
  return [
    `LABEL machineconfig=${nameOf(rendered)}`,
    `LABEL machineconfigpool=${stringAt(config, 'spec', 'machineConfigPool', 'name')}`,
    `LABEL baseOSContainerImage=${image}`,
  ];
}
