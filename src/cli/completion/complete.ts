/**
 * What may stand at the end of an unfinished command line: computed from the commands themselves, so that every command and
 * flag completes without a list of its own. Names of objects are left to the caller, who may have to ask a cluster.
 */
import type { Argument, Command, Option } from 'commander';
import type { ClusterOptions } from '../cluster-options.ts';

export type Candidate = { readonly value: string; readonly description?: string };

/** Objects whose names complete. */
export type NameKind = 'pools' | 'nodes' | 'builds';

export type Completion = {
  readonly candidates: readonly Candidate[];
  /** Names of these may stand there as well, after `before`. */
  readonly names: readonly NameKind[];
  /** What of the last word comes before the value: `--pool=` of `--pool=wor`. */
  readonly before: string;
  /** Whether a path may stand there. */
  readonly paths: 'files' | 'folders' | 'none';
  /** Flags of the line so far that select a cluster. */
  readonly cluster: ClusterOptions;
};

/** `words`: all after the name of the program; the last is the one to complete, and may be empty. */
export function complete(program: Command, words: readonly string[]): Completion {
  const line = readLine(program, words.slice(0, -1));
  const last = words.at(-1) ?? '';
  const { command, awaited, cluster } = line;
  if (awaited !== undefined) return { ...ofOption(awaited, last), before: '', cluster };
  if (!line.isOnlyArguments && last.startsWith('-')) {
    const end = last.indexOf('=');
    if (end < 0) return { ...NOTHING, candidates: matching(flagsOf(command), last), cluster };
    const option = optionOf(command, last.slice(0, end));
    const [before, value] = [last.slice(0, end + 1), last.slice(end + 1)];
    return option === undefined ? { ...NOTHING, cluster } : { ...ofOption(option, value), before, cluster };
  }
  return { ...ofArgument(line, last), before: '', cluster };
}

const NOTHING = { candidates: [], names: [], before: '', paths: 'none' } as const;

type Line = {
  readonly command: Command;
  /** Its arguments so far. */
  readonly given: readonly string[];
  /** The flag whose value comes next. */
  readonly awaited: Option | undefined;
  /** After `--`. */
  readonly isOnlyArguments: boolean;
  readonly cluster: ClusterOptions;
};

function readLine(program: Command, words: readonly string[]): Line {
  let command = program;
  const given: string[] = [];
  let awaited: Option | undefined;
  let isOnlyArguments = false;
  const values = new Map<string, string>();
  for (const word of words) {
    if (awaited !== undefined) {
      values.set(awaited.attributeName(), word);
      awaited = undefined;
    } else if (isOnlyArguments || !word.startsWith('-') || word === '-') {
      const next = given.length === 0 ? subcommandOf(command, word) : undefined;
      if (next === undefined) given.push(word);
      else command = next;
    } else if (word === '--') {
      isOnlyArguments = true;
    } else {
      const [name = '', ...value] = word.split('=');
      const option = optionOf(command, name);
      if (option === undefined) continue;
      if (value.length > 0) values.set(option.attributeName(), value.join('='));
      else if (option.required) awaited = option;
    }
  }
  return { command, given, awaited, isOnlyArguments, cluster: clusterOptions(values) };
}

function clusterOptions(values: ReadonlyMap<string, string>): ClusterOptions {
  const [kubeconfig, context, dataDir] = ['kubeconfig', 'context', 'dataDir'].map((name) => values.get(name));
  return {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    ...(dataDir === undefined ? {} : { dataDir }),
  };
}

/** Also of the commands above it: they accept theirs anywhere. */
function optionOf(command: Command, name: string): Option | undefined {
  const found = command.options.find(({ long, short }) => long === name || short === name);
  return found ?? (command.parent === null ? undefined : optionOf(command.parent, name));
}

function subcommandOf(command: Command, name: string): Command | undefined {
  return command.commands.find((one) => one.name() === name);
}

function ofOption(option: Option, value: string): Omit<Completion, 'before' | 'cluster'> {
  const choices = (option.argChoices ?? []).map((choice) => ({ value: choice }));
  const placeholder = /[<[]([^>\].]+)/.exec(option.flags)?.[1] ?? '';
  return { candidates: matching(choices, value), ...ofPlaceholder(placeholder) };
}

function ofArgument({ command, given }: Line, word: string): Omit<Completion, 'before' | 'cluster'> {
  // `help` is a command of commander's own.
  const isTopic = command.parent === null && given.length === 1 && given[0] === 'help';
  const commands =
    given.length === 0 || isTopic ? command.createHelp().visibleCommands(command).map(commandCandidate) : [];
  const argument = argumentAt(command, given.length);
  const choices = (argument?.argChoices ?? []).map((choice) => ({ value: choice }));
  const placeholder = argument === undefined ? '' : placeholderOf(command, argument);
  return { candidates: matching([...commands, ...choices], word), ...ofPlaceholder(placeholder) };
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined);
}

/** `millwright node NAME` is about a node; elsewhere a NAME may be anything. */
function placeholderOf(command: Command, argument: Argument): string {
  const isOfNode = command.name() === 'node' || command.parent?.name() === 'node';
  return argument.name() === 'NAME' && isOfNode ? 'NODE' : argument.name();
}

const NAMES: { readonly [placeholder: string]: NameKind } = { POOL: 'pools', NODE: 'nodes', BUILD: 'builds' };

/** `POOL|NODE|BUILD` may be any of them. */
function ofPlaceholder(placeholder: string): Pick<Completion, 'names' | 'paths'> {
  const parts = placeholder.split('|');
  const names = parts.flatMap((part) => (Object.hasOwn(NAMES, part) ? (NAMES[part] ?? []) : []));
  if (parts.includes('FILE') || parts.includes('PATH')) return { names, paths: 'files' };
  return { names, paths: parts.includes('DIR') ? 'folders' : 'none' };
}

function flagsOf(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, short, description }) => {
      const value = long ?? short;
      return value === undefined ? [] : [{ value, description: firstSentence(description) }];
    });
}

function commandCandidate(command: Command): Candidate {
  return { value: command.name(), description: firstSentence(command.summary() || command.description()) };
}

/** A menu has one line for each. */
function firstSentence(text: string): string {
  return text.split(/[\n(]/)[0]?.trim() ?? '';
}

function matching(candidates: readonly Candidate[], start: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(start));
}
