/**
 * How namespaces are printed, and what lies in them for others to read: ConfigMaps, Secrets, ServiceAccounts
 * and Leases.
 */
import { itemsAt, sizeAt, textAt } from './fields.ts';
import { age, name, printer, text } from './printer.ts';
import { LEASE } from './texts-access.ts';
import { CONFIG_MAP, NAMESPACE, SECRET, SERVICE_ACCOUNT } from './texts-core.ts';

export const namespacePrinter = printer(NAMESPACE, [
  name,
  text('Status', (namespace) => textAt(namespace, 'status', 'phase')),
  age,
]);

export const configMapPrinter = printer(CONFIG_MAP, [
  name,
  text('Data', (configMap) => sizeAt(configMap, 'data') + sizeAt(configMap, 'binaryData')),
  age,
]);

export const secretPrinter = printer(SECRET, [
  name,
  text('Type', (secret) => textAt(secret, 'type')),
  text('Data', (secret) => sizeAt(secret, 'data')),
  age,
]);

export const serviceAccountPrinter = printer(SERVICE_ACCOUNT, [
  name,
  text('Secrets', (account) => itemsAt(account, 'secrets').length),
  age,
]);

export const leasePrinter = printer(LEASE, [
  name,
  text('Holder', (lease) => textAt(lease, 'spec', 'holderIdentity')),
  age,
]);
