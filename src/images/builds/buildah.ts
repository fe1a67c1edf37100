/**
 * The command lines of `buildah`, and the cause of a failure in what it printed.
 */
import { parseJson } from '../../base/json.ts';
import { objectAt } from '../../base/json-fields.ts';

/** Where the build works, and with what. All are absolute paths. */
type BuildahPlace = {
  readonly storage: string;
  readonly runRoot: string;
  readonly context: string;
  readonly containerfile: string;
  readonly authFile: string;
  /** Signature policy; the machine's own where absent. */
  readonly policy?: string;
};

type Mount = { readonly from: string; readonly to: string };

type BuildArguments = BuildahPlace & {
  readonly tag: string;
  readonly proxy: { readonly [name: string]: string };
  readonly mounts: readonly Mount[];
};

export function budCommand(options: BuildArguments): readonly string[] {
  const { tag, containerfile, authFile, context, proxy, mounts } = options;
  return [
    ...globalArguments(options),
    'bud',
    '--isolation',
    'chroot',
    '--authfile',
    authFile,
    ...policyArguments(options),
    '--tag',
    tag,
    '--file',
    containerfile,
    ...Object.entries(proxy).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...mounts.flatMap(({ from, to }) => ['--volume', `${from}:${to}:rw`]),
    context,
  ];
}

export function pushCommand(
  options: BuildahPlace & {
    readonly tag: string;
    /** By which this machine reaches the registry of the tag. */
    readonly destination: string;
    readonly digestFile: string;
  },
): readonly string[] {
  const { tag, destination, authFile, digestFile } = options;
  return [
    ...globalArguments(options),
    'push',
    '--authfile',
    authFile,
    ...policyArguments(options),
    '--digestfile',
    digestFile,
    tag,
    `docker://${destination}`,
  ];
}

/** Prints the image as JSON. */
export function inspectCommand(options: BuildahPlace & { readonly tag: string }): readonly string[] {
  return [...globalArguments(options), 'inspect', '--type', 'image', options.tag];
}

/** Of what `inspectCommand` prints: why a node could not boot the image, if that is certain. */
export function osImageProblem(inspected: string): string | undefined {
  const labels = objectAt(parseJson(inspected), 'OCIv1', 'config', 'Labels') ?? {};
  if (OS_LABELS.some((label) => labels[label] !== undefined)) return undefined;
  return `the last stage of the Containerfile is no OS image: it is not built on the stage configs, and has none of the labels of an OS (${OS_LABELS.slice(1).join(', ')}): begin it with FROM configs`;
}

/** The first is of our own stage `configs`; the others are those of OS images. */
const OS_LABELS = [
  'machineconfigpool',
  'containers.bootc',
  'ostree.bootable',
  'ostree.linux',
  'ostree.commit',
];

function globalArguments({ storage, runRoot }: BuildahPlace): readonly string[] {
  return ['buildah', '--root', storage, '--runroot', runRoot, '--storage-driver', 'vfs'];
}

function policyArguments({ policy }: BuildahPlace): readonly string[] {
  return policy === undefined ? [] : ['--signature-policy', policy];
}

/** As `set -x` prints it; runbooks search for `+ buildah bud` and `+ buildah push`. */
export function traceLine(command: readonly string[]): string {
  // The storage is of no interest to readers, and it hides the subcommand.
  const [program = ''] = command;
  return `+ ${[program, ...command.slice(subcommandAt(command))].join(' ')}`;
}

/** Begins a command line that is run in the user namespace of `buildah`, with the same storage. */
export function userNamespaceCommand(command: readonly string[]): readonly string[] {
  return [...command.slice(0, subcommandAt(command)), 'unshare'];
}

function subcommandAt(command: readonly string[]): number {
  return command.findIndex((part) => part === 'bud' || part === 'push');
}

/**
 * The last step that was begun and the last error, in one line:
 * `STEP 9/10: RUN install nosuch: exit status 1: install: package nosuch not found`.
 */
export function failureLine(stage: 'building' | 'pushing', lines: readonly string[]): string {
  const refused = lines.find((line) => NO_USER_NAMESPACE.test(line));
  if (refused !== undefined) return `${stage} the image: ${refused.trim()}: ${NAMESPACE_ADVICE}`;
  const stepAt = lines.findLastIndex((line) => STEP.test(line));
  const error =
    lines.findLast((line) => FAILED_STEP.test(line)) ?? lines.findLast((line) => ERROR.test(line));
  // Output of many lines may have displaced the line of the step.
  const step = lines[stepAt]?.replace(STAGE, '') ?? FAILED_STEP.exec(error ?? '')?.[1];
  const shown = step === undefined ? `${stage} the image` : shortened(step.trim(), MAX_STEP_CHARS);
  if (lines.some((line) => NO_ID_RANGES.test(line))) return `${shown}: ${RANGES_ADVICE}`;
  if (lines.some((line) => NO_SHELL.test(line))) return `${shown}: ${SHELL_ADVICE}`;
  if (error === undefined) return `${shown}: it failed without a message`;
  const unknown = UNKNOWN_INSTRUCTION.exec(error)?.[0];
  if (unknown !== undefined) {
    const hasHeredoc = lines.some((line) => STEP.test(line) && HEREDOC.test(line));
    return [shown, unknown, ...(hasHeredoc ? [HEREDOC_ADVICE] : [])].join(': ');
  }
  const cause = causeOf(error, step);
  if (MISSING_HEREDOC.test(cause)) return `${shown}: ${cause}: ${HEREDOC_ADVICE}`;
  const isRun = step !== undefined && RUN.test(step);
  // What a command printed last says more than its exit code.
  const printed = isRun
    ? lastOutput(lines.slice(stepAt + 1).filter((line) => line !== error && !LOGGED.test(line)))
    : undefined;
  return [shown, cause, ...(printed === undefined || cause.includes(printed) ? [] : [printed])].join(': ');
}

/** Without the step, which is named already. Both it and the cause may contain quotes. */
function causeOf(error: string, step = ''): string {
  const text = error.replace(/^(Error|error): /, '').replace(/^time="[^"]*" level=\w+ msg="(.*)"$/, '$1');
  const prefix = `building at STEP "${step.replace(STEP, '')}": `;
  return text.startsWith(prefix)
    ? text.slice(prefix.length)
    : text.replace(/^building at STEP "[\s\S]*": /, '');
}

function lastOutput(lines: readonly string[]): string | undefined {
  const texts = lines.map((line) => line.replace(EXIT, '').trim());
  const last = texts.findLast((text) => text !== '' && isReadable(text));
  return last === undefined ? undefined : shortened(last, MAX_OUTPUT_CHARS);
}

/** Of random bytes, more than half are unprintable; of a short text with colours, a fifth. */
function isReadable(text: string): boolean {
  const unprintable = text.match(/[^\P{Cc}\t]|\ufffd/gu)?.length ?? 0;
  return unprintable * 4 <= text.length;
}

function shortened(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}

/** A command may be long, and what follows it is the cause. */
const MAX_STEP_CHARS = 120;
const MAX_OUTPUT_CHARS = 200;

const STAGE = /^\[\d+\/\d+\] /;
const STEP = /^(\[\d+\/\d+\] )?STEP \d+(\/\d+)?: /;
const RUN = /^(STEP \S+ )?RUN /i;
const FAILED_STEP = /^Error: building at STEP "([\s\S]*)": /;

/** `buildah` goes on without a word about what that means. */
const NO_USER_NAMESPACE =
  /unshare\(CLONE_NEWUSER\)|cannot clone: Operation not permitted|user namespaces are not enabled/;
const NAMESPACE_ADVICE =
  'buildah needs user namespaces, which this user may not create here: allow them (sysctl user.max_user_namespaces and kernel.unprivileged_userns_clone; in a pod, its seccomp profile), or build as root';

/** With its own ID alone, a user may not change groups in a namespace; and files of other owners cannot be unpacked. */
const NO_ID_RANGES =
  /error setting supplemental groups list: operation not permitted|potentially insufficient UIDs or GIDs available/;
const RANGES_ADVICE =
  'buildah needs ranges of user and group IDs for this user: install newuidmap (Debian package uidmap) and add the user to /etc/subuid and /etc/subgid (usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER), or build as root';

/** `buildah` says it in the words of the isolation that runs the step. */
const NO_SHELL = /(fork\/exec \/bin\/sh|exec: "\/bin\/sh"): .*(no such file or directory|not found)/;
const SHELL_ADVICE =
  'the base image has no shell (/bin/sh), which RUN needs; the OS image of `millwright up` gets one from a static busybox: install it (Debian package busybox-static) and start `millwright up` again';

/** `buildah` before 1.33 takes the lines of a heredoc for instructions. It prints its own structures after the name. */
const UNKNOWN_INSTRUCTION = /(?<=": Build error: )Unknown instruction: "[^"]{0,60}"?/;
const HEREDOC = /<<-?["']?[A-Za-z_]/;
/** As the name of a file to be copied. */
const MISSING_HEREDOC = /"\/?<<[^"]*": no such file/;
const HEREDOC_ADVICE =
  'the Containerfile has a heredoc (<<), which this buildah may not know: update it to 1.33 or newer, or do without heredocs';

/** Repeats the exit code, in a line of its own unless the output ends without a line break. */
const EXIT = /(subprocess exited with status|^exit status) \d+$/;
const ERROR = /^(Error|error): |level=error/;
/** Lines of `buildah` itself. Those of the stage before may arrive after the line of the step, which is on another stream. */
const LOGGED =
  /^(time="[^"]*" level=|Copying (blob|config) |(Getting image source|Storing) signatures$|Writing manifest to image destination$)/;
