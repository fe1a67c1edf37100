/**
 * Pods for tests, with defaults.
 */
import type { Pod } from '../../src/kubernetes/types/index.ts';

export function aPod(
  name: string,
  spec: Partial<Pod['spec']> = {},
  metadata: Partial<Pod['metadata']> = {},
): Pod {
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name, namespace: 'default', ...metadata },
    spec: { containers: [{ name: 'app', image: 'registry.example/app:1' }], ...spec },
  };
}
