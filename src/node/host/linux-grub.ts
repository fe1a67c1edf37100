/**
 * Kernel arguments of a machine whose OS is no image, by GRUB: a drop-in adds them to those of the machine itself, and
 * `grub-mkconfig` generates the configuration of the boot loader from it.
 *
 *     /etc/default/grub.d/99-millwright.cfg ──grub-mkconfig──> a new grub.cfg ──checked──> /boot/grub/grub.cfg
 *
 * Both steps set a state, whatever was there, so they can be repeated after a power cut between them. `grub-mkconfig` itself writes
 * over the file that the machine boots from, and a power cut in the midst of that would leave a machine that does not boot. So it
 * generates another file, which replaces the old one in one step, and only with the arguments in it.
 *
 * Not supported: boot entries of the Boot Loader Specification (RHEL, Fedora), which `grub2-mkconfig` does not write, other boot loaders,
 * and a `grub-mkconfig` that does not read drop-ins (it is a patch of Debian's).
 */
import { sameBytes } from '../../base/bytes.ts';
import { Failure } from '../../base/errors.ts';
import type { Commands } from './command-runner.ts';
import type { BootArgumentChange, HostFiles } from './host.ts';
import { readCommandLine } from './machine-files.ts';

const GRUB_DROPIN = '/etc/default/grub.d/99-millwright.cfg';

const GENERATORS = ['/usr/sbin/grub-mkconfig', '/usr/sbin/grub2-mkconfig'] as const;
const CONFIGURATIONS = ['/boot/grub/grub.cfg', '/boot/grub2/grub.cfg'] as const;
const DEFAULTS = '/etc/default/grub';
const MAX_BYTES = 4 * 1024 ** 2;
const GRUB_MODE = 0o600;

/** What a shell, GRUB's own script language and the kernel all read as it is. */
const ARGUMENT = /^(?:[A-Za-z0-9_.,:=/@%+~^-]|"[A-Za-z0-9_.,:=/@%+~^ -]*")+$/;

type GrubOptions = { readonly files: HostFiles; readonly commands: Commands };

/** The arguments of the next boot: of the first entry of the boot loader; those of the running kernel where GRUB is not supported. */
export async function bootArguments({ files }: Pick<GrubOptions, 'files'>): Promise<readonly string[]> {
  const grub = await findGrub(files);
  const found = grub.kind === 'grub' ? entryArguments(await text(files, grub.configuration)) : undefined;
  return found ?? (await readCommandLine(files));
}

/** Why the next boot cannot have these arguments; undefined where it can. */
export async function bootArgumentsProblem(
  { files }: Pick<GrubOptions, 'files'>,
  wanted: readonly string[],
): Promise<string | undefined> {
  const grub = await findGrub(files);
  if (grub.kind === 'unsupported') return grub.why;
  const unsafe = wanted.find((argument) => !ARGUMENT.test(argument));
  if (unsafe !== undefined) return `GRUB would not pass on ${unsafe} as it is`;
  return (await files.whyUnwritable(grub.configuration)) ?? (await files.whyUnwritable(GRUB_DROPIN));
}

/** The next boot has the wanted ones in addition to the machine's own, and no others of ours. */
export async function setBootArguments(
  { files, commands }: GrubOptions,
  { wanted, previous }: BootArgumentChange,
): Promise<void> {
  const before = await files.read(GRUB_DROPIN, MAX_BYTES);
  const dropin = wanted.length === 0 ? undefined : utf8(dropinText(wanted));
  const there = await bootArguments({ files });
  const isSet = hasRun(there, wanted) && (previous.length === 0 || !hasRun(there, previous));
  // A failed update is undone by this as well, and must not fail where it has changed nothing.
  if (isSet && sameFile(before, dropin)) return;
  const grub = await findGrub(files);
  const problem = await bootArgumentsProblem({ files }, wanted);
  if (grub.kind === 'unsupported' || problem !== undefined) {
    throw new Failure('stalled', 'KernelArguments', `cannot change kernel arguments: ${problem}`);
  }
  await writeDropin(files, dropin);
  try {
    await generate({ files, commands }, grub, wanted);
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'cancelled') await writeDropin(files, before);
    throw error;
  }
}

async function writeDropin(files: HostFiles, bytes: Uint8Array | undefined): Promise<void> {
  if (bytes === undefined) await files.remove(GRUB_DROPIN);
  else await files.write(GRUB_DROPIN, { bytes, mode: 0o644 });
}

function sameFile(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameBytes(a, b);
}

async function generate(
  { files, commands }: GrubOptions,
  { generator, configuration }: Grub,
  wanted: readonly string[],
): Promise<void> {
  const generated = `${configuration}.millwright`;
  try {
    await commands.run(generator.slice(generator.lastIndexOf('/') + 1), ['-o', generated]);
    const bytes = await files.read(generated, MAX_BYTES);
    const there = bytes === undefined ? undefined : entryArguments(new TextDecoder().decode(bytes));
    if (bytes === undefined || there === undefined || !hasRun(there, wanted)) {
      const message = `${generator} did not add the kernel arguments [${wanted.join(' ')}]: does /etc/default/grub or a later file of /etc/default/grub.d set GRUB_CMDLINE_LINUX?`;
      throw new Failure('stalled', 'KernelArguments', message);
    }
    const before = await files.stat(configuration);
    await files.write(configuration, { bytes, mode: before?.mode ?? GRUB_MODE });
  } finally {
    await files.remove(generated);
    // Left by a generator that failed.
    await files.remove(`${generated}.new`);
  }
}

type Grub = { readonly kind: 'grub'; readonly generator: string; readonly configuration: string };

/** Only what is known to have an effect is supported: everything else would claim arguments that no kernel gets. */
async function findGrub(
  files: HostFiles,
): Promise<Grub | { readonly kind: 'unsupported'; readonly why: string }> {
  const unsupported = (why: string) => ({ kind: 'unsupported', why }) as const;
  const generator = await firstOf(files, GENERATORS);
  if (generator === undefined) return unsupported('neither grub-mkconfig nor grub2-mkconfig is installed');
  const configuration = await firstOf(files, CONFIGURATIONS);
  if (configuration === undefined) return unsupported(`there is no ${CONFIGURATIONS.join(' and no ')}`);
  const usesEntryFiles =
    /^\s*GRUB_ENABLE_BLSCFG=["']?true/m.test(await text(files, DEFAULTS)) ||
    /^\s*blscfg\b/m.test(await text(files, configuration));
  if (usesEntryFiles) {
    return unsupported(
      'its boot entries are files of the Boot Loader Specification (GRUB_ENABLE_BLSCFG), which grubby changes and Millwright does not',
    );
  }
  if (!(await text(files, generator)).includes('/default/grub.d/')) {
    return unsupported(`${generator} does not read /etc/default/grub.d`);
  }
  return { kind: 'grub', generator, configuration };
}

async function firstOf(files: HostFiles, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if ((await files.stat(path)) !== undefined) return path;
  return undefined;
}

/** A shell script, so everything is quoted. */
function dropinText(wanted: readonly string[]): string {
  const quotedText = `'${wanted.join(' ').replaceAll("'", "'\\''")}'`;
  return `# Kernel arguments of this node's MachineConfig. Written by the machine config daemon.\nGRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX "${quotedText}\n`;
}

/** Of the first entry that boots Linux; undefined where there is none. */
function entryArguments(configuration: string): readonly string[] | undefined {
  const line = /^[ \t]*linux(?:16|efi)?[ \t]+\S+[ \t]*(.*)$/m.exec(configuration)?.[1];
  return line?.match(WORD) ?? (line === undefined ? undefined : []);
}

const WORD = /(?:[^\s"]|"[^"]*(?:"|$))+/g;

/** Whether they follow one another. */
function hasRun(there: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  return there.some((_, start) => wanted.every((argument, index) => there[start + index] === argument));
}

async function text({ read }: Pick<HostFiles, 'read'>, path: string): Promise<string> {
  const bytes = await read(path, MAX_BYTES);
  return bytes === undefined ? '' : new TextDecoder().decode(bytes);
}

function utf8(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}
