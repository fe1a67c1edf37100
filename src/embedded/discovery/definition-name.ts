/**
 * The names that definitions have in OpenAPI documents. `kubectl explain` shows them, and generated clients consist of them.
 */

/** Of a Go type: `core.PodSpec` → `io.k8s.api.core.v1.PodSpec`. */
export function definitionName(goType: string): string {
  const [goPackage = '', name = ''] = goType.split('.');
  return `${PACKAGES.get(goPackage) ?? `io.k8s.api.${goPackage}.v1`}.${name}`;
}

/** Packages outside of `k8s.io/api`. */
const PACKAGES = new Map([
  ['meta', 'io.k8s.apimachinery.pkg.apis.meta.v1'],
  ['apiextensions', 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'],
  ['resource', 'io.k8s.apimachinery.pkg.api.resource'],
  ['intstr', 'io.k8s.apimachinery.pkg.util.intstr'],
  ['runtime', 'io.k8s.apimachinery.pkg.runtime'],
  ['version', 'io.k8s.apimachinery.pkg.version'],
]);
