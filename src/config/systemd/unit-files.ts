/**
 * systemd's unit files, as far as enabling, disabling and starting them needs: names and sections as text.
 */

/** The kinds of units that can be enabled. */
const UNIT_NAME =
  /^[A-Za-z0-9:_.\\@-]+\.(service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/;
const MAX_UNIT_NAME = 255;

export function isUnitName(name: string): boolean {
  return (
    name.length <= MAX_UNIT_NAME && UNIT_NAME.test(name) && !name.startsWith('-') && !name.startsWith('.')
  );
}

/** `crio` means `crio.service`. */
export function unitName(name: string): string {
  return isUnitName(name) ? name : `${name}.service`;
}

/** The template of `foo@bar.service` is `foo@.service`; other names have none. */
export function templateOf(name: string): string | undefined {
  const match = /^([^@]+@)([^@]+)(\.[a-z]+)$/.exec(name);
  return match?.[1] === undefined ? undefined : `${match[1]}${match[3]}`;
}

/** Settings by section, in order; an empty setting resets the ones before it. */
export type UnitFile = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

export function parseUnitFile(text: string): UnitFile {
  const sections = new Map<string, Map<string, string[]>>();
  let section = new Map<string, string[]>();
  for (const line of joinedLines(text)) {
    const title = /^\[([^\]]+)\]$/.exec(line)?.[1];
    if (title !== undefined) {
      section = sections.get(title) ?? new Map();
      sections.set(title, section);
      continue;
    }
    const split = line.indexOf('=');
    if (split <= 0) continue;
    const [key, value] = [line.slice(0, split).trim(), line.slice(split + 1).trim()];
    section.set(key, value === '' ? [] : [...(section.get(key) ?? []), value]);
  }
  return sections;
}

function joinedLines(text: string): readonly string[] {
  const lines: string[] = [];
  let open = '';
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    if (line.endsWith('\\')) open += `${line.slice(0, -1)} `;
    else {
      lines.push(`${open}${line}`);
      open = '';
    }
  }
  return lines;
}

export function settings(unit: UnitFile, section: string, key: string): readonly string[] {
  return unit.get(section)?.get(key) ?? [];
}

/** Settings that are lists of names, separated by spaces. */
export function listed(unit: UnitFile, section: string, key: string): readonly string[] {
  return settings(unit, section, key).flatMap((value) => value.split(/\s+/).filter((word) => word !== ''));
}

/** A service without ExecStart is invalid. */
export function isBadlySet(name: string, unit: UnitFile): boolean {
  if (!name.endsWith('.service')) return false;
  return !['ExecStart', 'ExecStop', 'SuccessAction'].some((key) => settings(unit, 'Service', key).length > 0);
}

export type Install = {
  readonly wantedBy: readonly string[];
  readonly requiredBy: readonly string[];
  readonly alias: readonly string[];
  readonly also: readonly string[];
  readonly defaultInstance: string | undefined;
};

/** The [Install] section for a unit of that name, with specifiers of instances expanded. */
export function installOf(unit: UnitFile, name: string): Install {
  const names = (key: string) => listed(unit, 'Install', key).map((word) => specified(word, name));
  return {
    wantedBy: names('WantedBy'),
    requiredBy: names('RequiredBy'),
    alias: names('Alias'),
    also: names('Also'),
    defaultInstance: listed(unit, 'Install', 'DefaultInstance')[0],
  };
}

export function isInstallable({ wantedBy, requiredBy, alias }: Install): boolean {
  return wantedBy.length + requiredBy.length + alias.length > 0;
}

/** A setting with the specifiers that are about the name of its unit. */
export function specified(word: string, name: string): string {
  const [, prefix = '', instance = ''] = /^([^@]*)@?([^@]*)\.[a-z]+$/.exec(name) ?? [];
  const values: Readonly<Record<string, string>> = {
    n: name,
    N: name.replace(/\.[a-z]+$/, ''),
    p: prefix,
    i: instance,
    I: instance,
    '%': '%',
  };
  return word.replace(/%([nNpiI%])/g, (all, key: string) => values[key] ?? all);
}
