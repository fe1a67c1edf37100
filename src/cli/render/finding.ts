/**
 * A finding about the input and its location.
 */

import { printableLine } from '../../base/text/index.ts';
import { lineOf, type YamlDocument } from '../../base/yaml/index.ts';

export type Finding = {
  readonly location?: Location;
  /** `MachineConfig/99-worker-ssh`. */
  readonly subject?: string;
  /** The field, as printed; empty for the whole object. */
  readonly path: string;
  readonly message: string;
};

/** A file, one of its documents, or a field of that. */
export type Location = {
  readonly file: string;
  readonly document?: YamlDocument;
  /** Whether the file has no other document. */
  readonly isOnly?: boolean;
  /** The field from the root of the document: below `items[3]` for an item of a List. */
  readonly path?: string;
};

/** `FILE[#DOCUMENT]:LINE: MachineConfig/name: spec.field: message`, always on one line. */
export function formatFinding({ location, subject, path, message }: Finding): string {
  const parts = [location === undefined ? '' : formatLocation(location), subject ?? '', path, message];
  const line = parts.filter((part) => part !== '').join(': ');
  return printableLine(line);
}

export function formatLocation({ file, document, isOnly, path = '' }: Location): string {
  if (document === undefined) return file;
  return `${file}${isOnly ? '' : `#${document.index}`}:${lineOf(document, path)}`;
}

/** By file and line. */
export function sortFindings(findings: readonly Finding[], files: readonly string[]): readonly Finding[] {
  const order = new Map(files.map((file, index) => [file, index]));
  const keyed = findings.map((finding) => {
    const { file, document, path = '' } = finding.location ?? {};
    const line = document === undefined ? 0 : lineOf(document, path);
    return { finding, file: order.get(file ?? '') ?? files.length, line };
  });
  return keyed.toSorted((a, b) => a.file - b.file || a.line - b.line).map(({ finding }) => finding);
}
