/**
 * Server-side printing: Tables for `kubectl get`, and PartialObjectMetadata.
 *
 * Columns and cells are those of kube-apiserver 1.33. `printers.ts` maps each built-in kind to its printer
 * (`print-pods.ts`, `print-workloads.ts`); column descriptions are separate (`descriptions-pods.ts`). Custom resources
 * have the printer columns of their CRD (`print-custom.ts`), which are JSONPath expressions (`json-path.ts`).
 *
 * Not here: which columns kubectl shows, and content negotiation (`apiserver`).
 *
 * Start with `convert-to-table.ts`, then `printer.ts`.
 */

export { convertToTable } from './convert-to-table.ts';
export { parseIncludeObject } from './include-object.ts';
export { partialMetadata, partialMetadataList } from './partial-metadata.ts';
