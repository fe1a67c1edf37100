/** All cases, by topic. */
import { accessCases, anonymousCases } from './cases-access.ts';
import { admissionCases } from './cases-admission.ts';
import { applyCases } from './cases-apply.ts';
import { applyListCases } from './cases-apply-lists.ts';
import { concurrencyCases } from './cases-concurrency.ts';
import { controllerCases } from './cases-controllers.ts';
import { definitionChangeCases } from './cases-crd-changes.ts';
import { ruleCases } from './cases-crd-rules.ts';
import { schemaCases } from './cases-crd-schema.ts';
import { definitionCases } from './cases-crds.ts';
import { customTableCases } from './cases-custom-tables.ts';
import { defaultCases } from './cases-defaults.ts';
import { deleteCases } from './cases-delete.ts';
import { deleteAgainCases } from './cases-delete-again.ts';
import { deleteOptionCases } from './cases-delete-options.ts';
import { differenceCases } from './cases-differences.ts';
import { discoveryCases } from './cases-discovery.ts';
import { errorCases } from './cases-errors.ts';
import { fieldValidationCases } from './cases-field-validation.ts';
import { formCases } from './cases-forms.ts';
import { expiryCases, listCases } from './cases-lists.ts';
import { nameCases } from './cases-names.ts';
import { nodeProxyAccessCases, nodeProxyCases } from './cases-node-proxy.ts';
import { openapiCases } from './cases-openapi.ts';
import { ownerCases } from './cases-owners.ts';
import { patchCases } from './cases-patch.ts';
import { podValidationCases } from './cases-pod-validation.ts';
import { podCases } from './cases-pods.ts';
import { protobufCases } from './cases-protobuf.ts';
import { forgivenRuleCases, ratchetingCases } from './cases-ratcheting.ts';
import { reviewCases } from './cases-reviews.ts';
import { knownTokenCases, rightsCases } from './cases-rights.ts';
import { selectorCases } from './cases-selectors.ts';
import { sequenceCases } from './cases-sequences.ts';
import { serverCases } from './cases-server.ts';
import { sizeCases } from './cases-sizes.ts';
import { statusCases } from './cases-status.ts';
import { strategicCases } from './cases-strategic.ts';
import { tableCases } from './cases-tables.ts';
import { validationCases } from './cases-validation.ts';
import { verbCases } from './cases-verbs.ts';
import { watchCases } from './cases-watch.ts';
import { workloadCases } from './cases-workloads.ts';
import type { ContractCase } from './contract-case.ts';

export const contractCases: readonly ContractCase[] = [
  ...verbCases,
  ...errorCases,
  ...nameCases,
  ...sizeCases,
  ...serverCases,
  ...deleteCases,
  ...deleteAgainCases,
  ...concurrencyCases,
  ...statusCases,
  ...listCases,
  ...watchCases,
  ...patchCases,
  ...strategicCases,
  ...applyCases,
  ...applyListCases,
  ...selectorCases,
  ...definitionCases,
  ...definitionChangeCases,
  ...schemaCases,
  ...ruleCases,
  ...admissionCases,
  ...anonymousCases,
  ...accessCases,
  ...reviewCases,
  ...tableCases,
  ...customTableCases,
  ...podCases,
  ...nodeProxyCases,
  ...nodeProxyAccessCases,
  ...workloadCases,
  ...discoveryCases,
  ...openapiCases,
  ...protobufCases,
  ...fieldValidationCases,
  ...validationCases,
  ...podValidationCases,
  ...defaultCases,
  ...ownerCases,
  ...formCases,
  ...deleteOptionCases,
  ...rightsCases,
  ...knownTokenCases,
  ...ratchetingCases,
  ...forgivenRuleCases,
  ...sequenceCases,
  ...differenceCases,
  ...expiryCases,
  ...controllerCases,
];
