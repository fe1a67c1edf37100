/**
 * Valid Ignition that no node should get. The rendering refuses it, with the source; a node refuses it before it is drained.
 */
import type { Problem } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import type { IgnitionConfig } from '../ignition/index.ts';
import { daemonStateProblems } from './daemon-state.ts';
import { nameLimitProblems } from './name-limits.ts';
import { unpackedSizeProblem } from './packed-contents.ts';
import { pathConflictProblems } from './path-conflicts.ts';

/** Problems with paths below the config; their messages say what is concerned also without the path. */
export function unusableContent(config: IgnitionConfig): readonly Problem[] {
  const { shouldExist = [], shouldNotExist = [] } = config.kernelArguments ?? {};
  return [
    ...daemonStateProblems(config),
    ...nameProblems(config),
    ...nameLimitProblems(config),
    ...pathConflictProblems(config),
    ...unpackedSizeProblems(config),
    ...sshKeyProblems(config),
    ...kernelArgumentProblems(shouldExist, 'kernelArguments.shouldExist'),
    ...kernelArgumentProblems(shouldNotExist, 'kernelArguments.shouldNotExist'),
  ];
}

function unpackedSizeProblems(config: IgnitionConfig): readonly Problem[] {
  const problem = unpackedSizeProblem(config);
  return problem === undefined ? [] : [problem];
}

/** An argument is one word, or several, on one line of the boot loader's entry. */
export function kernelArgumentProblems(kernelArguments: readonly string[], path: string): readonly Problem[] {
  return kernelArguments.flatMap((argument, index) => {
    const fault =
      argument.trim() === ''
        ? `kernel argument ${index + 1} is empty`
        : hasControl(argument)
          ? `kernel argument ${quoted(argument)} holds a line break or another control character`
          : undefined;
    return fault === undefined ? [] : [refusal(`${path}[${index}]`, fault)];
  });
}

/** Keys are lines of a file; further lines would be further keys. Never quoted: it may be a private key by mistake. */
function sshKeyProblems({ passwd }: IgnitionConfig): readonly Problem[] {
  return (passwd?.users ?? []).flatMap(({ name, sshAuthorizedKeys }, user) =>
    (sshAuthorizedKeys ?? []).flatMap((key, index) => {
      // A block of YAML ends with a line break.
      const isOneLine = !/[\r\n\0]/.test(key.replace(/\r?\n$/, ''));
      const fault = `SSH key ${index + 1} of user ${quoted(name)} holds a line break: write each public key as an entry of its own, on one line`;
      return isOneLine ? [] : [refusal(`passwd.users[${user}].sshAuthorizedKeys[${index}]`, fault)];
    }),
  );
}

/** JSON has only Unicode: bytes that are not UTF-8 arrive as a replacement character, or as half of a pair. */
function nameProblems({ storage, systemd }: IgnitionConfig): readonly Problem[] {
  const problems: Problem[] = [];
  const check = (path: string, what: string, name: string) => {
    if (NOT_UTF8.test(name)) problems.push(refusal(path, `${what} ${quoted(name)} is not UTF-8`));
  };
  for (const section of ['files', 'directories', 'links'] as const) {
    storage?.[section]?.forEach(({ path }, index) => {
      check(`storage.${section}[${index}].path`, 'file name', path);
    });
  }
  storage?.links?.forEach(({ target = '' }, index) => {
    check(`storage.links[${index}].target`, 'link target', target);
  });
  systemd?.units?.forEach(({ name, dropins }, index) => {
    check(`systemd.units[${index}].name`, 'unit name', name);
    dropins?.forEach((dropin, part) => {
      check(`systemd.units[${index}].dropins[${part}].name`, 'drop-in name', dropin.name);
    });
  });
  return problems;
}

const NOT_UTF8 = /[\p{Surrogate}\ufffd]/u;

function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for control characters.
  return /[\u0000-\u001f\u007f]/.test(text);
}

function refusal(path: string, message: string): Problem {
  return { path, message, reason: 'FieldValueInvalid' };
}
