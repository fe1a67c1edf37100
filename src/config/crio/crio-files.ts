/**
 * The files of CRI-O's configuration, and what they make together: `crio.conf`, then all files of its drop-in folder in the order of
 * a walk, whatever their names. The last value counts. A table of a runtime replaces the one of the same name as a whole.
 */
import { parse, TomlError } from 'smol-toml';
import { CRIO_FIELDS, type Fields, fieldsOf, isTable, RUNTIME_FIELDS, wrongField } from './crio-fields.ts';

export { CRIO_FIELDS };

export type CrioFile = {
  /** By table below `crio`, of those that are known. */
  readonly tables: ReadonlyMap<string, Fields>;
  /** Fields of tables `crio.runtime.runtimes.NAME`, by name. */
  readonly runtimes: ReadonlyMap<string, Fields>;
};

type Parsed =
  | { readonly kind: 'file'; readonly file: CrioFile }
  /** Goes on after the path of the file: `it is not TOML`. */
  | { readonly kind: 'broken'; readonly problem: string };

export function parseCrioFile(text: string): Parsed {
  const found = parsedToml(text);
  if (typeof found === 'string') return broken(found);
  const crio = fieldsOf(found).get('crio') ?? {};
  if (!isTable(crio)) return broken('crio must be a table');
  const tables = new Map<string, Fields>();
  for (const [name, types] of CRIO_FIELDS) {
    const table = name === '' ? crio : (fieldsOf(crio).get(name) ?? {});
    if (!isTable(table)) return broken(`crio.${name} must be a table`);
    const fields = fieldsOf(table);
    const wrong = wrongField(fields, types);
    if (wrong !== undefined) {
      return broken(`${['crio', name, wrong.name].filter(Boolean).join('.')} must be ${wrong.expected}`);
    }
    tables.set(name, fields);
  }
  const given = tables.get('runtime')?.get('runtimes');
  const runtimes = new Map<string, Fields>();
  // CRI-O passes over it where it is no table.
  for (const [name, table] of Object.entries(isTable(given) ? given : {})) {
    if (!isTable(table)) return broken(`crio.runtime.runtimes.${name} must be a table`);
    const fields = fieldsOf(table);
    const wrong = wrongField(fields, RUNTIME_FIELDS);
    if (wrong !== undefined)
      return broken(`crio.runtime.runtimes.${name}.${wrong.name} must be ${wrong.expected}`);
    runtimes.set(name, fields);
  }
  return { kind: 'file', file: { tables, runtimes } };
}

function broken(problem: string): Parsed {
  return { kind: 'broken', problem };
}

/** Without the contents, which may be secret. */
function parsedToml(text: string): object | string {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    const place = error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : '';
    return `it is not TOML${place}`;
  }
}

type CrioRuntime = {
  readonly path: string;
  readonly type: string;
  readonly monitorPath: string;
  readonly monitorCgroup: string;
  /** Whether it has none but the usual fields, so that it is valid if its program is there. */
  readonly isPlain: boolean;
};

export type CrioConfig = {
  readonly tables: ReadonlyMap<string, Fields>;
  /** Undefined where it depends on the version of CRI-O, which is not known. */
  readonly defaultRuntime: string | undefined;
  /** Whether a file says it. */
  readonly isDefaultSet: boolean;
  /** The runtime that CRI-O has without any file. */
  readonly builtIn: string | undefined;
  readonly runtimes: ReadonlyMap<string, CrioRuntime>;
};

/** `version`: as a Node has it, `1.34.0`. */
export function mergeCrioFiles(files: readonly CrioFile[], version: string | undefined): CrioConfig {
  const tables = new Map<string, Map<string, unknown>>();
  const given = new Map<string, Fields>();
  const builtIn = builtInRuntime(version);
  if (builtIn !== undefined) given.set(builtIn, new Map());
  for (const file of files) {
    for (const [name, fields] of file.tables) {
      tables.set(name, new Map([...(tables.get(name) ?? []), ...fields]));
    }
    for (const [name, fields] of file.runtimes) given.set(name, fields);
  }
  const named = textOf(tables.get('runtime'), 'default_runtime');
  const defaultRuntime = named === '' ? builtIn : named;
  return {
    tables,
    defaultRuntime,
    isDefaultSet: named !== '',
    builtIn,
    runtimes: new Map([...given].map(([name, fields]) => [name, runtimeOf(fields)])),
  };
}

/** The runtime that CRI-O has without any file: `crun` since 1.31, `runc` before. */
function builtInRuntime(version: string | undefined): string | undefined {
  const minor = crioMinor(version);
  if (minor === undefined) return undefined;
  return minor >= 31 ? 'crun' : 'runc';
}

/** All versions so far begin with `1.`. */
export function crioMinor(version: string | undefined): number | undefined {
  const minor = /^v?1\.(\d+)\b/.exec(version ?? '')?.[1];
  return minor === undefined ? undefined : Number(minor);
}

function runtimeOf(fields: Fields): CrioRuntime {
  const [path, type, monitorPath, monitorCgroup] = [
    'runtime_path',
    'runtime_type',
    'monitor_path',
    'monitor_cgroup',
  ].map((name) => textOf(fields, name));
  return {
    path: path ?? '',
    type: type ?? '',
    monitorPath: monitorPath ?? '',
    monitorCgroup: monitorCgroup ?? '',
    isPlain: [...fields.keys()].every((name) => USUAL.has(name)),
  };
}

const USUAL: ReadonlySet<string> = new Set([
  ...['runtime_path', 'runtime_type', 'runtime_root', 'monitor_path', 'monitor_cgroup', 'monitor_env'],
  ...['privileged_without_host_devices', 'container_min_memory'],
]);

/** A text of the configuration; empty where no file has it. */
export function crioText({ tables }: CrioConfig, table: string, name: string): string {
  return textOf(tables.get(table), name);
}

function textOf(fields: Fields | undefined, name: string): string {
  const value = fields?.get(name);
  return typeof value === 'string' ? value : '';
}
