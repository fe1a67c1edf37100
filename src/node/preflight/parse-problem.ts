/**
 * Why a text cannot be parsed, on one line and without its contents; undefined where it can be.
 */
import { parse, TomlError } from 'smol-toml';
import { parseYaml } from '../../base/yaml/index.ts';

export function tomlProblem(text: string): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    const place = error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : '';
    return `it is not TOML${place}`;
  }
}

export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return 'it is not JSON';
  }
}

type ParsedYaml =
  | {
      readonly kind: 'value';
      readonly value: unknown;
      /** A key that is given twice. */
      readonly repeated?: string;
    }
  | { readonly kind: 'broken'; readonly problem: string }
  /** Only kubectl is strict about it, or it exceeds our own limits. */
  | { readonly kind: 'unknown' };

/** The first document. A key that is given twice is accepted by most programs of a node. */
export function parsedYaml(text: string): ParsedYaml {
  let repeated: string | undefined;
  const parsed = parseYaml(text, {
    onRepeated: (_, key) => {
      repeated ??= key;
    },
  });
  if (parsed.kind === 'ok') {
    return { kind: 'value', value: parsed.value[0]?.value, ...(repeated === undefined ? {} : { repeated }) };
  }
  const problem = parsed.problems[0]?.message ?? '';
  if (LENIENT.test(problem)) return { kind: 'unknown' };
  return { kind: 'broken', problem: `it is not YAML: ${problem}` };
}

const LENIENT = /kept exactly|kubectl skips|more than|at most|may follow|aliases/;

/** The number of the first line that is neither a section, a setting nor a comment; as GKeyFile and systemd read them. */
export function firstBadLine(text: string, isBad: (line: string) => boolean): number | undefined {
  const index = text.split('\n').findIndex((line) => isBad(line.trim()));
  return index < 0 ? undefined : index + 1;
}

export function isOpenHeader(line: string): boolean {
  return /^\[[^\]]*$/.test(line);
}
