/**
 * Installs a joining machine: the boot image of the platform, its pointer config, and the config that the machine config server
 * has for it. Then its OS is brought to what that says, with one reboot at most. Its kubelet does not run meanwhile.
 */
import { SERVED_CONFIG } from '../../../api/index.ts';
import type { Env } from '../../../base/env.ts';
import { Failure, formatProblem, type Problem } from '../../../base/errors.ts';
import { parseIgnition } from '../../../config/ignition/index.ts';
import { completeFirstBoot, createDaemonLog, writeAsIgnition } from '../../../node/daemon/index.ts';
import { emptyNodeConfig, type NodeConfig, readNodeConfig } from '../../../node/plan/index.ts';
import type { SandboxMachine } from '../../sandbox/index.ts';

type FirstBootOptions = {
  readonly env: Env;
  /** The OS image that a platform starts new machines with. */
  readonly bootImage: string;
  /** The Ignition of the server, once there is one. */
  readonly fetchIgnition: () => Promise<string>;
  readonly report: (line: string) => void;
  /** Receives the lines of the first boot. */
  readonly log: (line: string) => void;
};

const ARCHITECTURE = 'x86_64';

/** The machine is down afterwards: what is staged takes effect when it boots. */
export async function bootWithIgnition(machine: SandboxMachine, options: FirstBootOptions): Promise<void> {
  const { env, bootImage, fetchIgnition, report, log } = options;
  await machine.provision({ image: bootImage });
  await machine.boot();
  report(`booted ${bootImage}`);
  await writeAsIgnition({ host: machine.host, env }, ignitionOf(await fetchIgnition()));
  const config = configOf(JSON.parse(await servedText(machine)));
  report(`Ignition wrote ${config.name}`);
  const daemonLog = createDaemonLog(
    (_, text) => log(text),
    async () => undefined,
  );
  const outcome = await completeFirstBoot({ host: machine.host, log: daemonLog }, config, ARCHITECTURE);
  const why = 'OS image and kernel arguments';
  report(outcome === 'staged' ? `reboots once, for ${why}` : `has the right ${why}: no reboot`);
  await machine.shutDown();
}

async function servedText({ host }: SandboxMachine): Promise<string> {
  const bytes = await host.files.read(SERVED_CONFIG);
  if (bytes === undefined)
    throw new Failure('stalled', 'NoConfig', `the server has sent no ${SERVED_CONFIG}`);
  return new TextDecoder().decode(bytes);
}

/** As it was served: it also has files that no MachineConfig may have. */
function ignitionOf(text: string): NodeConfig {
  const parsed = parseIgnition(JSON.parse(text));
  if (parsed.kind === 'invalid') throw unusable(parsed.problems);
  const empty = emptyNodeConfig({ osImage: '', kernelArguments: [], isFips: false });
  return { ...empty, ignition: parsed.value };
}

function configOf(value: unknown): NodeConfig {
  const parsed = readNodeConfig(value);
  if (parsed.kind === 'ok') return parsed.value;
  throw unusable(parsed.problems);
}

function unusable(problems: readonly Problem[]): Failure {
  return new Failure('stalled', 'ConfigUnusable', problems.map(formatProblem).join('; '));
}
