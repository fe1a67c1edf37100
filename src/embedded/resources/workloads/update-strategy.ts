/**
 * Update strategies of workloads, formatted for messages.
 */

import type { JsonObject } from '../../../base/json.ts';
import { stringAt, valueAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';

/** kube-apiserver prints a pointer for `rollingUpdate`; we print only whether it is set. */
export function formatStrategy(strategy: JsonObject, kind: 'Deployment' | 'DaemonSet'): string {
  const name = kind === 'Deployment' ? 'DeploymentStrategy' : 'DaemonSetUpdateStrategy';
  const steps = valueAt(strategy, 'rollingUpdate') === undefined ? '(nil)' : '{…}';
  const type = quoted(stringAt(strategy, 'type'));
  return `apps.${name}{Type:${type}, RollingUpdate:(*apps.RollingUpdate${kind})${steps}}`;
}
