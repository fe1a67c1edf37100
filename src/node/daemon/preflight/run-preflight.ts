/**
 * Reads of the machine what the pre-flight checks need, and asks them. Nothing is changed.
 */
import { Failure } from '../../../base/errors.ts';
import { containerRuntimeOf, containerRuntimeVersionOf } from '../../../config/registries/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import type { Deployment, Host } from '../../host/index.ts';
import type { NodeConfig, Plan } from '../../plan/index.ts';
import {
  type NodeFacts,
  type PathSpace,
  type PreflightChange,
  preflight,
  preflightNeeds,
  type UnitFacts,
} from '../../preflight/index.ts';
import type { FailureEvent } from '../../report/index.ts';
import type { DaemonContext } from '../context.ts';
import { trySshd } from './try-sshd.ts';

/** Larger files are not what they should be, and count as absent. */
const MAX_FILE_BYTES = 1024 ** 2;
const MAX_FOLDER_FILES = 200;

/** Where systemd looks for unit files, beside what its generators make. */
const ETC_UNITS = '/etc/systemd/system';
const UNIT_FOLDERS = [
  ETC_UNITS,
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
];

const IMAGE_UNIT_FOLDERS = ['/usr/lib/systemd/system', '/usr/etc/systemd/system'];

type PreflightUpdate = {
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly plan: Pick<Plan, 'change'>;
  readonly isForced: boolean;
  readonly node: Node | undefined;
};

type Refusal = { readonly error: string; readonly event: FailureEvent };

/** Warnings and refusals are logged. */
export async function runPreflight(
  { host, log }: Pick<DaemonContext, 'host' | 'log'>,
  update: PreflightUpdate,
): Promise<{ readonly refusal?: Refusal; readonly warnings: readonly string[] }> {
  const { from, to, plan, isForced } = update;
  const change: PreflightChange = { from, to, change: plan.change, isForced };
  const { error, warnings } = preflight({ ...change, node: await readFacts(host, change, update.node) });
  for (const line of warnings) log.warn(`Pre-flight: ${line}`);
  if (error === undefined) return { warnings };
  log.error(error);
  return { refusal: { error, event: { reason: 'PreflightRefused' } }, warnings };
}

/** A file may name others: the unit of the kubelet its variables, and those its configuration. */
const MAX_ROUNDS = 5;

async function readFacts(host: Host, change: PreflightChange, node: Node | undefined): Promise<NodeFacts> {
  let needs = preflightNeeds(change);
  let facts = await readNeeds(host, { change, node, needs });
  for (let round = 1; round < MAX_ROUNDS; round++) {
    const more = preflightNeeds(change, facts);
    if (NEEDS.every((key) => more[key].every((one) => needs[key].includes(one)))) break;
    needs = more;
    facts = await readNeeds(host, { change, node, needs });
  }
  return facts;
}

const NEEDS = ['units', 'paths', 'files', 'folders', 'commandLines', 'spaces'] as const;

type Reading = {
  readonly change: PreflightChange;
  readonly node: Node | undefined;
  readonly needs: ReturnType<typeof preflightNeeds>;
};

async function readNeeds(host: Host, { change, node, needs }: Reading): Promise<NodeFacts> {
  const runtime = containerRuntimeOf(node);
  const runtimeVersion = containerRuntimeVersionOf(node);
  const image = await nextImage(host, change);
  const nextOs = image === undefined ? 'booted' : (await isKnownImage(host, image)) ? 'known' : 'unknown';
  const booted = image === undefined ? undefined : await bootedDeployment(host);
  const files = await readTexts(host, needs);
  const sshdProblem = await known(() => trySshd(host, change, files));
  return {
    ...(runtime === undefined ? {} : { runtime }),
    ...(runtimeVersion === undefined ? {} : { runtimeVersion }),
    ...(node?.status?.capacity === undefined ? {} : { capacity: node.status.capacity }),
    nextOs,
    hasLayeredPackages: (booted?.layeredPackages ?? []).length > 0,
    units: await answers(needs.units, (name) =>
      readUnit(host, { name, image: nextOs === 'known' ? image : undefined }),
    ),
    paths: await answers(needs.paths, async (path) => (await host.files.stat(path)) !== undefined),
    files,
    ...(sshdProblem === undefined ? {} : { sshdProblem }),
    commandLines: await answers(needs.commandLines, (service) => host.units.commandLine(service)),
    spaces: await answers(needs.spaces, (path) => readSpace(host, path)),
  };
}

/** What is unknown is left out. */
async function answers<T>(
  questions: readonly string[],
  ask: (question: string) => Promise<T | undefined>,
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  for (const question of questions) {
    const answer = await known(() => ask(question));
    if (answer !== undefined) found.set(question, answer);
  }
  return found;
}

/** The image that the next boot runs; undefined where the OS stays. */
async function nextImage({ os }: Host, { to, change }: PreflightChange): Promise<string | undefined> {
  if (!change.osImage || to.osImage === '') return undefined;
  const release = await known(() => os.release());
  return release?.isImageBased === false ? undefined : to.osImage;
}

/** Every OS has this file: where it is not found, nothing is known about the others. */
async function isKnownImage({ os }: Host, image: string): Promise<boolean> {
  return (await known(() => os.isInImage({ image, path: '/usr/lib/os-release' }))) === true;
}

async function bootedDeployment({ os }: Host): Promise<Deployment | undefined> {
  return (await known(() => os.deployments()))?.find(({ isBooted }) => isBooted);
}

async function readSpace({ files }: Host, path: string): Promise<PathSpace | undefined> {
  const space = await files.space(path);
  return space === undefined ? undefined : { ...space, sizeBytes: (await files.stat(path))?.sizeBytes ?? 0 };
}

type UnitQuestion = { readonly name: string; readonly image: string | undefined };

async function readUnit({ files, units, os }: Host, { name, image }: UnitQuestion): Promise<UnitFacts> {
  const isThere = async (folder: string) => (await files.stat(`${folder}/${name}`)) !== undefined;
  let isKnown = await units.isKnown(name);
  for (const folder of UNIT_FOLDERS) isKnown ||= await isThere(folder);
  const inImage: (boolean | undefined)[] = [];
  for (const folder of image === undefined ? [] : IMAGE_UNIT_FOLDERS) {
    inImage.push(await os.isInImage({ image: image ?? '', path: `${folder}/${name}` }));
  }
  const state = isKnown ? await units.isEnabled(name) : 'not-found';
  const isInImage = inImage.includes(true) ? true : inImage.includes(undefined) ? undefined : inImage[0];
  return {
    isKnown,
    isInEtc: await isThere(ETC_UNITS),
    isMasked: state.startsWith('masked'),
    isEnabled: state.startsWith('enabled'),
    ...(isInImage === undefined ? {} : { isInImage }),
  };
}

async function readTexts(
  { files }: Host,
  needs: { readonly files: readonly string[]; readonly folders: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const paths = [...needs.files];
  for (const folder of needs.folders) {
    const names = (await known(() => files.list(folder))) ?? [];
    const below = folder.endsWith('/') ? folder : `${folder}/`;
    paths.push(...names.slice(0, MAX_FOLDER_FILES).map((name) => `${below}${name}`));
  }
  const texts = new Map<string, string>();
  for (const path of paths) {
    const bytes = await known(() => files.read(path, MAX_FILE_BYTES));
    if (bytes !== undefined) texts.set(path, new TextDecoder().decode(bytes));
  }
  return texts;
}

/** What cannot be read is unknown, and refuses nothing. */
async function known<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
    return undefined;
  }
}
