/**
 * Checks the content of a MachineConfig: kernel type, extensions, and its Ignition config of any version.
 *
 * Whether the object conforms to its schema is checked elsewhere (`checkSource` in `config/render`). Nodes skip that: the API
 * server has validated what they get.
 */
import { joinPath, type Outcome, type Problem } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { listAt, stringAt } from '../../base/json-fields.ts';
import {
  fileModeProblem,
  type IgnitionConfig,
  parseFailureText,
  parseIgnition,
  simplifiedPath,
} from '../ignition/index.ts';
import type { SourceProblem } from './source-problem.ts';
import { kernelArgumentProblems, unusableContent } from './unusable-content.ts';

const KERNEL_TYPES: ReadonlySet<string> = new Set(['', 'default', 'realtime', '64k-pages']);

/** The extensions that the OS image supports. */
export const SUPPORTED_EXTENSIONS: ReadonlySet<string> = new Set([
  'two-node-ha',
  'ipsec',
  'usbguard',
  'kerberos',
  'kernel-devel',
  'sandboxed-containers',
  'sysstat',
]);

export type ContentCheck = {
  /** In the version that we merge. Absent where there is none or it is unreadable. */
  readonly config?: IgnitionConfig;
  /** Problems of the content; also reported when the schema is violated. */
  readonly contentProblems: readonly SourceProblem[];
  readonly warnings: readonly SourceProblem[];
};

export function checkContent(source: unknown): ContentCheck {
  const spec = isObject(source) ? (own(source, 'spec') ?? {}) : {};
  const config = configOf(spec);
  const from = sourceOf(source);
  const contentProblems = [
    ...kernelTypeProblems(spec),
    ...extensionProblems(spec),
    ...kernelArgumentProblems(kernelArgumentsOf(spec), 'spec.kernelArguments'),
    ...configProblems(spec, config),
  ];
  return {
    ...(config?.kind === 'ok' && { config: config.value }),
    contentProblems: contentProblems.map(from),
    warnings: config?.kind === 'ok' ? config.warnings.map(inConfig).map(from) : [],
  };
}

/** Adds the source to a problem. */
export function sourceOf(source: unknown): (problem: SourceProblem) => SourceProblem {
  const name = nameOf(source);
  return (problem) => ({ ...problem, ...(name && { source: name }) });
}

function configOf(spec: object): Outcome<IgnitionConfig> | undefined {
  const config = fieldOf(spec, 'config');
  return config === undefined || config === null ? undefined : parseIgnition(config);
}

function nameOf(object: unknown): string | undefined {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  const name = isObject(metadata) ? own(metadata, 'name') : undefined;
  return typeof name === 'string' ? name : undefined;
}

function fieldOf(spec: unknown, field: string): unknown {
  return isObject(spec) ? own(spec, field) : undefined;
}

function kernelArgumentsOf(spec: object): readonly string[] {
  const given = fieldOf(spec, 'kernelArguments');
  // Other types violate the schema.
  return Array.isArray(given) ? given.map((one) => (typeof one === 'string' ? one : 'x')) : [];
}

function kernelTypeProblems(spec: object): readonly SourceProblem[] {
  const kernelType = fieldOf(spec, 'kernelType');
  // A value that is not a string violates the schema, which is reported elsewhere.
  if (typeof kernelType !== 'string' || KERNEL_TYPES.has(kernelType)) return [];
  const text = `kernelType=${kernelType} is invalid`;
  return [{ path: 'spec.kernelType', message: `${text}: use default, realtime or 64k-pages`, text }];
}

function extensionProblems(spec: object): readonly SourceProblem[] {
  const extensions = fieldOf(spec, 'extensions');
  const given = Array.isArray(extensions) ? extensions.filter((one) => typeof one === 'string') : [];
  const unknown = given.filter((extension) => !SUPPORTED_EXTENSIONS.has(extension));
  if (unknown.length === 0) return [];
  const text = `invalid extensions found: [${unknown.join(' ')}]`;
  const message = `${text}: there are ${[...SUPPORTED_EXTENSIONS].sort().join(', ')}`;
  return [{ path: 'spec.extensions', message, text }];
}

function configProblems(spec: object, config: Outcome<IgnitionConfig> | undefined): readonly SourceProblem[] {
  if (config === undefined) return [];
  if (config.kind === 'invalid') {
    const text = parseFailureText(fieldOf(spec, 'config'), config.problems);
    return config.problems.map((problem) => ({ ...inConfig(problem), text }));
  }
  const unusable = unusableContent(config.value).map((problem) => ({
    ...problem,
    path: givenPath(fieldOf(spec, 'config'), config.value, problem.path),
  }));
  return [...modeProblems(config.value), ...unusable.map(inConfig)];
}

function modeProblems({ storage }: IgnitionConfig): readonly SourceProblem[] {
  return (storage?.files ?? []).flatMap((file, index) => {
    const text = fileModeProblem(file);
    if (text === undefined) return [];
    // 644 without the leading zero is octal 01204: the most common cause.
    const digits = String(file.mode);
    const message = /^[0-7]{3}$/.test(digits) ? `${text}; did you mean 0${digits}?` : text;
    return [{ ...inConfig({ path: `storage.files[${index}].mode`, message }), text }];
  });
}

/**
 * The path of an item in the config as it was given: the translation of version 2 changes the order of files and units.
 * `storage.files[0].mode` → `storage.files[7].mode`.
 */
export function givenPath(given: unknown, config: IgnitionConfig, path: string): string {
  const [, section = '', list = '', index = '', rest = ''] = /^(\w+)\.(\w+)\[(\d+)\](.*)$/s.exec(path) ?? [];
  const item = listAt(config, section, list)[Number(index)];
  const position = listAt(given, section, list).findLastIndex((one) => identityOf(one) === identityOf(item));
  return item === undefined || position < 0 ? path : `${section}.${list}[${position}]${rest}`;
}

function identityOf(item: unknown): string {
  const path = stringAt(item, 'path');
  return path === '' ? stringAt(item, 'name') : simplifiedPath(path);
}

export function inConfig(problem: Problem): Problem {
  return { ...problem, path: joinPath('spec.config', problem.path) };
}
