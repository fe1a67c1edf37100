/**
 * The syntax of Containerfiles, checked before a build is started: a Job that can only fail would cost minutes.
 *
 * Only what no builder accepts is refused. Files, images and the commands themselves are the builder's to judge.
 */
import type { Problem } from '../../base/errors.ts';

type Instruction = { readonly line: number; readonly name: string; readonly rest: string };

/** What follows each instruction; empty where nothing has to. */
const ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['ADD', 'a source and a destination'],
  ['ARG', 'a name'],
  ['CMD', 'a command'],
  ['COPY', 'a source and a destination'],
  ['ENTRYPOINT', 'a command'],
  ['ENV', 'a key and a value'],
  ['EXPOSE', 'a port'],
  ['FROM', 'an image'],
  ['HEALTHCHECK', ''],
  ['LABEL', 'a key and a value'],
  ['MAINTAINER', ''],
  ['ONBUILD', 'an instruction'],
  ['RUN', 'a command'],
  ['SHELL', 'a command'],
  ['STOPSIGNAL', 'a signal'],
  ['USER', 'a user'],
  ['VOLUME', 'a path'],
  ['WORKDIR', 'a path'],
]);

/** Problems with `line N`, counted from one; `firstLine` is the number of the first line where the text is part of another. */
export function containerfileProblems(
  text: string,
  { needsFrom, firstLine = 1 }: { readonly needsFrom: boolean; readonly firstLine?: number },
): readonly Problem[] {
  const instructions = [...instructionsOf(text, firstLine)];
  const problems = [...instructions.flatMap(problemsOf), ...hereDocumentProblems(text, firstLine)];
  const hasFrom = instructions.some(({ name }) => name === 'FROM');
  if (needsFrom && !hasFrom) problems.push({ path: '', message: 'Containerfile has no FROM instruction' });
  return problems;
}

/** `buildah` would read files of the machine that it runs on. */
const TRANSPORT =
  /^(atomic|containers-storage|dir|docker|docker-archive|docker-daemon|https?|oci|oci-archive|ostree|sif|tarball):/i;

function imageProblems({ line, name, rest }: Instruction): readonly Problem[] {
  const [flags = ''] = /^(--\S+\s+)*/.exec(rest) ?? [];
  const ofFlags = [...flags.matchAll(/(?:--|[=,])from=([^\s,]+)/gi)].map(([, image = '']) => image);
  const [own = ''] = rest.slice(flags.length).split(/\s+/);
  const images = [...(name === 'FROM' ? [own] : []), ...ofFlags].map((image) => image.replace(/["']/g, ''));
  return images.flatMap((image) => {
    const at = (message: string) => [{ path: '', message: `line ${line}: ${shortened(image)}: ${message}` }];
    if (TRANSPORT.test(image)) return at('only images of registries, and stages, can be built on');
    return image.includes('$') ? at('variables are not supported in the name of an image or stage') : [];
  });
}

/** Older builders know no here-documents, and take their lines for instructions. */
function hereDocumentProblems(text: string, firstLine: number): readonly Problem[] {
  if (!text.includes('<<')) return [];
  return text.split(/\r?\n/).flatMap((line, index) => {
    const [, name = '', rest = ''] = /^\s*(\S+)\s*(.*)$/.exec(line) ?? [];
    const found = imageProblems({ line: firstLine + index, name: name.toUpperCase(), rest: rest.trim() });
    return ARGUMENTS.has(name.toUpperCase()) ? found : [];
  });
}

function problemsOf(instruction: Instruction): readonly Problem[] {
  const own = argumentProblems(instruction);
  return own.length > 0 ? own : imageProblems(instruction);
}

function argumentProblems({ line, name, rest }: Instruction): readonly Problem[] {
  const at = (message: string) => [{ path: '', message: `line ${line}: ${message}` }];
  const needed = ARGUMENTS.get(name);
  if (needed === undefined) return at(`unknown Dockerfile instruction: ${shortened(name.toLowerCase())}`);
  if (rest === '' && needed !== '') return at(`${name} instruction requires ${needed}`);
  if (name === 'ENV' || name === 'LABEL') {
    // `ENV key value` is an old form that takes the rest of the line as the value.
    const isOldForm = /^[^\s=]+\s+\S/.test(rest);
    return rest.includes('=') || isOldForm ? [] : at(`${name} instruction must use key=value form`);
  }
  if (name === 'FROM' && !/^(--\S+\s+)*\S+(\s+as\s+\S+)?$/i.test(rest)) {
    return at('FROM instruction must be an image, optionally followed by AS and a name');
  }
  if ((name === 'COPY' || name === 'ADD') && argumentsOf(rest) < 2 && !rest.includes('<<')) {
    return at(`${name} instruction requires ${needed}`);
  }
  return [];
}

function argumentsOf(rest: string): number {
  const withoutFlags = rest.replace(/^(--\S+\s+)*/, '');
  if (withoutFlags.startsWith('[')) return withoutFlags.split(',').length;
  return withoutFlags.split(/\s+/).filter((part) => part !== '').length;
}

/** Joins continued lines, and skips comments, empty lines and the bodies of here-documents. */
function* instructionsOf(text: string, firstLine: number): Generator<Instruction> {
  const lines = text.split(/\r?\n/);
  const continuation = /^\s*#\s*escape\s*=\s*(`)/i.test(lines[0] ?? '') ? '`' : '\\';
  for (let index = 0; index < lines.length; index++) {
    if (isSkipped(lines[index])) continue;
    const start = index;
    let joined = (lines[index] ?? '').trim();
    while (joined.endsWith(continuation) && index + 1 < lines.length) {
      index += 1;
      // Comments and empty lines may stand between continued lines.
      if (isSkipped(lines[index])) continue;
      // As builders do, without a space: a word may go on in the next line.
      joined = `${joined.slice(0, -1)}${(lines[index] ?? '').trimEnd()}`;
    }
    const complete = (joined.endsWith(continuation) ? joined.slice(0, -1) : joined).trim();
    const [, name = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(complete) ?? [];
    yield { line: firstLine + start, name: name.toUpperCase(), rest: rest.trim() };
    index = endOfHereDocuments(lines, index, rest);
  }
}

function isSkipped(line: string | undefined): boolean {
  return line === undefined || /^\s*(#|$)/.test(line);
}

/** `RUN <<EOF`, `COPY <<-"A" <<B /dest`: the index of the last line that belongs to them. */
function endOfHereDocuments(lines: readonly string[], index: number, rest: string): number {
  let last = index;
  for (const [, dash, , word] of rest.matchAll(/<<(-?)(["']?)([A-Za-z_][A-Za-z0-9_]*)\2/g)) {
    const end = lines.findIndex(
      (line, at) => at > last && (dash === '-' ? line.replace(/^\t+/, '') : line) === word,
    );
    // One that never ends is reported by the builder, with its own wording.
    if (end < 0) return lines.length - 1;
    last = end;
  }
  return last;
}

function shortened(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}
