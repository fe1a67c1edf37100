/**
 * The files of a ContainerRuntimeConfig: one CRI-O drop-in per setting, so that several objects add up, and
 * storage.conf, of which there can be only one.
 */
import { parse, stringify } from 'smol-toml';
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { amountOf, containerRuntimeProblems, type RuntimeSettings } from './container-runtime-problems.ts';
import { type GeneratedFile, textFile } from './generated-config.ts';

export const STORAGE_CONF = '/etc/containers/storage.conf';
/** Without base configs: what CRI-O and Podman use by default. The file is replaced as a whole, so it has to be complete. */
export const DEFAULT_STORAGE_CONF = `[storage]
driver = "overlay"
runroot = "/run/containers/storage"
graphroot = "/var/lib/containers/storage"
`;
const DROP_INS = '/etc/crio/crio.conf.d/01-ctrcfg-';

export type RuntimeInput = {
  readonly settings: RuntimeSettings;
  /** From objects of the same pool with a lower suffix, in their order. */
  readonly earlier: readonly RuntimeSettings[];
  /** The storage.conf of the base MachineConfigs, or the default one. */
  readonly storageConf: string;
};

export function containerRuntimeFiles(input: RuntimeInput): Outcome<readonly GeneratedFile[]> {
  const problems = containerRuntimeProblems(input.settings);
  if (problems.length > 0) return invalid(problems);
  const storage = storageFile(input);
  if (storage.kind === 'invalid') return storage;
  return ok([...storage.value, ...dropIns(input.settings)]);
}

type Table = { readonly [key: string]: unknown };

function dropIns(settings: RuntimeSettings): readonly GeneratedFile[] {
  const { logLevel = '', pidsLimit, defaultRuntime, additionalArtifactStores } = settings;
  const log = amountOf(settings.logSizeMax)?.bytes ?? 0n;
  const files: (GeneratedFile | undefined)[] = [
    logLevel === '' ? undefined : dropIn('logLevel', `log_level = ${tomlValue(logLevel)}`),
    pidsLimit === undefined ? undefined : dropIn('pidsLimit', `pids_limit = ${BigInt(pidsLimit)}`),
    log === 0n ? undefined : dropIn('logSizeMax', `log_size_max = ${log}`),
    defaultRuntime === undefined
      ? undefined
      : dropIn('defaultRuntime', `default_runtime = ${tomlValue(defaultRuntime)}`),
    additionalArtifactStores === undefined
      ? undefined
      : dropIn(
          'additionalArtifactStores',
          `additional_artifact_stores = ${storeList(additionalArtifactStores)}`,
        ),
  ];
  return files.filter((file) => file !== undefined);
}

/** One setting of CRI-O's runtime, as its line in TOML. */
function dropIn(setting: string, line: string): GeneratedFile {
  return textFile(`${DROP_INS}${setting}`, `[crio.runtime]\n${line}\n`);
}

/** In the spacing of upstream's encoder, which people and their checks search for. */
function storeList(stores: NonNullable<RuntimeSettings['additionalArtifactStores']>): string {
  return `[${stores.map(({ path }) => tomlValue(path)).join(', ')}]`;
}

/** Quoted by the TOML library. */
function tomlValue(text: string): string {
  return stringify({ x: text }).trim().slice('x = '.length);
}

/**
 * Undefined where no storage setting is given. Settings of earlier objects are kept, since the file is written as a
 * whole.
 */
function storageFile(input: RuntimeInput): Outcome<readonly GeneratedFile[]> {
  const { settings, earlier, storageConf } = input;
  const own = storageOptions(settings);
  if (Object.keys(own).length === 0) return ok([]);
  const known = earlier.filter((one) => containerRuntimeProblems(one).length === 0).map(storageOptions);
  const base = readToml(storageConf);
  if (base === undefined) {
    return invalid([{ path: '', message: 'could not generate storage.conf: that of the base is no TOML' }]);
  }
  const storage = tableAt(base, 'storage');
  const options = Object.assign({}, tableAt(storage, 'options'), ...known, own) as Table;
  return ok([textFile(STORAGE_CONF, tomlText({ ...base, storage: { ...storage, options } }))]);
}

function storageOptions(settings: RuntimeSettings): Table {
  const size = amountOf(settings.overlaySize);
  const images = settings.additionalImageStores?.map(({ path }) => path);
  // The suffix `:ref` makes the store look up layers by image name.
  const layers = settings.additionalLayerStores?.map(({ path }) => `${path}:ref`);
  return {
    ...(size !== undefined && size.bytes !== 0n && { size: size.text }),
    ...(images !== undefined && { additionalimagestores: images }),
    ...(layers !== undefined && { additionallayerstores: layers }),
  };
}

function readToml(text: string): Table | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function tableAt(table: Table, key: string): Table {
  const found = own(table, key);
  return isObject(found) ? found : {};
}

function tomlText(table: Table): string {
  return `${stringify(table).trimEnd()}\n`;
}
