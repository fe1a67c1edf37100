/** Values that follow from another one as long as they are null or absent. */
import type { Json } from '../base/json.ts';

type Implication = { readonly path: string; readonly is: string | boolean };

/** True where the value at `path` is `is`, by the path of the value that follows. */
export const IMPLIED_VALUES: { readonly [path: string]: Implication } = {
  // Machines that join through the server have a token that no other approver knows.
  'clientCertificates.approve': { path: 'server.enabled', is: true },
  // Kubelets of this base ask the cluster for their serving certificates: without an approver they would wait for ever.
  'servingCertificates.approve': { path: 'base', is: 'coreos' },
};

/** What is in effect: what was given, else what follows from another value. */
export function effectiveValue(path: string, given: (path: string) => Json): Json {
  const implied = Object.hasOwn(IMPLIED_VALUES, path) ? IMPLIED_VALUES[path] : undefined;
  return given(path) ?? (implied === undefined ? null : given(implied.path) === implied.is);
}
