/**
 * Does the disk of a machine match its config?
 *
 * Each problem has upstream's message, word for word, as alerts match it, and an explanation. The message goes into the node's
 * `reason`; logs and events contain the explanation.
 */
import { unreachable } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import type { Expectation, ExpectedDisk } from './expected-disk.ts';
import { type FileKind, fileModeText } from './file-mode-text.ts';
import { missingKernelArguments } from './kernel-arguments.ts';
import { MASK_TARGET } from './node-paths.ts';

/** What was found at a path. */
export type ObservedPath =
  | { readonly kind: 'nothing' }
  /** Whether it exists is unknown. */
  | { readonly kind: 'unreadable'; readonly error: string }
  | {
      readonly kind: FileKind;
      readonly mode: number;
      readonly sizeBytes: number;
      /** Of a file with the expected size. */
      readonly digest?: string;
      /** Of a link, unresolved. */
      readonly target?: string;
    };

export type ObservedDisk = {
  /** Absent where the OS is not an image, or where only files and units are checked. */
  readonly osImage?: string;
  readonly kernelArguments?: readonly string[];
  readonly paths: ReadonlyMap<string, ObservedPath>;
  /** The output of `systemctl is-enabled`. */
  readonly enablement: ReadonlyMap<string, string>;
};

type DiskProblemKind =
  | 'os-image'
  | 'kernel-arguments'
  | 'missing'
  | 'content'
  | 'mode'
  | 'type'
  | 'unreadable'
  | 'mask'
  | 'enablement'
  | 'impossible';

export type DiskProblem = {
  readonly kind: DiskProblemKind;
  /** The path, or the name of the unit; '' for neither. */
  readonly subject: string;
  /** Upstream's message. */
  readonly message: string;
  /** The message with more details. Never contents of files. */
  readonly explained: string;
};

/** The first problem. */
export function diskProblem(expected: ExpectedDisk, observed: ObservedDisk): DiskProblem | undefined {
  return diskProblems(expected, observed)[0];
}

/** All problems, in upstream's order. What was not observed is not compared. */
export function diskProblems(expected: ExpectedDisk, observed: ObservedDisk): readonly DiskProblem[] {
  return [
    ...osProblems(expected, observed),
    ...expected.items.flatMap((item) => itemProblem(item, observed) ?? []),
  ];
}

/** The whole error; `cause` is the failure of the last shutdown to finalize the staged OS. */
export function onDiskStateError(expected: ExpectedDisk, problem: DiskProblem, cause?: string): string {
  const suffix = cause ? `; possible root cause: ${cause}` : '';
  return `unexpected on-disk state validating against ${expected.name}: ${problem.message}${suffix}`;
}

function osProblems(expected: ExpectedDisk, observed: ObservedDisk): readonly DiskProblem[] {
  const problems: DiskProblem[] = [];
  const { osImage, kernelArguments } = observed;
  if (osImage !== undefined && expected.osImage !== '' && osImage !== expected.osImage) {
    const message = `expected target osImageURL ${quoted(expected.osImage)}, have ${quoted(osImage)}`;
    problems.push(problem('os-image', '', message));
  }
  const missing =
    kernelArguments === undefined ? [] : missingKernelArguments(expected.kernelArguments, kernelArguments);
  if (missing.length > 0) {
    const message = `missing expected kernel arguments: [${missing.join(' ')}]`;
    problems.push(problem('kernel-arguments', '', message));
  }
  return problems;
}

function itemProblem(item: Expectation, observed: ObservedDisk): DiskProblem | undefined {
  switch (item.kind) {
    case 'impossible':
      return problem('impossible', item.path, item.why);
    case 'enablement':
      return enablementProblem(item, observed.enablement.get(item.unit));
    default: {
      const there = observed.paths.get(item.path);
      if (there === undefined) return undefined;
      if (there.kind === 'unreadable') {
        return problem('unreadable', item.path, `could not read file ${quoted(item.path)}: ${there.error}`);
      }
      return pathProblem(item, there);
    }
  }
}

type PathExpectation = Exclude<Expectation, { kind: 'enablement' | 'impossible' }>;
type Seen = Exclude<ObservedPath, { kind: 'unreadable' }>;

function pathProblem(item: PathExpectation, there: Seen): DiskProblem | undefined {
  const { path } = item;
  if (there.kind === 'nothing') {
    if (item.kind === 'emptiness') return undefined;
    const message = `could not stat file ${quoted(path)}: lstat ${path}: no such file or directory`;
    return problem('missing', path, message, 'it is gone');
  }
  switch (item.kind) {
    case 'emptiness':
      return there.kind === 'file' && there.sizeBytes === 0 ? undefined : contentProblem(path, 0, there);
    case 'mask':
      return maskProblem(path, there);
    case 'file':
      return modeProblem(item, there) ?? fileProblem(item, there);
    default:
      return unreachable(item);
  }
}

type Found = Exclude<Seen, { kind: 'nothing' }>;
type ExpectedFile = Extract<Expectation, { kind: 'file' }>;

/** Includes the file type, as upstream's text does. */
function modeProblem({ path, mode }: ExpectedFile, there: Found): DiskProblem | undefined {
  if (there.kind === 'file' && there.mode === mode) return undefined;
  const expected = fileModeText('file', mode);
  const received = fileModeText(there.kind, there.mode);
  const message = `mode mismatch for file: ${quoted(path)}; expected: ${expected}; received: ${received}`;
  if (there.kind === 'file') return problem('mode', path, message);
  return problem('type', path, message, `it is ${KIND_TEXTS[there.kind]}`);
}

const KIND_TEXTS = { folder: 'a folder', link: 'a link', other: 'neither a file nor a folder' };

function fileProblem({ path, sizeBytes, digest }: ExpectedFile, there: Found): DiskProblem | undefined {
  const isSame = there.sizeBytes === sizeBytes && there.digest === digest;
  return isSame ? undefined : contentProblem(path, sizeBytes, there);
}

function contentProblem(path: string, sizeBytes: number, there: Found): DiskProblem {
  const detail = `expected ${sizeBytes} bytes, got ${there.sizeBytes} bytes`;
  return problem('content', path, `content mismatch for file ${quoted(path)}`, detail);
}

function maskProblem(path: string, there: Found): DiskProblem | undefined {
  const received = there.kind === 'link' ? resolved(path, there.target ?? '') : path;
  if (received === MASK_TARGET) return undefined;
  const message = `state validation: invalid unit masked setting. path: ${quoted(path)}; expected: ${MASK_TARGET}; received: ${received}`;
  return problem('mask', path, message);
}

/** The target of a link, unresolved. */
function resolved(path: string, target: string): string {
  if (target.startsWith('/')) return target;
  const parts: string[] = [];
  for (const part of `${path}/../${target}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

const REFUSED_WHEN_ENABLED: ReadonlySet<string> = new Set([
  'disabled',
  'masked',
  'masked-runtime',
  'not-found',
]);
const REFUSED_WHEN_DISABLED: ReadonlySet<string> = new Set(['enabled', 'enabled-runtime']);

function enablementProblem(
  { unit, isEnabled }: Extract<Expectation, { kind: 'enablement' }>,
  state: string | undefined,
): DiskProblem | undefined {
  const refused = isEnabled ? REFUSED_WHEN_ENABLED : REFUSED_WHEN_DISABLED;
  if (state === undefined || !refused.has(state)) return undefined;
  const message = `unit ${quoted(unit)} expected enabled=${isEnabled}, but systemd reports ${quoted(state)}`;
  return problem('enablement', unit, message);
}

function problem(kind: DiskProblemKind, subject: string, message: string, detail?: string): DiskProblem {
  return { kind, subject, message, explained: detail === undefined ? message : `${message} (${detail})` };
}
