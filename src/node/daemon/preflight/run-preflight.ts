/**
 * Reads of the machine what the pre-flight checks need, and asks them. Nothing is changed.
 */
import { Failure } from '../../../base/errors.ts';
import { containerRuntimeOf, containerRuntimeVersionOf } from '../../../config/registries/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import type { Host } from '../../host/index.ts';
import type { NodeConfig, Plan } from '../../plan/index.ts';
import {
  type NodeFacts,
  type PreflightChange,
  preflight,
  preflightNeeds,
  type UnitFacts,
} from '../../preflight/index.ts';

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

type PreflightUpdate = {
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly plan: Pick<Plan, 'change'>;
  readonly isForced: boolean;
  readonly node: Node | undefined;
};

export async function runPreflight(
  host: Host,
  update: PreflightUpdate,
): Promise<ReturnType<typeof preflight>> {
  const { from, to, plan, isForced } = update;
  const change: PreflightChange = { from, to, change: plan.change, isForced };
  return preflight({ ...change, node: await readFacts(host, change, update.node) });
}

async function readFacts(host: Host, change: PreflightChange, node: Node | undefined): Promise<NodeFacts> {
  const needs = preflightNeeds(change);
  const runtime = containerRuntimeOf(node);
  const runtimeVersion = containerRuntimeVersionOf(node);
  const units = new Map<string, UnitFacts>();
  for (const name of needs.units) units.set(name, await readUnit(host, name));
  const paths = new Map<string, boolean>();
  for (const path of needs.paths) {
    const isThere = await known(async () => (await host.files.stat(path)) !== undefined);
    if (isThere !== undefined) paths.set(path, isThere);
  }
  return {
    ...(runtime === undefined ? {} : { runtime }),
    ...(runtimeVersion === undefined ? {} : { runtimeVersion }),
    nextOs: change.change.osImage ? 'unknown' : 'booted',
    hasLayeredPackages: false,
    units,
    paths,
    files: await readTexts(host, needs),
    commandLines: new Map(),
  };
}

async function readUnit({ files, units }: Host, name: string): Promise<UnitFacts> {
  const isThere = async (folder: string) => (await files.stat(`${folder}/${name}`)) !== undefined;
  let isKnown = await units.isKnown(name);
  for (const folder of UNIT_FOLDERS) isKnown ||= await isThere(folder);
  return {
    isKnown,
    isInEtc: await isThere(ETC_UNITS),
    isMasked: isKnown && (await units.isEnabled(name)).startsWith('masked'),
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
