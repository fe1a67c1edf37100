/**
 * ValidatingAdmissionPolicies: matching and evaluation.
 *
 * `admit` evaluates all bound policies for a request. `compilePolicy` reports errors in the expressions of a policy,
 * for the validation of policies; both use the same CEL environment.
 *
 * Not here: other validation of policies and bindings (`resources`), authorization (`rbac`), and the other admission
 * plug-ins (`apiserver`).
 *
 * Start with `admission.ts`, then `admit.ts`, `validate.ts` and `environment.ts`.
 */
export { admit } from './admit.ts';
export { type Compiled, type CompiledPolicy, compilePolicy } from './compile-policy.ts';
