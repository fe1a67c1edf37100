/** Audit annotations of policies. */

const FAILURE_KEY = 'validation.policy.admission.k8s.io/validation_failure';

type AuditedFailure = {
  readonly message: string;
  readonly policyName: string;
  readonly bindingName: string;
  /** The index of the validation. */
  readonly index: number;
  readonly actions: readonly string[];
};

export class AuditTrail {
  readonly #values = new Map<string, Set<string>>();
  #failure: string | undefined;

  /** Several bindings can set several values for a key; equal ones count once. */
  add(key: string, value: string): void {
    const values = this.#values.get(key) ?? new Set();
    this.#values.set(key, values.add(value));
  }

  /** Only the first is kept. */
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
