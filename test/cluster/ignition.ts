/** The real Ignition, built once from its module: what a machine runs in its first boot, before anything of its own. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from '../lab/run-tool.ts';
import type { Unavailable } from '../oracle/oracle.ts';
import { goProgram } from '../support/go-programs.ts';

/** It needs `gcc` and the headers of libblkid. */
export async function findIgnition(): Promise<string | Unavailable> {
  const found = await headersProblem();
  if (found === undefined) return await builtIgnition();
  if (process.env.MILLWRIGHT_REQUIRE_TOOLS === '1') throw new Error(`Ignition is required: ${found}`);
  return { unavailable: found };
}

function headersProblem(): Promise<string | undefined> {
  return runTool(['pkg-config', '--exists', 'blkid']).then(
    () => undefined,
    () =>
      'the headers of libblkid (libblkid-dev, pkg-config), with which Ignition is built, are not installed',
  );
}

function builtIgnition(): Promise<string | Unavailable> {
  return goProgram({
    name: 'ignition',
    cache: 'ignition',
    folder: join(dirname(fileURLToPath(import.meta.url)), 'ignition'),
    package: `${MODULE}/internal`,
    flags: [
      '-trimpath',
      '-buildvcs=false',
      `-ldflags=-s -w ${LINKED.map((one) => `-X ${MODULE}/${one}`).join(' ')}`,
    ],
    env: { CGO_ENABLED: '1' },
  });
}

const MODULE = 'github.com/coreos/ignition/v2';
/** As distributions without SELinux build it. */
const LINKED = ['internal/version.Raw=v2.20.0', 'internal/distro.selinuxRelabel=false'];

export type IgnitionRun = {
  readonly program: string;
  /** Its own files; removed with it. */
  readonly folder: string;
  /** The network of the machine: a path of its namespace. */
  readonly network: string;
  /** Of the machine, while it is off. */
  readonly root: string;
  readonly varFolder: string;
  /** As the platform of a machine gives it. */
  readonly userData: string;
};

/**
 * Fetches what the user data point to over the network of the machine, and writes it to its disk. An initramfs does the same with
 * the root that it is about to boot: `/var` is mounted, `/usr` read-only. Returns its log.
 */
export async function runIgnition(run: IgnitionRun): Promise<string> {
  const { program, folder, network, root, varFolder, userData } = run;
  const config = join(folder, 'user-data.ign');
  await writeFile(config, userData, { mode: 0o600 });
  const inside = ['nsenter', `--net=${network}`, '--', 'unshare', '--mount', '--'];
  const script = ['sh', '-ec', STAGES, 'ignition', program, root, varFolder, folder];
  return await runTool([...inside, ...script], { env: { IGNITION_CONFIG_FILE: config } });
}

const STAGES = `
mount --bind "$3" "$2/var"
mount --bind "$2/usr" "$2/usr"
mount -o remount,bind,ro "$2/usr"
for stage in fetch-offline fetch files; do
  "$1" --platform=file --stage="$stage" --root="$2" --log-to-stdout \\
    --config-cache="$4/ignition.json" --state-file="$4/state" --neednet="$4/neednet"
done
`;
