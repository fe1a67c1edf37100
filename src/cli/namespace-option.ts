/**
 * The flag for the namespace of Millwright. A component is told it by the flag or by its pod; commands about an installation find
 * it (`installed-namespace.ts`).
 */
import { InvalidArgumentError, Option } from 'commander';
import { NAMESPACE } from '../api/index.ts';
import { checkDnsLabel } from '../kubernetes/meta/index.ts';
import type { Ports } from './ports.ts';

export type NamespaceOptions = { readonly namespace?: string };

/** Of the components. */
export function ownNamespaceOption(): Option {
  const what = `namespace of Millwright (default: $POD_NAMESPACE, else ${NAMESPACE})`;
  return new Option('--namespace <NAME>', what).argParser(parseNamespace);
}

/** Of commands about an installation. */
export function installedNamespaceOption(): Option {
  const what = 'namespace of Millwright (default: the one that it was installed in)';
  return new Option('-n, --namespace <NAME>', what).argParser(parseNamespace);
}

/** Of commands without a cluster. */
export function givenNamespaceOption(): Option {
  const what = 'namespace of Millwright, where the ConfigMap with the OS images is';
  return new Option('-n, --namespace <NAME>', what).default(NAMESPACE).argParser(parseNamespace);
}

/** Where nothing can be looked up: the one that is given, or the usual one. */
export function namespaceOrUsual({ namespace = NAMESPACE }: NamespaceOptions): string {
  return namespace;
}

function parseNamespace(text: string): string {
  if (checkDnsLabel(text).length === 0) return text;
  throw new InvalidArgumentError('Must be the name of a namespace.');
}

export function ownNamespace({ namespace }: NamespaceOptions, { environment }: Ports): string {
  return namespace ?? (environment.POD_NAMESPACE || NAMESPACE);
}
