/**
 * A small, real cluster: machines that boot from OSTree deployments, a registry, an API server, the operator, the
 * controllers, and on each machine the daemon, started like its pod.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type MachineConfig, machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { configMap as configMapKind, node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { freePort } from '../kubernetes/free-port.ts';
import { startOurs } from '../registry/registries.ts';
import { createDaemonPods } from '../rollout/http-tokens.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { type Disk, ostreeDisk } from './disk.ts';
import { aNode, followPower, writePod } from './kubelet.ts';
import { DAEMON_LOG, LAB_INIT, LAB_OS } from './lab-files.ts';
import { Machine } from './machine.ts';
import { OS_VERSIONS, type OsImages, type OsVersion, osImages } from './os-images.ts';
import { copyProgram } from './program-copy.ts';
import { machineFolder, makeRunFolder, type RunFolder } from './run-folder.ts';
import { runTool } from './run-tool.ts';
import { installSysroot } from './sysroot.ts';

export type Lab = {
  readonly controlPlane: ControlPlane;
  readonly machines: readonly Machine[];
  /** The pullspec of a version of the OS, by its digest. */
  readonly image: (version: OsVersion) => string;
  /** The repository that they are in. */
  readonly repository: string;
  /** For files of the test; removed with the lab. */
  readonly folder: string;
  /** For debugging a failed test. */
  readonly explain: () => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** Clean-up actions, run in reverse order. */
type Undo = () => Promise<unknown>;

/** `configs` are there before the first config of a pool is rendered. */
export async function startLab(
  names: readonly string[],
  configs: readonly MachineConfig[] = [],
): Promise<Lab> {
  const undos: Undo[] = [];
  const stop = async () => {
    const troubles: unknown[] = [];
    for (const undo of undos.splice(0).reverse()) await undo().catch((error) => troubles.push(error));
    if (troubles.length > 0)
      throw new AggregateError(troubles, `the lab was not left as it was: ${troubles.join('; ')}`);
  };
  try {
    return { ...(await build({ names, configs }, undos)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Wanted = { readonly names: readonly string[]; readonly configs: readonly MachineConfig[] };

async function build({ names, configs }: Wanted, undos: Undo[]): Promise<Omit<Lab, 'stop'>> {
  const images = await osImages(LAB_OS);
  const run = await makeRunFolder();
  undos.push(run.remove);
  const registry = await startOurs();
  undos.push(registry.stop);
  const repository = `${registry.host}/lab/os`;
  const digests = await pushImages(images, repository);
  const image = (version: OsVersion) => `${repository}@${digests[version]}`;
  const program = await copyProgram(join(run.path, 'package'));
  const controlPlane = await startControlPlane({ program, folder: join(run.path, 'control-plane') });
  undos.push(controlPlane.stop);
  await nameBaseImage(controlPlane, image('1.0'));
  for (const config of configs) await controlPlane.kube.create(machineConfigKind, config);
  for (const name of names) await controlPlane.kube.create(nodeKind, aNode(name, false));
  const tokens = await createDaemonPods(controlPlane, names);
  await controlPlane.startControllers();
  const machines: Machine[] = [];
  for (const name of names) {
    const folder = machineFolder(run.path, name);
    const kubeconfig = controlPlane.kubeconfigFor(tokens.get(name) ?? '');
    await writePod({ node: name, kubeconfig, metricsPort: await freePort(), folder: join(folder, 'pod') });
    const sysroot = join(folder, 'sysroot');
    const machine = await makeMachine({ name, folder, run, disk: ostreeDisk(sysroot) });
    await installSysroot({
      sysroot,
      kernelArguments: ['rw', 'console=ttyS0'],
      source: { repository: images.repository, ref: images.installedRef },
      image: { name: image('1.0'), digest: digests['1.0'], version: '1.0' },
    });
    machines.push(machine);
  }
  const settled = machines.map((machine) => followPower(controlPlane.kube, machine));
  undos.push(async () => {
    await Promise.all(machines.map((machine) => machine.powerOff()));
    await Promise.all(settled.map((whenWritten) => whenWritten()));
    await Promise.all(machines.map((machine) => machine.remove()));
  });
  const explain = async () =>
    [await controlPlane.logs(), ...(await Promise.all(machines.map(lastLogLines)))].join('\n');
  return { controlPlane, machines, image, repository, folder: join(run.path, 'test'), explain };
}

type MachineParts = {
  readonly name: string;
  readonly folder: string;
  readonly run: RunFolder;
  readonly disk: Disk;
};

async function makeMachine({ name, folder, run, disk }: MachineParts): Promise<Machine> {
  await mkdir(folder, { recursive: true });
  const containerName = `${run.containerPrefix}${name}`;
  const gifts = { node: process.execPath, package: join(run.path, 'package'), pod: join(folder, 'pod') };
  return new Machine({ name, containerName, folder, disk, gifts, init: LAB_INIT });
}

async function pushImages(
  images: OsImages,
  repository: string,
): Promise<Readonly<Record<OsVersion, string>>> {
  for (const version of OS_VERSIONS) {
    const target = `docker://${repository}:${version}`;
    const flags = ['--quiet', '--preserve-digests', '--dest-tls-verify=false'];
    await runTool(['skopeo', 'copy', ...flags, `dir:${images.imageFolder(version)}`, target]);
  }
  return { '1.0': await images.digest('1.0'), '2.0': await images.digest('2.0') };
}

/** What pools are rendered with where no config names an image. */
async function nameBaseImage({ kube }: ControlPlane, image: string): Promise<void> {
  await kube.create(configMapKind, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'machine-config-osimageurl', namespace: 'openshift-machine-config-operator' },
    data: { baseOSContainerImage: image },
  });
}

const LAST_LINES = 40;

async function lastLogLines(machine: Machine): Promise<string> {
  const log = (await machine.readVar(DAEMON_LOG)).split('\n').slice(-LAST_LINES);
  return `--- ${machine.name}, boot ${machine.boots}\n${log.join('\n')}`;
}
