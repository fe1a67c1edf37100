/**
 * Printers of Namespaces, ConfigMaps, Secrets, ServiceAccounts and Leases.
 */
import { listAt, stringAt } from '../../base/json-fields.ts';
import { CONFIG_MAP, NAMESPACE, SECRET, SERVICE_ACCOUNT } from './descriptions-core.ts';
import { LEASE } from './descriptions-rbac.ts';
import { sizeAt } from './fields.ts';
import { age, name, printer, text } from './printer.ts';

export const namespacePrinter = printer(NAMESPACE, [
  name,
  text('Status', (namespace) => stringAt(namespace, 'status', 'phase')),
  age,
]);

export const configMapPrinter = printer(CONFIG_MAP, [
  name,
  text('Data', (configMap) => sizeAt(configMap, 'data') + sizeAt(configMap, 'binaryData')),
  age,
]);

export const secretPrinter = printer(SECRET, [
  name,
  text('Type', (secret) => stringAt(secret, 'type')),
  text('Data', (secret) => sizeAt(secret, 'data')),
  age,
]);

export const serviceAccountPrinter = printer(SERVICE_ACCOUNT, [
  name,
  text('Secrets', (account) => listAt(account, 'secrets').length),
  age,
]);

export const leasePrinter = printer(LEASE, [
  name,
  text('Holder', (lease) => stringAt(lease, 'spec', 'holderIdentity')),
  age,
]);
