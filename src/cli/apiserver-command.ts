/**
 * `millwright apiserver`: the embedded API server alone, in the foreground.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure, formatProblem } from '../base/errors.ts';
import { printableLine } from '../base/text/index.ts';
import type { TokenUser } from '../embedded/apiserver/index.ts';
import { startEmbeddedServer } from '../embedded/up/embedded-server-node.ts';
import { parseTokenAuthFile } from '../embedded/up/index.ts';
import { aborted } from './aborted.ts';
import { SUCCESS } from './exit-code.ts';
import { formatFields } from './klog.ts';
import type { Ports } from './ports.ts';
import { processEnv } from './process-env.ts';
import { reasonOf } from './render/read-input.ts';
import { reportFailure } from './report-failure.ts';

export type ApiserverOptions = {
  readonly dataDir: string;
  readonly port?: number;
  readonly tokenAuthFile?: string;
};

/** Runs until the process is asked to stop, and returns the exit code. */
export async function apiserverCommand(options: ApiserverOptions, ports: Ports): Promise<number> {
  const env = processEnv(ports, 'apiserver.go');
  try {
    const server = await startEmbeddedServer({
      env,
      dataDir: resolve(ports.cwd, options.dataDir),
      port: options.port,
      tokenUsers: await readTokenUsers(options, ports),
      packageRoot: ports.packageRoot,
    });
    try {
      if (!env.signal.aborted) {
        const kubeconfig = join(options.dataDir, 'kubeconfig');
        ports.stdout(`ready${formatFields({ kubeconfig, server: server.url })}\n`);
        ports.stderr('Ctrl-C stops it; the data is kept for the next start\n');
      }
      await aborted(env.signal);
    } finally {
      await server.stop();
    }
    return SUCCESS;
  } catch (error) {
    return reportFailure(error, ports);
  }
}

async function readTokenUsers(
  { tokenAuthFile }: ApiserverOptions,
  { cwd, stderr }: Ports,
): Promise<readonly TokenUser[]> {
  if (tokenAuthFile === undefined) return [];
  let text: string;
  try {
    text = await readFile(resolve(cwd, tokenAuthFile), 'utf8');
  } catch (error) {
    throw new Failure('usage', 'TokenFileUnusable', `${tokenAuthFile}: ${reasonOf(error)}`, error);
  }
  const parsed = parseTokenAuthFile(text);
  if (parsed.kind === 'invalid') {
    const lines = parsed.problems.map(formatProblem).join('; ');
    throw new Failure('usage', 'TokenFileUnusable', `${tokenAuthFile}: ${lines}`);
  }
  for (const warning of parsed.warnings) {
    stderr(`${printableLine(`warning: ${tokenAuthFile}: ${formatProblem(warning)}`)}\n`);
  }
  return parsed.value;
}
