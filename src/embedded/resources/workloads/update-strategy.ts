/**
 * How pods are replaced, as messages show it.
 */

import type { JsonObject } from '../../../base/json.ts';
import { stringAt, valueAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';

/** The server prints where the steps lie in its memory; that they are given is all there is to say of them. */
export function shownStrategy(strategy: JsonObject, kind: 'Deployment' | 'DaemonSet'): string {
  const name = kind === 'Deployment' ? 'DeploymentStrategy' : 'DaemonSetUpdateStrategy';
  const steps = valueAt(strategy, 'rollingUpdate') === undefined ? '(nil)' : '{…}';
  const type = quoted(stringAt(strategy, 'type'));
  return `apps.${name}{Type:${type}, RollingUpdate:(*apps.RollingUpdate${kind})${steps}}`;
}
