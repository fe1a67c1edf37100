/**
 * What policies leave for the audit log.
 */

const FAILURE_KEY = 'validation.policy.admission.k8s.io/validation_failure';

type AuditedFailure = {
  readonly message: string;
  readonly policyName: string;
  readonly bindingName: string;
  /** Which of the policy's validations. */
  readonly index: number;
  readonly actions: readonly string[];
};

export class AuditTrail {
  readonly #values = new Map<string, Set<string>>();
  #failure: string | undefined;

  /** Several bindings may give one key several values; the same value counts once. */
  add(key: string, value: string): void {
    const values = this.#values.get(key) ?? new Set();
    this.#values.set(key, values.add(value));
  }

  /** The log has room for one; the first is kept. */
  fail({ message, policyName, bindingName, index, actions }: AuditedFailure): void {
    this.#failure ??= JSON.stringify([
      {
        message,
        policy: policyName,
        binding: bindingName,
        expressionIndex: index,
        validationActions: actions,
      },
    ]);
  }

  annotations(): { readonly [key: string]: string } {
    const entries = [...this.#values].map(([key, values]) => [key, [...values].join(', ')]);
    return Object.fromEntries(
      this.#failure === undefined ? entries : [...entries, [FAILURE_KEY, this.#failure]],
    );
  }
}
