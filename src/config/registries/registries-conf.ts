/**
 * One file of containers-registries.conf(5), version 2: its type, its parser and its format.
 *
 * The type is the file's own: a missing field is empty. Whether the file makes sense is checked where images are pulled by it
 * (`mergeRegistriesConf` in `images`).
 */
import { parse, stringify, TomlError } from 'smol-toml';
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';

export type RegistriesConf = {
  /** `unqualified-search-registries`; undefined where it is missing, which differs from an empty list. */
  readonly search: readonly string[] | undefined;
  readonly registries: readonly Registry[];
  /** Short names, and the names that they are resolved to. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Whether it has fields of version 1, which are not read. */
  readonly isFirstVersion: boolean;
};

export type Registry = Mirror & {
  readonly prefix: string;
  readonly blocked: boolean;
  readonly mirrorByDigestOnly: boolean;
  readonly mirrors: readonly Mirror[];
};

export type Mirror = {
  readonly location: string;
  readonly insecure: boolean;
  readonly pullFromMirror: string;
};

export function formatRegistriesConf({
  search = [],
  registries,
}: Pick<RegistriesConf, 'search' | 'registries'>): string {
  const lines = [
    `unqualified-search-registries = [${search.map(textValue).join(', ')}]`,
    'short-name-mode = ""',
    'additional-layer-store-auth-helper = ""',
    ...registries.flatMap(registryLines),
  ];
  return `${lines.join('\n')}\n`;
}

function registryLines({ prefix, location, insecure, blocked, mirrors }: Registry): readonly string[] {
  return [
    '',
    '[[registry]]',
    `  prefix = ${textValue(prefix)}`,
    ...(location === '' ? [] : [`  location = ${textValue(location)}`]),
    ...(insecure ? ['  insecure = true'] : []),
    ...(blocked ? ['  blocked = true'] : []),
    ...mirrors.flatMap(mirrorLines),
  ];
}

function mirrorLines({ location, insecure, pullFromMirror }: Mirror): readonly string[] {
  return [
    '',
    '  [[registry.mirror]]',
    `    location = ${textValue(location)}`,
    ...(insecure ? ['    insecure = true'] : []),
    `    pull-from-mirror = ${textValue(pullFromMirror)}`,
  ];
}

/** Quoted by the TOML library. */
function textValue(text: string): string {
  return stringify({ x: text }).trim().slice('x = '.length);
}

export function parseRegistriesConf(text: string): Outcome<RegistriesConf> {
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    return invalid([{ path: '', message: `not TOML${positionOf(error)}` }]);
  }
  const problems: Problem[] = [];
  const read = new TableReader(document, '', problems);
  const registries = {
    search: read.texts('unqualified-search-registries'),
    registries: read.tables('registry').map(readRegistry),
    aliases: read.textTable('aliases'),
    isFirstVersion: read.has('registries'),
  };
  return problems.length > 0 ? invalid(problems) : ok(registries);
}

function readRegistry(table: TableReader): Registry {
  return {
    ...readMirror(table),
    prefix: table.text('prefix'),
    blocked: table.isTrue('blocked'),
    mirrorByDigestOnly: table.isTrue('mirror-by-digest-only'),
    mirrors: table.tables('mirror').map(readMirror),
  };
}

function readMirror(table: TableReader): Mirror {
  return {
    location: table.text('location'),
    insecure: table.isTrue('insecure'),
    pullFromMirror: table.text('pull-from-mirror'),
  };
}

function positionOf(error: unknown): string {
  return error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : '';
}

/** Reads the fields of a table by type; a field of another type is a problem. */
class TableReader {
  readonly #table: unknown;
  readonly #path: string;
  readonly #problems: Problem[];

  constructor(table: unknown, path: string, problems: Problem[]) {
    this.#table = table;
    this.#path = path;
    this.#problems = problems;
    if (!isObject(table)) this.#addProblem('', 'must be a table');
  }

  has(key: string): boolean {
    return this.#field(key) !== undefined;
  }

  text(key: string): string {
    const value = this.#field(key) ?? '';
    if (typeof value === 'string') return value;
    this.#addProblem(key, 'must be a string');
    return '';
  }

  isTrue(key: string): boolean {
    const value = this.#field(key) ?? false;
    if (typeof value === 'boolean') return value;
    this.#addProblem(key, 'must be true or false');
    return false;
  }

  texts(key: string): readonly string[] | undefined {
    const value = this.#field(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    this.#addProblem(key, 'must be an array of strings');
    return undefined;
  }

  tables(key: string): readonly TableReader[] {
    const value = this.#field(key) ?? [];
    if (Array.isArray(value)) {
      return value.map(
        (item, index) => new TableReader(item, this.#pathOf(`${key}[${index}]`), this.#problems),
      );
    }
    this.#addProblem(key, 'must be an array of tables');
    return [];
  }

  textTable(key: string): ReadonlyMap<string, string> {
    const value = this.#field(key) ?? {};
    const texts = new Map<string, string>();
    if (!isObject(value)) this.#addProblem(key, 'must be a table');
    else {
      for (const [name, text] of Object.entries(value)) {
        if (typeof text === 'string') texts.set(name, text);
        else this.#addProblem(`${key}.${name}`, 'must be a string');
      }
    }
    return texts;
  }

  #field(key: string): unknown {
    return isObject(this.#table) ? own(this.#table, key) : undefined;
  }

  #pathOf(key: string): string {
    return this.#path === '' || key === '' ? this.#path + key : `${this.#path}.${key}`;
  }

  #addProblem(key: string, message: string): void {
    this.#problems.push({ path: this.#pathOf(key), message });
  }
}
