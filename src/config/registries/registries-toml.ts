/**
 * One file of containers-registries.conf(5) in its second version, as it is written: what it leaves out is empty here, and
 * whether it makes sense is for those to say who pull by it.
 */
import { parse, TomlError } from 'smol-toml';
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';

export const REGISTRIES_CONF = '/etc/containers/registries.conf';

export type WrittenMirror = {
  readonly location: string;
  readonly insecure: boolean;
  readonly pullFromMirror: string;
};

export type WrittenRegistry = WrittenMirror & {
  readonly prefix: string;
  readonly blocked: boolean;
  readonly mirrorByDigestOnly: boolean;
  readonly mirrors: readonly WrittenMirror[];
};

export type WrittenRegistries = {
  /** Undefined where the file says nothing, which is not the same as none. */
  readonly search: readonly string[] | undefined;
  readonly registries: readonly WrittenRegistry[];
  /** Short names, and what they stand for. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Whether it is, or is also, of the first version, of which nothing is read. */
  readonly isFirstVersion: boolean;
};

export function parseRegistriesToml(text: string): Outcome<WrittenRegistries> {
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    return invalid([{ path: '', message: `not TOML${placeOf(error)}` }]);
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

function readRegistry(table: TableReader): WrittenRegistry {
  return {
    ...readMirror(table),
    prefix: table.text('prefix'),
    blocked: table.isTrue('blocked'),
    mirrorByDigestOnly: table.isTrue('mirror-by-digest-only'),
    mirrors: table.tables('mirror').map(readMirror),
  };
}

function readMirror(table: TableReader): WrittenMirror {
  return {
    location: table.text('location'),
    insecure: table.isTrue('insecure'),
    pullFromMirror: table.text('pull-from-mirror'),
  };
}

function placeOf(error: unknown): string {
  return error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : '';
}

/** Takes the fields of a table by their types; what is of another type is a problem. */
class TableReader {
  readonly #table: unknown;
  readonly #path: string;
  readonly #problems: Problem[];

  constructor(table: unknown, path: string, problems: Problem[]) {
    this.#table = table;
    this.#path = path;
    this.#problems = problems;
    if (!isObject(table)) this.#complain('', 'must be a table');
  }

  has(key: string): boolean {
    return this.#field(key) !== undefined;
  }

  text(key: string): string {
    const value = this.#field(key) ?? '';
    if (typeof value === 'string') return value;
    this.#complain(key, 'must be a string');
    return '';
  }

  isTrue(key: string): boolean {
    const value = this.#field(key) ?? false;
    if (typeof value === 'boolean') return value;
    this.#complain(key, 'must be true or false');
    return false;
  }

  texts(key: string): readonly string[] | undefined {
    const value = this.#field(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    this.#complain(key, 'must be an array of strings');
    return undefined;
  }

  tables(key: string): readonly TableReader[] {
    const value = this.#field(key) ?? [];
    if (Array.isArray(value)) {
      return value.map(
        (item, index) => new TableReader(item, this.#pathOf(`${key}[${index}]`), this.#problems),
      );
    }
    this.#complain(key, 'must be an array of tables');
    return [];
  }

  textTable(key: string): ReadonlyMap<string, string> {
    const value = this.#field(key) ?? {};
    const texts = new Map<string, string>();
    if (!isObject(value)) this.#complain(key, 'must be a table');
    else {
      for (const [name, text] of Object.entries(value)) {
        if (typeof text === 'string') texts.set(name, text);
        else this.#complain(`${key}.${name}`, 'must be a string');
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

  #complain(key: string, message: string): void {
    this.#problems.push({ path: this.#pathOf(key), message });
  }
}
