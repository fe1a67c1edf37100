/**
 * What is said about the input, and where in it.
 */

import { printableLine } from '../../base/text/index.ts';
import { lineOf, type YamlDocument } from '../../base/yaml/index.ts';

export type Finding = {
  readonly place?: Place;
  /** `MachineConfig/99-worker-ssh`. */
  readonly subject?: string;
  /** The field, as the message should name it; empty for the whole. */
  readonly path: string;
  readonly message: string;
};

/** A file, a document of it, or a field of that. */
export type Place = {
  readonly file: string;
  readonly document?: YamlDocument;
  /** Whether the file has no other document. */
  readonly isOnly?: boolean;
  /** The field from the root of the document: behind `items[3]` for what stands in a List. */
  readonly path?: string;
};

/** `FILE[#DOCUMENT]:LINE: MachineConfig/name: spec.field: message`, on one line whatever the message. */
export function formatFinding({ place, subject, path, message }: Finding): string {
  const parts = [place === undefined ? '' : formatPlace(place), subject ?? '', path, message];
  const line = parts.filter((part) => part !== '').join(': ');
  return printableLine(line);
}

export function formatPlace({ file, document, isOnly, path = '' }: Place): string {
  if (document === undefined) return file;
  return `${file}${isOnly ? '' : `#${document.index}`}:${lineOf(document, path)}`;
}

/** In the order of the files and lines, so that a reader goes through each file once. */
export function sortFindings(findings: readonly Finding[], files: readonly string[]): readonly Finding[] {
  const order = new Map(files.map((file, index) => [file, index]));
  const keyed = findings.map((finding) => {
    const { file, document, path = '' } = finding.place ?? {};
    const line = document === undefined ? 0 : lineOf(document, path);
    return { finding, file: order.get(file ?? '') ?? files.length, line };
  });
  return keyed.toSorted((a, b) => a.file - b.file || a.line - b.line).map(({ finding }) => finding);
}
