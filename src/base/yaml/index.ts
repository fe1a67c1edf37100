/**
 * YAML, read as kubectl reads it and written so that kubectl reads it back.
 *
 * `parseYaml` takes a text with any number of YAML or JSON documents. Its scalars follow the rules of
 * kubectl rather than those of YAML 1.2: `mode: 0644` is 420 and `on` is true. What kubectl would read in a
 * surprising way (a key given twice, a document behind `...`, an integer that loses digits) is a problem
 * with a line and a column. `formatYaml` writes block style, `goYamlText` the exact text of go-yaml, for digests.
 * `lineOf` finds the line of a field.
 *
 * Not here: which kinds a document may hold, and reading files.
 *
 * Start with `parse-yaml.ts`, then `resolve-scalar.ts`.
 */
export { formatYaml } from './format-yaml.ts';
export { goYamlText } from './go-yaml-text.ts';
export { lineOf } from './line-of.ts';
export { parseYaml } from './parse-yaml.ts';
export { MAX_YAML_LENGTH, type YamlDocument } from './yaml-document.ts';
