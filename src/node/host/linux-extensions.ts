/**
 * The packages of an extensions image, made installable: unpacked below /run, with a repository file that points there.
 */
import { commandLine } from './command-failure.ts';
import type { Commands } from './command-runner.ts';
import type { HostFiles } from './host.ts';
import { localImages } from './local-images.ts';
import type { LinuxOsOptions } from './os-tool.ts';

const REPOSITORY = '/etc/yum.repos.d/coreos-extensions.repo';
const FOLDER = '/run/mco-extensions/os-extensions-content-';
const AUTH_FILE = '/var/lib/kubelet/config.json';
/** Pulling and unpacking must not slow down the pods on the machine. */
const GENTLY = ['--', 'ionice', '-c', '3', 'podman'];

export async function openExtensions(options: LinuxOsOptions, image: string): Promise<() => Promise<void>> {
  const { files, commands, random } = options;
  const folder = `${FOLDER}${Math.floor(random.next() * 1e10)}`;
  const close = async () => {
    await files.remove(REPOSITORY);
    await files.removeFolder(folder);
  };
  try {
    await pullUnlessLocal({ files, commands }, image);
    await files.makeFolder(folder, { mode: 0o755 });
    await unpack(options, { image, folder });
    const bytes = new TextEncoder().encode(repositoryFile(folder));
    await files.write(REPOSITORY, { bytes, mode: 0o644 });
    return close;
  } catch (error) {
    await close();
    throw error;
  }
}

type Machine = { readonly files: HostFiles; readonly commands: Commands };

export async function pullUnlessLocal({ files, commands }: Machine, image: string): Promise<void> {
  if ((await localImages(commands, image)).length > 0) return;
  const isAuthFileThere = (await files.stat(AUTH_FILE)) !== undefined;
  const auth = isAuthFileThere ? ['--authfile', AUTH_FILE] : [];
  await commands.run('nice', [...GENTLY, 'pull', '-q', ...auth, image]);
}

type Unpacking = { readonly image: string; readonly folder: string };

async function unpack({ commands, random }: LinuxOsOptions, { image, folder }: Unpacking): Promise<void> {
  const name = `ostree-container-pivot-${random.uuid()}`;
  const annotation = '--annotation=org.openshift.machineconfigoperator.pivot=true';
  const created = await commands.capture('podman', [
    'create',
    '--net=none',
    annotation,
    '--name',
    name,
    image,
  ]);
  const container = created.trim().split('\n').at(-1) ?? name;
  try {
    await commands.run('nice', [...GENTLY, 'cp', `${container}:/`, folder]);
    const label = ['-R', '-t', 'var_run_t', folder];
    const { exitCode, stderr } = await commands.try('chcon', label);
    // Without SELinux no labels are needed.
    if (exitCode !== 0) commands.log(`${commandLine({ command: 'chcon', args: label })}: ${stderr.trim()}`);
  } finally {
    await commands.try('podman', ['kill', container]);
    await commands.try('podman', ['rm', '-f', container]);
  }
}

function repositoryFile(folder: string): string {
  return [
    '[coreos-extensions]',
    'enabled=1',
    'metadata_expire=1m',
    `baseurl=${folder}/usr/share/rpm-ostree/extensions/`,
    'gpgcheck=0',
    'skip_if_unavailable=False',
    '',
  ].join('\n');
}
