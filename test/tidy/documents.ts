/**
 * What documents name, so that a test can look whether it exists: paths, files, commands and npm scripts.
 */

export type Named = {
  /** Paths from the root of the project: `src/config/render`, `docs/style.md`. */
  readonly paths: readonly string[];
  /** Files by their name alone: `candidates.ts`. */
  readonly fileNames: readonly string[];
  /** Rows `| … | \`path.ts\` | \`name\` |` of a table: the file declares that name. */
  readonly declarations: readonly { readonly path: string; readonly name: string }[];
  /** The subcommands of `millwright`. */
  readonly commands: readonly string[];
  readonly scripts: readonly string[];
};

const TOP = '(?:src|test|bench|scripts|docs|manifests|templates|examples|images|bin)';

export function namedIn(text: string): Named {
  const code = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
  const everything = [...code, ...blocks];
  return {
    paths: unique(code.flatMap((one) => matches(one, new RegExp(`^(${TOP}/[\\w./-]+)$`)))).map((path) =>
      path.replace(/\/$/, ''),
    ),
    fileNames: unique(code.flatMap((one) => matches(one, /^([\w-]+(?:\.[\w-]+)*\.(?:ts|mjs))$/))),
    declarations: [...text.matchAll(/\| `(src\/[\w./-]+\.ts)` \| `(\w+)` \|/g)].map(
      ([, path = '', name = '']) => ({ path, name }),
    ),
    commands: unique(
      everything.flatMap((one) => matches(one, /(?:^|[\s$/])millwright ((?:help )?[a-z][\w-]*)/g)),
    ),
    scripts: unique(everything.flatMap((one) => matches(one, /npm (?:run )?([a-z][\w:]*)/g))),
  };
}

function matches(text: string, pattern: RegExp): readonly string[] {
  const all = pattern.global ? [...text.matchAll(pattern)] : [pattern.exec(text)];
  return all.flatMap((match) => (match?.[1] === undefined ? [] : [match[1]]));
}

const unique = (items: readonly string[]) => [...new Set(items)];

/** Names in the comment of an `index.ts`: files beside it, and modules. */
export function namedInComment(text: string): Pick<Named, 'fileNames' | 'paths'> {
  const comment = /^\/\*\*.*?\*\//s.exec(text)?.[0] ?? '';
  const code = [...comment.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
  return {
    fileNames: unique(code.flatMap((one) => matches(one, /^([\w-]+(?:\.[\w-]+)*\.ts)$/))),
    paths: unique(
      code.flatMap((one) => matches(one, /^((?:base|kubernetes|config|node|embedded)\/[\w-]+)\/?$/)),
    ),
  };
}
