/**
 * The strategy of Services: allocates cluster IPs and node ports.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, objectsAt, stringAt } from '../../../base/json-fields.ts';
import { checkDns1035Label } from '../../../kubernetes/meta/index.ts';
import { service } from '../../../kubernetes/types/index.ts';
import { builtinStrategy, nameValidator, statusSubresource } from '../builtin-strategy.ts';
import { forbidden } from '../field-problems.ts';
import { withOldStatus } from '../object-edits.ts';
import { withAllocatedPorts, withClusterIp } from './service-allocation.ts';
import { allocationConflicts } from './service-conflicts.ts';
import { serviceSpecWithDefaults } from './service-defaults.ts';
import { withIpFamilies } from './service-ip-families.ts';
import { serviceProblems, serviceUpdateProblems } from './service-problems.ts';
import { withKeptAllocations, withoutUnusedFields } from './service-update.ts';

export const serviceStrategy = builtinStrategy({
  of: service,
  validateName: nameValidator(checkDns1035Label),
  allowsCreateOnUpdate: true,
  afterSchemaDefaults: (object) => withSpec(object, serviceSpecWithDefaults),
  prepareForCreate: (object, context) =>
    withSpec({ ...object, status: { loadBalancer: {} } }, (spec) =>
      withAllocatedPorts(withClusterIp(withIpFamilies(spec, undefined), context), context, true),
    ),
  prepareForUpdate: (object, old, context) => {
    const oldSpec = objectAt(old, 'spec') ?? {};
    return withSpec(withOldStatus(object, old), (spec) => {
      const kept = withoutUnusedFields(withKeptAllocations(spec, oldSpec), oldSpec);
      return withAllocatedPorts(withClusterIp(withIpFamilies(kept, oldSpec), context), context, false);
    });
  },
  validateAgainstOthers: allocationConflicts,
  validateCreate: serviceProblems,
  validateUpdate: (object, old) => [...serviceUpdateProblems(object, old), ...serviceProblems(object)],
  subresources: { status: statusSubresource({ validateUpdate: statusProblems }) },
  resetFields: [['status']],
});

function withSpec(object: JsonObject, change: (spec: JsonObject) => JsonObject): JsonObject {
  return { ...object, spec: change(objectAt(object, 'spec') ?? {}) };
}

function statusProblems(object: JsonObject): readonly Problem[] {
  const isBalanced = stringAt(object, 'spec', 'type') === 'LoadBalancer';
  if (isBalanced || objectsAt(object, 'status', 'loadBalancer', 'ingress').length === 0) return [];
  const detail = "may only be used when `spec.type` is 'LoadBalancer'";
  return [forbidden('status.loadBalancer.ingress', detail)];
}
