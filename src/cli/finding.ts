/**
 * What is said about the input, and where in it.
 */
import { lineOf, type YamlDocument } from '../yaml/index.ts';

export type Finding = {
  readonly place?: Place;
  /** `MachineConfig/99-worker-ssh`. */
  readonly subject?: string;
  /** The field, as the message should name it; empty for the whole. */
  readonly path: string;
  readonly message: string;
};

/** A field, or a whole object, in a document of a file. */
export type Place = {
  readonly file: string;
  readonly document: YamlDocument;
  /** Whether the file has no other document. */
  readonly isOnly: boolean;
  /** The field from the root of the document: behind `items[3]` for what stands in a List. */
  readonly path: string;
};

/** `FILE[#DOCUMENT]:LINE: MachineConfig/name: spec.field: message`, on one line whatever the message. */
export function formatFinding({ place, subject, path, message }: Finding): string {
  const parts = [place === undefined ? '' : formatPlace(place), subject ?? '', path, message];
  return parts
    .filter((part) => part !== '')
    .join(': ')
    .replaceAll(/\s*\n\s*/g, ' ');
}

export function formatPlace({ file, document, isOnly, path }: Place): string {
  return `${file}${isOnly ? '' : `#${document.index}`}:${lineOf(document, path)}`;
}
