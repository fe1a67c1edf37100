/**
 * `millwright install`: prints the objects of an installation. It contacts no cluster.
 */
import { Failure, formatProblem, type Problem } from '../../base/errors.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { formatYaml, parseYaml } from '../../base/yaml/index.ts';
import { defaultValues, type InstallValues, installObjects, readValues } from '../../install/index.ts';
import { INVALID_INPUT, SUCCESS } from '../exit-code.ts';
import type { Ports } from '../ports.ts';
import { readInput } from '../render/read-input.ts';
import { reportFailure } from '../report-failure.ts';
import { readManifestFiles } from './read-manifest-files.ts';

export type InstallOptions = {
  readonly namespace?: string;
  readonly image?: string;
  readonly builderImage?: string;
  readonly base?: string;
  readonly values?: string;
  readonly crdsOnly?: boolean;
};

export async function installCommand(
  options: InstallOptions,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  try {
    const values = await valuesOf(options, ports, version);
    if (values.kind === 'invalid') {
      for (const line of values.lines) ports.stderr(`millwright: ${line}\n`);
      return INVALID_INPUT;
    }
    const objects = await objectsOf(options, ports, values.values);
    const documents = objects.map((object) => formatYaml(object));
    ports.stdout(`# Millwright ${version}\n---\n${documents.join('---\n')}`);
    if (options.crdsOnly !== true) warnOfPlaceholders(values.values, { ports, version });
    return SUCCESS;
  } catch (error) {
    return reportFailure(error, ports);
  }
}

/** No registry has these images. */
function warnOfPlaceholders(
  { image, builderImage, builder }: InstallValues,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): void {
  const defaults = defaultValues(version);
  const placeholders = [
    ...(image === defaults.image ? [`--image (now ${image})`] : []),
    ...(builder.enabled && builderImage === defaults.builderImage
      ? [`--builder-image (now ${builderImage})`]
      : []),
  ];
  if (placeholders.length === 0) return;
  ports.stderr(
    `millwright: make and push the images first (npm run image, docs/images.md), and name them with ${placeholders.join(' and ')}: no registry has the placeholders\n`,
  );
}

async function objectsOf(
  { crdsOnly = false }: InstallOptions,
  { packageRoot }: Ports,
  values: InstallValues,
): Promise<readonly JsonObject[]> {
  const crds = (await readManifestFiles(packageRoot, 'crds')).flatMap(({ objects }) => objects);
  if (crdsOnly) return crds;
  return [...crds, ...installObjects(await readManifestFiles(packageRoot, 'others'), values)];
}

type ReadValues =
  | { readonly kind: 'ok'; readonly values: InstallValues }
  | { readonly kind: 'invalid'; readonly lines: readonly string[] };

/** The defaults, then the file, then the flags. */
async function valuesOf(options: InstallOptions, ports: Ports, version: string): Promise<ReadValues> {
  const { values: file, namespace, image, builderImage, base } = options;
  const flags = Object.fromEntries(
    Object.entries({ namespace, image, builderImage, base }).filter(([, value]) => value !== undefined),
  ) as { readonly [flag: string]: string };
  const fromFile = file === undefined ? { kind: 'ok' as const, value: {} } : await readFile(file, ports);
  if (fromFile.kind === 'invalid') return fromFile;
  const read = readValues(defaultValues(version), fromFile.value);
  if (read.kind === 'invalid') return invalidLines(inputName(file ?? ''), read.problems);
  const both = readValues(read.value, flags);
  if (both.kind === 'ok') return { kind: 'ok', values: both.value };
  const named = both.problems.map(({ path, message }) => `${FLAGS[path] ?? path}: ${message}`);
  return { kind: 'invalid', lines: named };
}

const FLAGS: { readonly [value: string]: string } = {
  namespace: '--namespace',
  image: '--image',
  builderImage: '--builder-image',
  base: '--base',
};

async function readFile(file: string, ports: Ports) {
  const { files, unusable } = await readInput([file], ports);
  const [found] = files;
  if (found === undefined || files.length > 1) {
    const why = unusable[0] ?? `${file}: must be one file`;
    throw new Failure('usage', 'NoValues', `--values: ${why}`);
  }
  const parsed = parseYaml(found.text);
  if (parsed.kind === 'invalid') return invalidLines(inputName(file), parsed.problems);
  if (parsed.value.length > 1) {
    return { kind: 'invalid' as const, lines: [`${inputName(file)}: has several documents: values are one`] };
  }
  const value: Json = parsed.value[0]?.value ?? {};
  return { kind: 'ok' as const, value };
}

function inputName(file: string): string {
  return file === '-' ? 'stdin' : file;
}

function invalidLines(file: string, problems: readonly Problem[]) {
  return { kind: 'invalid' as const, lines: problems.map((problem) => `${file}: ${formatProblem(problem)}`) };
}
