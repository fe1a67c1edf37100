/**
 * Admission policies: which requests a ValidatingAdmissionPolicy looks at, and what it says of them.
 *
 * `admit` judges a request by all policies in force. `compilePolicy` tells what is wrong with the expressions of
 * a policy, for those who check new ones; both compile in the same environment.
 *
 * Not here: the other rules for policies and bindings as objects (`resources`), who may do what (`access`), and
 * what else may refuse a request, such as a namespace that ends.
 *
 * Start with `admission.ts`, then `admit.ts`, `validate.ts` and `environment.ts`.
 */
export { admit } from './admit.ts';
export { type Compiled, type CompiledPolicy, compilePolicy } from './compile-policy.ts';
