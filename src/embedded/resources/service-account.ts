/**
 * The strategy of ServiceAccounts: only the names of referenced secrets are stored.
 */

import type { JsonObject } from '../../base/json.ts';
import { optionalStringAt, stringAt } from '../../base/json-fields.ts';
import { serviceAccount } from '../../kubernetes/types/index.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { withChangedItems } from './object-edits.ts';

const ENFORCE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccountStrategy = builtinStrategy({
  of: serviceAccount,
  prepareForCreate: withSecretNames,
  prepareForUpdate: withSecretNames,
  warnings: (object, old) =>
    enforcesSecrets(object) && (old === undefined || !enforcesSecrets(old))
      ? [
          `metadata.annotations[${ENFORCE_SECRETS}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ]
      : [],
});

function withSecretNames(object: JsonObject): JsonObject {
  return withChangedItems(object, 'secrets', (reference): JsonObject => {
    const name = stringAt(reference, 'name');
    return name === '' ? {} : { name };
  });
}

function enforcesSecrets(object: JsonObject): boolean {
  return optionalStringAt(object, 'metadata', 'annotations', ENFORCE_SECRETS) !== undefined;
}
