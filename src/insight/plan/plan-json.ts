/**
 * A plan for programs, as docs/schemas/plan.schema.json describes it.
 */
import type { FleetPlan } from './plan-types.ts';

export function planJson(plan: FleetPlan): object {
  return { apiVersion: 'millwright.dev/v1alpha1', kind: 'Plan', ...plan };
}
