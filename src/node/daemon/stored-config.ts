/**
 * Configs on the disk: the current one, and both of an update in progress.
 */
import type { Clock } from '../../base/env.ts';
import { formatProblem } from '../../base/errors.ts';
import { preparePackedContents } from '../../config/content/index.ts';
import type { Host } from '../host/index.ts';
import { type NodeConfig, readNodeConfig } from '../plan/index.ts';
import { CURRENT_CONFIG, CURRENT_IMAGE, damagedState, JOURNAL_FROM, JOURNAL_TO } from './state-paths.ts';

type Files = Pick<Host, 'files'>;

/** More than any config that the cluster can hold. */
const MAX_CONFIG_BYTES = 32 * 1024 ** 2;
const MAX_IMAGE_BYTES = 4096;

/** Parses each text once: it is nearly always the one of the last read. */
export class ConfigReader {
  readonly #clock: Pick<Clock, 'pause'>;
  readonly #known = new Map<string, { readonly text: string; readonly config: NodeConfig }>();

  constructor(clock: Pick<Clock, 'pause'>) {
    this.#clock = clock;
  }

  /** The current config; absent on a machine that has stored none. */
  async current(host: Files): Promise<NodeConfig | undefined> {
    return await this.currentWith(host, await readImage(host));
  }

  /** The same with another image than the one that is stored beside it. */
  async currentWith(host: Files, image: string): Promise<NodeConfig | undefined> {
    return await this.#read(host, CURRENT_CONFIG, image);
  }

  /** Of the update in progress. */
  async from(host: Files, image: string): Promise<NodeConfig> {
    return needed(await this.#read(host, JOURNAL_FROM, image), JOURNAL_FROM);
  }

  async to(host: Files, image: string): Promise<NodeConfig> {
    return needed(await this.#read(host, JOURNAL_TO, image), JOURNAL_TO);
  }

  /** Once the update has ended its configs are of no use, and they may be large. */
  forgetUpdate(): void {
    this.#known.delete(JOURNAL_FROM);
    this.#known.delete(JOURNAL_TO);
  }

  async #read(host: Files, path: string, image: string): Promise<NodeConfig | undefined> {
    const text = await readText(host, path, MAX_CONFIG_BYTES);
    if (text === undefined) {
      this.#known.delete(path);
      return undefined;
    }
    const known = this.#known.get(path);
    if (known?.text === text && (known.config.layeredImage ?? '') === image) return known.config;
    const config = parseConfig(text, path, image);
    await preparePackedContents(config.ignition, () => this.#clock.pause());
    this.#known.set(path, { text, config });
    return config;
  }
}

/** A reference of an image is one word. */
async function readImage(host: Files): Promise<string> {
  const image = ((await readText(host, CURRENT_IMAGE, MAX_IMAGE_BYTES)) ?? '').trim();
  if (image === '' || /^[\x21-\x7e]+$/.test(image)) return image;
  throw damagedState(CURRENT_IMAGE, 'it is no name of an image');
}

export async function storeConfig(host: Files, config: NodeConfig): Promise<void> {
  await writeConfig(host, CURRENT_CONFIG, config);
  const image = config.layeredImage ?? '';
  if (image === '') await host.files.remove(CURRENT_IMAGE);
  else await host.files.write(CURRENT_IMAGE, { bytes: utf8(image), mode: 0o644 });
}

export async function removeStoredConfig({ files }: Files): Promise<void> {
  await files.remove(CURRENT_CONFIG);
  await files.remove(CURRENT_IMAGE);
}

/** It may hold secrets: readable by root only. */
export async function writeConfig(
  { files }: Files,
  path: string,
  { machineConfig }: NodeConfig,
): Promise<void> {
  await files.write(path, { bytes: utf8(JSON.stringify(machineConfig)), mode: 0o600 });
}

function parseConfig(text: string, path: string, image: string): NodeConfig {
  const config = readNodeConfig(parsed(text, path), image);
  if (config.kind === 'ok') return config.value;
  const problems = config.problems.map(({ discreet, ...problem }) =>
    formatProblem({ ...problem, message: discreet ?? problem.message }),
  );
  throw damagedState(path, problems.join(', '));
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damagedState(path, 'it is not JSON');
  }
}

function needed(config: NodeConfig | undefined, path: string): NodeConfig {
  if (config !== undefined) return config;
  throw damagedState(path, 'it is missing although an update is in progress');
}

async function readText({ files }: Files, path: string, maxBytes: number): Promise<string | undefined> {
  const bytes = await files.read(path, maxBytes);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
