/**
 * Values that keep a kubelet from starting: its own validation, and what it parses before it runs.
 */
import { own } from '../../base/json.ts';
import { CHOICE_RULES } from './choice-rules.ts';
import { type Fields, mergedConfiguration, withDefaults } from './defaults.ts';
import { DURATION_RULES, NUMBER_RULES } from './number-rules.ts';
import { RESOURCE_RULES } from './resource-rules.ts';
import { mapAt, type ValueProblem } from './rules.ts';

const RULES = [...NUMBER_RULES, ...DURATION_RULES, ...CHOICE_RULES, ...RESOURCE_RULES];

/**
 * Of a configuration as the kubelet will have it, whose types are right. Absent fields have their defaults; `flagged` are those that
 * its flags set, also to nothing.
 */
export function configurationProblems(config: Fields, flagged: Fields = {}): readonly ValueProblem[] {
  const whole = wholeConfiguration(config, flagged);
  return RULES.flatMap(({ problems }) => problems(whole));
}

/** With defaults and flags. */
export function wholeConfiguration(config: Fields, flagged: Fields): Fields {
  const defaulted = withDefaults(config);
  const featureGates = { ...mapAt(defaulted, 'featureGates'), ...mapAt(flagged, 'featureGates') };
  return { ...defaulted, ...flagged, featureGates };
}

/**
 * Of a part that will be merged into a configuration that is not known here: what its own fields say. Of a drop-in a kubelet accepts
 * less than of its file of `--config`.
 */
export function partProblems(part: Fields, { isDropIn = false } = {}): readonly ValueProblem[] {
  const whole = isDropIn ? mergedConfiguration({}, [part]) : mergedConfiguration(part, []);
  const isGiven = (name: string) => (own(part, name) ?? null) !== null;
  return RULES.filter(({ fields }) => fields.every(isGiven)).flatMap(({ problems }) => problems(whole));
}
