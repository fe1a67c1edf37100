/**
 * `millwright install`: prints the objects of an installation. It contacts no cluster.
 */
import { NAMESPACE } from '../../api/index.ts';
import { Failure, formatProblem, type Problem } from '../../base/errors.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { valueAt } from '../../base/json-fields.ts';
import { formatYaml, parseYaml } from '../../base/yaml/index.ts';
import { defaultValues, type InstallValues, installObjects, readValues } from '../../install/index.ts';
import { INVALID_INPUT, SUCCESS } from '../exit-code.ts';
import type { Ports } from '../ports.ts';
import { readInput } from '../render/read-input.ts';
import { reportFailure } from '../report-failure.ts';
import { readManifestFiles } from './read-manifest-files.ts';

export type InstallOptions = {
  readonly namespace: string;
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
    checkNamespace(options);
    const values = await valuesOf(options, ports, version);
    if (values.kind === 'invalid') {
      for (const line of values.lines) ports.stderr(`millwright: ${line}\n`);
      return INVALID_INPUT;
    }
    const objects = await objectsOf(options, ports, values.values);
    const documents = objects.map((object) => formatYaml(object));
    ports.stdout(`# Millwright ${version}\n---\n${documents.join('---\n')}`);
    return SUCCESS;
  } catch (error) {
    return reportFailure(error, ports);
  }
}

/** Tools that work with the operator, such as must-gather and alerts, look for its objects in this namespace. */
function checkNamespace({ namespace }: InstallOptions): void {
  if (namespace === NAMESPACE) return;
  const message = `--namespace: Millwright runs in ${NAMESPACE} alone, where tools for machine configs expect it: leave the flag away`;
  throw new Failure('usage', 'WrongNamespace', message);
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
  const { values: file, image, builderImage, base } = options;
  const flags = Object.fromEntries(
    Object.entries({ image, builderImage, base }).filter(([, value]) => value !== undefined),
  ) as { readonly [flag: string]: string };
  const fromFile = file === undefined ? { kind: 'ok' as const, value: {} } : await readFile(file, ports);
  if (fromFile.kind === 'invalid') return fromFile;
  const read = readValues(defaultValues(version), fromFile.value);
  if (read.kind === 'invalid') return invalidLines(file ?? '', read.problems);
  const both = readValues(read.value, { ...flags, ...impliedBy(base, fromFile.value) });
  if (both.kind === 'ok') return { kind: 'ok', values: both.value };
  const named = both.problems.map(({ path, message }) => `${FLAGS[path] ?? path}: ${message}`);
  return { kind: 'invalid', lines: named };
}

/**
 * With the base coreos kubelets ask the cluster for their serving certificates, which then need an approver. Only the flag
 * implies it: a file of values means the same here and for Helm.
 */
function impliedBy(base: string | undefined, given: Json): JsonObject {
  const isDecided = valueAt(given, 'servingCertificates', 'approve') !== undefined;
  return base === 'coreos' && !isDecided ? { servingCertificates: { approve: true } } : {};
}

const FLAGS: { readonly [value: string]: string } = {
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
  if (parsed.kind === 'invalid') return invalidLines(found.name, parsed.problems);
  if (parsed.value.length > 1) {
    return { kind: 'invalid' as const, lines: [`${found.name}: has several documents: values are one`] };
  }
  const value: Json = parsed.value[0]?.value ?? {};
  return { kind: 'ok' as const, value };
}

function invalidLines(file: string, problems: readonly Problem[]) {
  return { kind: 'invalid' as const, lines: problems.map((problem) => `${file}: ${formatProblem(problem)}`) };
}
