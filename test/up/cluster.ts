/** An embedded cluster for the tests of a file: a process, a data directory, and a kubectl for it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { findKubectls } from '../kubectl/find-kubectls.ts';
import { buildProgram, killRest, startUp, type Up } from './program.ts';
import { type KubectlCall, runKubectl } from './running-kubectl.ts';

/** The newest of this machine. */
const kubectl = (await findKubectls()).at(-1);
const isRequired = process.env.MILLWRIGHT_REQUIRE_TOOLS === '1';

/** Rollouts take seconds; on a machine that is busy with other things they may take minutes. */
const STORY_LIMIT_MS = 300_000;
const WAIT_LIMIT = '--timeout=90s';

/** Skipped where there is no kubectl, unless tools are required. */
export function withKubectl(name: string, stories: () => void): void {
  const isSkipped = kubectl === undefined && !isRequired;
  const title = isSkipped ? `${name} (no kubectl of 1.27 to 1.33 was found)` : name;
  describe.skipIf(isSkipped)(title, { timeout: STORY_LIMIT_MS }, stories);
}

export class Cluster {
  readonly #folder: string;
  #up: Up;

  private constructor(folder: string, up: Up) {
    this.#folder = folder;
    this.#up = up;
  }

  static async start(flags: readonly string[]): Promise<Cluster> {
    if (kubectl === undefined) throw new Error('no kubectl of 1.27 to 1.33 was found');
    await buildProgram();
    const folder = await temporaryFolder();
    return new Cluster(folder, await startUp(join(folder, 'data'), flags));
  }

  /** Starts the next process with the same data directory. */
  async startAgain(flags: readonly string[]): Promise<void> {
    this.#up = await startUp(this.dataDir, flags);
  }

  /** Stops the process and removes all files. */
  async end(): Promise<void> {
    await killRest();
    await removeFolder(this.#folder);
  }

  get up(): Up {
    return this.#up;
  }

  get dataDir(): string {
    return join(this.#folder, 'data');
  }

  get call(): KubectlCall {
    return { program: kubectl?.program ?? '', kubeconfig: this.#up.kubeconfig, home: this.#folder };
  }

  /** The path of a file of a node. */
  onNode(node: string, path: string): string {
    return join(this.dataDir, 'nodes', node, 'rootfs', path);
  }

  /** Returns the output of kubectl; throws if it fails. */
  async kubectl(args: readonly string[], stdin?: string): Promise<string> {
    const { code, stdout, stderr } = await runKubectl(this.call, args, stdin);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async apply(...texts: readonly string[]): Promise<void> {
    await this.kubectl(['apply', '-f', '-'], texts.join('\n---\n'));
  }

  async wait(...args: readonly string[]): Promise<void> {
    await this.kubectl(['wait', ...args, WAIT_LIMIT]);
  }

  /** Makes a change, and resolves once the pool has a new target and all of its nodes have it. */
  async rolledOut(pool: string, change: () => Promise<unknown>): Promise<void> {
    await this.rendered(pool, change);
    // Never stale: kubectl compares observedGeneration.
    await this.wait(`mcp/${pool}`, '--for=condition=Updated');
  }

  /** Makes a change, and resolves once the pool has a new target. */
  async rendered(pool: string, change: () => Promise<unknown>): Promise<void> {
    const target = () => this.field(`mcp/${pool}`, '{.spec.configuration.name}');
    const before = await target();
    await change();
    // Not by waiting for Updating, which may be over before the first look.
    await eventually(`${pool} has a new target`, async () =>
      (await target()) === before ? undefined : true,
    );
  }

  async object<T>(of: string): Promise<T> {
    // kubectl prints the object of the server.
    return JSON.parse(await this.kubectl(['get', of, '-o', 'json'])) as T;
  }

  async field(of: string, path: string): Promise<string> {
    return await this.kubectl(['get', of, '-o', `jsonpath=${path}`]);
  }

  /** An annotation of a node. */
  async annotation(node: string, name: string): Promise<string> {
    return await this.field(
      `node/${node}`,
      `{.metadata.annotations.machineconfiguration\\.openshift\\.io/${name}}`,
    );
  }

  /** Resolves once `up` has printed a matching line; related changes are printed together, with a delay. */
  async untilPrinted(pattern: RegExp): Promise<void> {
    await eventually(`up prints ${pattern}`, async () =>
      pattern.test(this.#up.stderr()) ? true : undefined,
    );
  }

  /** The message of a condition of a pool. */
  async message(pool: string, type: string): Promise<string> {
    return await this.field(`mcp/${pool}`, `{.status.conditions[?(@.type=="${type}")].message}`);
  }
}

export async function temporaryFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'millwright-up-'));
}

export async function removeFolder(folder: string): Promise<void> {
  // Machines may contain directories without permissions.
  await promisify(execFile)('chmod', ['-R', 'u+rwX', folder]);
  await rm(folder, { recursive: true, force: true });
}
