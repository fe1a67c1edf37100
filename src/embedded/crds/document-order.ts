/**
 * Orders field paths as they occur in a document, the order in which kube-apiserver finds them.
 */
import { isObject, type JsonObject } from '../../base/json.ts';

/** Paths (`spec.versions[0].nope`) that exist in the document, each once; others are dropped. */
export function inDocumentOrder(document: JsonObject, paths: readonly string[]): readonly string[] {
  if (paths.length < 2) return paths;
  const wanted = new Set(paths);
  const found: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (wanted.has(path)) {
      found.push(path);
      return;
    }
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, `${path}[${index}]`);
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) visit(value[key], path === '' ? key : `${path}.${key}`);
    }
  };
  visit(document, '');
  return found;
}
