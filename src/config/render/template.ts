/**
 * One template: a file or a unit in YAML, with placeholders.
 *
 *     when: pullSecret                       # omitted while this value is empty
 *     path: /var/lib/kubelet/config.json
 *     mode: 0600
 *     contents:
 *       inline: |
 *         {{pullSecret}}
 *
 * The YAML is parsed first and its strings are filled afterwards, so no value can change the structure of a template.
 * Templates contain no logic: conditions are decided where the values are computed. A line that consists of one
 * placeholder is removed if its value is empty.
 */
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import { emptyConfig, type IgnitionConfig, MAX_MODE, percentDataUrl, type Unit } from '../ignition/index.ts';
import type { TemplateEntry } from './template-tree.ts';

/** The values of the placeholders, by name. */
type Fillings = { readonly [name: string]: string };

type TemplateFile = {
  readonly kind: 'file';
  readonly path: string;
  readonly mode: number;
  readonly inline: string;
};
type TemplateUnit = { readonly kind: 'unit'; readonly unit: Unit };
export type Template = {
  /** The value without which the template is omitted. */
  readonly when?: string;
  readonly body: TemplateFile | TemplateUnit;
};

/** Parses a template that is not empty. */
export function parseTemplate(entry: TemplateEntry): Outcome<Template> {
  const documents = parseYaml(entry.text);
  if (documents.kind === 'invalid') {
    return invalid(documents.problems.map(({ message }) => ({ path: entry.path, message })));
  }
  const [document, ...others] = documents.value;
  if (document === undefined || others.length > 0 || !isObject(document.value)) {
    return invalid([{ path: entry.path, message: 'must be one YAML mapping' }]);
  }
  const reading: Reading = { object: document.value, path: entry.path, problems: [] };
  const body = entry.kind === 'files' ? readFile(reading) : readUnit(reading);
  const when = optionalText(reading, 'when');
  if (reading.problems.length > 0) return invalid(reading.problems);
  return ok({ body, ...(when === undefined ? {} : { when }) });
}

/** A config with that one file or unit; `undefined` when the template is omitted. */
export function fillTemplate(
  template: Template,
  fillings: Fillings,
  path: string,
): Outcome<IgnitionConfig | undefined> {
  const problems: Problem[] = [];
  const fill = (text: string): string => {
    const filled = fillText(text, fillings);
    if (filled.kind === 'ok') return filled.value;
    problems.push(...filled.problems.map(({ message }) => ({ path, message })));
    return '';
  };
  const { when, body } = template;
  if (when !== undefined && fill(`{{${when}}}`) === '') {
    return problems.length > 0 ? invalid(problems) : ok(undefined);
  }
  const part =
    body.kind === 'file'
      ? { storage: { files: [fileOf(body, fill)] } }
      : { systemd: { units: [unitOf(body.unit, fill)] } };
  return problems.length > 0 ? invalid(problems) : ok({ ...emptyConfig, ...part });
}

/** Fills the placeholders of one string. Values are not expanded again. */
export function fillText(text: string, fillings: Fillings): Outcome<string> {
  const messages = new Set<string>();
  const fillingOf = (name: string): string => {
    const value = own(fillings, name);
    if (typeof value === 'string') return value;
    messages.add(`there is no value named ${JSON.stringify(name)}`);
    return '';
  };
  if (text.replace(GAP, '').includes('{{')) messages.add('{{ begins no {{name}}');
  const filled = text
    .replace(LINE_WITH_GAP, (line: string, name: string) => (fillingOf(name) === '' ? '' : line))
    .replace(GAP, (_, name: string) => fillingOf(name));
  return messages.size > 0 ? invalid([...messages].map((message) => ({ path: '', message }))) : ok(filled);
}

const GAP = /\{\{([A-Za-z][A-Za-z0-9]*)\}\}/g;
const LINE_WITH_GAP = /^[ \t]*\{\{([A-Za-z][A-Za-z0-9]*)\}\}[ \t]*(?:\n|$)/gm;

function fileOf(body: TemplateFile, fill: (text: string) => string) {
  return {
    path: fill(body.path),
    overwrite: true,
    contents: { source: percentDataUrl(fill(body.inline)) },
    mode: body.mode,
  };
}

function unitOf(unit: Unit, fill: (text: string) => string): Unit {
  const { contents, dropins, ...rest } = unit;
  return {
    ...rest,
    ...(contents === undefined ? {} : { contents: fill(contents) }),
    ...(dropins === undefined
      ? {}
      : { dropins: dropins.map(({ name, contents: text }) => ({ name, contents: fill(text ?? '') })) }),
  };
}

type Reading = {
  readonly object: { readonly [key: string]: unknown };
  readonly path: string;
  readonly problems: Problem[];
};

function readFile(reading: Reading): TemplateFile {
  rejectUnknownKeys(reading, ['when', 'path', 'mode', 'contents']);
  const path = requiredText(reading, 'path');
  if (!path.startsWith('/')) addProblem(reading, 'path: must be absolute');
  const mode = own(reading.object, 'mode');
  const isMode = typeof mode === 'number' && Number.isInteger(mode) && mode >= 0 && mode <= MAX_MODE;
  if (!isMode) addProblem(reading, 'mode: must be a file mode such as 0644');
  const contents = own(reading.object, 'contents');
  const inside = { ...reading, object: isObject(contents) ? contents : {} };
  rejectUnknownKeys(inside, ['inline']);
  return { kind: 'file', path, mode: isMode ? mode : 0, inline: requiredText(inside, 'inline') };
}

function readUnit(reading: Reading): TemplateUnit {
  rejectUnknownKeys(reading, ['when', 'name', 'enabled', 'mask', 'contents', 'dropins']);
  const enabled = optionalFlag(reading, 'enabled');
  const mask = optionalFlag(reading, 'mask');
  const contents = optionalText(reading, 'contents');
  const dropins = readDropins(reading);
  const unit: Unit = {
    name: requiredText(reading, 'name'),
    ...(enabled === undefined ? {} : { enabled }),
    ...(mask === undefined ? {} : { mask }),
    ...(contents === undefined ? {} : { contents }),
    ...(dropins.length === 0 ? {} : { dropins }),
  };
  return { kind: 'unit', unit };
}

function readDropins(reading: Reading): NonNullable<Unit['dropins']> {
  const list = own(reading.object, 'dropins') ?? [];
  if (!Array.isArray(list)) {
    addProblem(reading, 'dropins: must be a list');
    return [];
  }
  return list.map((item: unknown) => {
    const inside = { ...reading, object: isObject(item) ? item : {} };
    rejectUnknownKeys(inside, ['name', 'contents']);
    return { name: requiredText(inside, 'name'), contents: requiredText(inside, 'contents') };
  });
}

function rejectUnknownKeys(reading: Reading, known: readonly string[]): void {
  for (const key of Object.keys(reading.object)) {
    if (!known.includes(key)) addProblem(reading, `unknown key ${JSON.stringify(key)}`);
  }
}

function requiredText(reading: Reading, key: string): string {
  const value = own(reading.object, key);
  if (typeof value === 'string') return value;
  addProblem(reading, `${key}: must be a string`);
  return '';
}

function optionalText(reading: Reading, key: string): string | undefined {
  return own(reading.object, key) === undefined ? undefined : requiredText(reading, key);
}

function optionalFlag(reading: Reading, key: string): boolean | undefined {
  const value = own(reading.object, key);
  if (value === undefined || typeof value === 'boolean') return value;
  addProblem(reading, `${key}: must be true or false`);
  return undefined;
}

function addProblem(reading: Reading, message: string): void {
  reading.problems.push({ path: reading.path, message });
}
