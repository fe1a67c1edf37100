/**
 * Flags of the kubelet once the update is applied; where its unit is not known, those that it runs with.
 */
import { isObject } from '../../base/json.ts';
import { type Flags, parseFlags } from '../../config/kubelet/index.ts';
import type { Needs, PreflightSnapshot } from './check.ts';
import {
  KUBELET_SERVICES,
  kubeletCommandOf,
  kubeletUnitOf,
  type Texts,
  unitFileNeeds,
} from './kubelet-command.ts';
import { parsedYaml } from './parse-problem.ts';

const K3S_CONFIG = '/etc/rancher/k3s/config.yaml';
const K3S_FOLDER = '/etc/rancher/k3s/config.yaml.d/';

/** What `kubeletFlags` reads of the machine. `texts`: what is known already, as a unit names files. */
export function flagNeeds(
  texts: Texts,
): Required<Pick<Needs, 'commandLines' | 'files' | 'folders' | 'paths'>> {
  const units = KUBELET_SERVICES.map(unitFileNeeds);
  const environmentFiles = KUBELET_SERVICES.flatMap((service) =>
    kubeletUnitOf(texts, service).environmentFiles.map(({ path }) => path),
  );
  return {
    commandLines: KUBELET_SERVICES,
    files: [K3S_CONFIG, ...units.flatMap(({ files }) => files), ...environmentFiles],
    folders: [K3S_FOLDER, ...units.flatMap(({ folders }) => folders)],
    paths: environmentFiles,
  };
}

export type KubeletFlags = Flags & {
  /** Whether nothing of them is unknown. */
  readonly isWhole: boolean;
  /** Whether it is a kubelet that gets them, and no script, of which nothing is known. */
  readonly isKubelet: boolean;
};

/** By service. Undefined where nothing is known of it. */
export function kubeletFlags(
  texts: Texts,
  { node }: Pick<PreflightSnapshot, 'node'>,
  service: string,
): KubeletFlags | undefined {
  const command = kubeletCommandOf(texts, service);
  const words = command?.words ?? node.commandLines.get(service);
  if (words === undefined) return undefined;
  const isWhole = command?.words !== undefined && command.isWhole;
  if (!service.startsWith('k3s')) {
    const given = kubeletArguments(words);
    const isKubelet = given !== undefined;
    return { ...parseFlags(given ?? words.slice(1)), isWhole: isWhole && isKubelet, isKubelet };
  }
  const passed = [
    ...argumentsOf(words),
    ...[K3S_CONFIG, ...texts.below(K3S_FOLDER)].flatMap((path) => k3sArguments(texts.textAt(path))),
  ];
  const { given } = parseFlags(passed.map((one) => `--${one}`));
  return { given, strays: [], isWhole, isKubelet: true };
}

/** Whether the command names the kubelet: a script may do anything. */
export function isKubeletCommand(words: readonly string[]): boolean {
  return kubeletArguments(words) !== undefined;
}

/** What follows the kubelet, which another program may start, as `kubenswrapper` does; undefined where it is not named. */
function kubeletArguments(words: readonly string[]): readonly string[] | undefined {
  const at = words.findIndex((word) => /(^|\/)kubelet$|^-/.test(word));
  return words[at]?.startsWith('-') === false ? words.slice(at + 1) : undefined;
}

/** k3s hands these to its kubelet. */
function argumentsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    if (word === '--kubelet-arg') return words[index + 1] ?? [];
    return word.startsWith('--kubelet-arg=') ? word.slice('--kubelet-arg='.length) : [];
  });
}

function k3sArguments(text: string | undefined): readonly string[] {
  const parsed = text === undefined ? undefined : parsedYaml(text);
  const value = parsed?.kind === 'value' ? parsed.value : undefined;
  if (!isObject(value)) return [];
  return ['kubelet-arg', 'kubelet-arg+']
    .flatMap((name) => value[name] ?? [])
    .filter((one): one is string => typeof one === 'string');
}

/** The last value counts. */
export function flagValue({ given }: Flags, name: string): string | undefined {
  return given.filter((flag) => flag.name === name).at(-1)?.value;
}
