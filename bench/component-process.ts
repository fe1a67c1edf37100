/** Components as processes of their own: what their pods give them. */
import { readFileSync } from 'node:fs';
import { parseQuantity, wholeNumber } from '../src/base/text/index.ts';
import { defaultValues } from '../src/install/index.ts';

const MIB = 1024 ** 2;

/** The environment variables that decide about memory, as the manifests set them. */
export function podEnvironment(component: 'operator' | 'controller' | 'builder'): {
  readonly [name: string]: string;
} {
  const manifest = readFileSync('manifests/workloads.yaml', 'utf8');
  const options = /name: NODE_OPTIONS\n +value: (.*)/.exec(manifest)?.[1] ?? '';
  const limit = parseQuantity(String(defaultValues('').resources[component].limits?.memory));
  if ('error' in limit) throw new Error(limit.error);
  const mib = Number(wholeNumber(limit)) / MIB;
  return { NODE_OPTIONS: options, MILLWRIGHT_MEMORY_LIMIT_MIB: String(mib) };
}
