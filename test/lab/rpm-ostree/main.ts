/**
 * `rpm-ostree` for machines of the lab, over the real `ostree`: the commands that the daemon uses.
 *
 * Its effects are real: images are pulled by `skopeo`, committed to the machine's repository, staged by
 * `ostree`, and finished by `ostree-finalize-staged.service` while the machine goes down. Texts and exit codes are those of
 * the real rpm-ostree. It is bundled into one file, which is part of the OS images.
 */
import { deployments, pendingArguments, stage, undeploy } from './deployments.ts';
import { dropFetched, fetchedCommit, keepFetched } from './fetched-images.ts';
import { changedArguments } from './kernel-arguments.ts';
import { pullImage } from './pull-image.ts';
import { Refusal } from './refusal.ts';
import { printStatus, statusJson } from './status.ts';

const VERSION = `rpm-ostree:
 Version: '2025.10'
 Git: 0000000000000000000000000000000000000000
 Features:
  - rust
  - container
`;

/** The output of the command. */
function outcome(args: readonly string[]): string {
  const [command = '', ...rest] = args;
  switch (command) {
    case '--version':
      return VERSION;
    case 'status':
      return rest.includes('--json') ? statusJson(deployments()) : printStatus(deployments());
    case 'rebase':
      return rest.includes('--download-only') ? download(rest) : rebase(rest);
    case 'cancel':
      // A transaction of this program ends with it.
      return 'No active transaction.\n';
    case 'kargs':
      return kernelArguments(rest);
    case 'cleanup':
      return cleanUp(rest);
    case 'update':
    case 'override':
      return changePackages(rest);
    default:
      throw new Refusal(`Unknown command '${command}'`);
  }
}

const STAGED = 'Staging deployment...done\n';

function rebase(words: readonly string[]): string {
  const { commit } = importImage(words);
  stage({ commit, kernelArguments: pendingArguments() });
  dropFetched();
  return `${STAGED}Changes queued for next boot. Run "systemctl reboot" to start a reboot\n`;
}

/** Neither staged nor deployed. */
function download(words: readonly string[]): string {
  const { reference, commit } = importImage(words);
  keepFetched(reference, commit);
  return 'Downloaded.\n';
}

function importImage(words: readonly string[]): { readonly reference: string; readonly commit: string } {
  const reference = words.find((word) => !word.startsWith('--')) ?? '';
  const [first] = deployments();
  if (first?.reference === reference) throw new Refusal(`Old and new refs are equal: ${reference}`);
  process.stdout.write(`Pulling manifest: ${reference}\n`);
  const fetched = fetchedCommit(reference);
  if (fetched !== undefined) return { reference, commit: fetched };
  const { commit, layers } = pullImage(reference);
  process.stdout.write(`Importing: ${reference}\nostree chunk layers needed: ${layers}\n`);
  return { reference, commit };
}

function kernelArguments(flags: readonly string[]): string {
  const before = pendingArguments();
  if (flags.length === 0) return `${before.join(' ')}\n`;
  const after = changedArguments(before, flags);
  if (after.join('\0') === before.join('\0')) return 'No changes.\n';
  const [first] = deployments();
  if (first === undefined) throw new Refusal('No deployments');
  stage({ commit: first.commit, kernelArguments: after });
  return `${STAGED}Kernel arguments updated.\nRun "systemctl reboot" to start a reboot\n`;
}

function cleanUp(flags: readonly string[]): string {
  const all = deployments();
  const booted = all.findIndex(({ isBooted }) => isBooted);
  const isPending = (index: number) => index < booted && flags.includes('-p');
  const isRollback = (index: number) => index > booted && flags.includes('-r');
  const unwanted = [...all.keys()].filter((index) => isPending(index) || isRollback(index));
  // From the end, since whatever follows a deployment that goes moves up.
  for (const index of unwanted.reverse()) undeploy(index);
  dropFetched();
  return unwanted.length === 0 ? 'Deployments unchanged.\n' : '';
}

/** The lab has no packages. */
function changePackages(args: readonly string[]): string {
  const installed = args.filter((_, index) => args[index - 1] === '--install');
  if (installed.length > 0) throw new Refusal(`Packages not found: ${installed.join(', ')}`);
  return 'No upgrade available.\n';
}

try {
  process.stdout.write(outcome(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}
