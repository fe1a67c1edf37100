/** Objects of kinds that only some clusters have. */
import { KubeError } from './kube-error.ts';

/** A server that does not know the kind answers 404 without naming an object. */
export async function getIfServed<T>(
  get: () => Promise<T | undefined>,
): Promise<T | undefined | 'no such kind'> {
  try {
    return await get();
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return 'no such kind';
    throw error;
  }
}
