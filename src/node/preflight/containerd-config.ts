/**
 * The configuration of containerd: without its CRI plugin no kubelet works with it, and containerd does not load that plugin where
 * it is disabled, or where its default runtime has no table.
 */
import { parse } from 'smol-toml';
import { isObject } from '../../base/json.ts';
import { valueAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';
import { CONTAINERD } from '../../config/registries/index.ts';
import { type Finding, type Needs, type PreflightChange, type PreflightSnapshot, refusal } from './check.ts';
import { kubeletCommandOf, type Texts, textsAfter, textsBefore, unitFileNeeds } from './kubelet-command.ts';
import { writtenPaths } from './written-texts.ts';

const CONFIG = '/etc/containerd/config.toml';
const SERVICE = 'containerd.service';

export function containerdNeeds(change: PreflightChange): Needs {
  if (!writtenPaths(change).includes(CONFIG)) return {};
  const { files, folders } = unitFileNeeds(SERVICE);
  return { files: [CONFIG, ...files], folders };
}

/** What containerd runs with already is no news. k3s and RKE2 have another file. */
export function containerdFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  if (snapshot.node.runtime !== CONTAINERD || !writtenPaths(snapshot).includes(CONFIG)) return [];
  const texts = textsAfter(snapshot);
  if (!readsConfig(texts)) return [];
  const known = new Set(criProblems(textsBefore(snapshot).textAt(CONFIG)));
  return criProblems(texts.textAt(CONFIG))
    .filter((text) => !known.has(text))
    .map((text) =>
      refusal(CONFIG, { why: `${text}, so containerd would not run pods`, remedy: 'correct it' }),
    );
}

/** By the command of its unit. */
function readsConfig(texts: Texts): boolean {
  const { words = [], isWhole = false } = kubeletCommandOf(texts, SERVICE) ?? {};
  const [program = '', ...others] = words;
  const hasFlag = others.some((word) => /^--?c(onfig)?(=|$)/.test(word));
  return isWhole && program.endsWith('/containerd') && !hasFlag;
}

function criProblems(text: string | undefined): readonly string[] {
  const config = text === undefined ? undefined : parsedToml(text);
  return config === undefined ? [] : [...disabledProblems(config), ...runtimeProblems(config)];
}

function parsedToml(text: string): object | undefined {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch {
    return undefined;
  }
}

/** In files of version 1 the short name counts, and later ones do not load with it. */
const PLUGINS = ['cri', 'io.containerd.grpc.v1.cri'];

function disabledProblems(config: object): readonly string[] {
  const disabled = valueAt(config, 'disabled_plugins');
  const names: readonly unknown[] = Array.isArray(disabled) ? disabled : [];
  return PLUGINS.filter((name) => names.includes(name)).map(
    (name) => `disabled_plugins has ${name}, without which no kubelet works with containerd`,
  );
}

/** By the version of the file. */
const TABLES = ['cri', 'io.containerd.grpc.v1.cri', 'io.containerd.cri.v1.runtime'];

/** Files that are imported may have the table. */
function runtimeProblems(config: object): readonly string[] {
  const imports = valueAt(config, 'imports');
  if (Array.isArray(imports) && imports.length > 0) return [];
  return TABLES.flatMap((table) => {
    const containerd = valueAt(config, 'plugins', table, 'containerd');
    const name = isObject(containerd) ? containerd.default_runtime_name : undefined;
    if (!isObject(containerd) || typeof name !== 'string') return [];
    if (name === '') return ['default_runtime_name is empty'];
    const { runtimes } = containerd;
    const hasTable = isObject(runtimes) && Object.hasOwn(runtimes, name);
    // containerd has a table for runc; some versions lose it where there are others.
    if (hasTable || name === 'runc') return [];
    return [`default_runtime_name is ${quoted(name)}, and there is no table of that name in its runtimes`];
  });
}
