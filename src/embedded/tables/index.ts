/**
 * Server-side printing: objects as the rows that `kubectl get` shows, and objects without their bodies.
 *
 * Columns and cells are those of kube-apiserver 1.33. Each built-in kind has a printer in a file of its group
 * of kinds (`print-pods.ts`, `print-workloads.ts`), and what its columns are said to hold stands apart
 * (`texts-pods.ts`). Custom resources are printed below the columns of their definition (`print-custom.ts`),
 * whose paths have a small language of their own (`json-path.ts`).
 *
 * Not here: which columns kubectl then leaves out, and what the table is asked for with (`apiserver`).
 *
 * Start with `table-of.ts`, then `printer.ts`.
 */

export { convertToTable } from './convert-to-table.ts';
export { parseIncludeObject } from './include-object.ts';
export { partialMetadata, partialMetadataList } from './partial-metadata.ts';
