/**
 * The MachineConfigs that every node starts from: what makes a plain operating system a Kubernetes node.
 *
 * The files and units themselves are data, under `templates/`; here they are chosen, filled and wrapped.
 */
import { annotations, labels, type MachineConfig, machineConfig } from '../../api/index.ts';
import { formatProblem, invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import { ConfigMerger, emptyConfig, encodeIgnition, type IgnitionConfig } from '../ignition/index.ts';
import type { BaseConfigInput } from './base-config-input.ts';
import { fillTemplate, parseTemplate, type Template } from './template.ts';
import {
  configNames,
  listTemplates,
  type TemplateEntry,
  type TemplateTree,
  templatesOf,
} from './template-tree.ts';
import { type TemplateValues, templateChoice } from './template-values.ts';

export type { BaseConfigInput } from './base-config-input.ts';

/** The generated MachineConfigs and `99-<role>-ssh` of each role, sorted by name. */
export function baseConfigs(
  templates: TemplateTree,
  input: BaseConfigInput,
): Outcome<readonly MachineConfig[]> {
  const problems: Problem[] = [];
  const listed = listTemplates(templates);
  if (listed.kind === 'invalid') return listed;
  const entries = listed.value;
  const roles = [...new Set(input.roles)];
  for (const role of roles) {
    if (configNames(entries, role).length > 0) continue;
    problems.push({ path: 'roles', message: `there are no templates for the role ${JSON.stringify(role)}` });
  }
  const keys = distinctKeys(input.sshAuthorizedKeys ?? [], problems);
  const parsed = parseTemplates(entries, problems);
  const choice = templateChoice(input);
  if (choice.kind === 'invalid') return invalid([...problems, ...choice.problems]);

  const { values, variants } = choice.value;
  const machineConfigs = roles.flatMap((role) => {
    const generated = configNames(entries, role).map((name) => {
      const used = templatesOf(entries, { role, name, variants });
      const config = fillConfig(used, parsed, values, problems);
      return machineConfigOf(name, { role, config, generatedBy: input.controllerVersion });
    });
    return [...generated, machineConfigOf(`99-${role}-ssh`, { role, config: sshConfig(keys) })];
  });
  if (problems.length > 0) return invalid(distinctProblems(problems));
  return ok(machineConfigs.sort(byName), choice.warnings);
}

/** All of them, also those that do not count here: a broken one should be found before it is needed. */
function parseTemplates(
  entries: readonly TemplateEntry[],
  problems: Problem[],
): ReadonlyMap<TemplateEntry, Template> {
  const parsed = new Map<TemplateEntry, Template>();
  for (const entry of entries) {
    if (entry.text.trim() === '') continue;
    const template = parseTemplate(entry);
    if (template.kind === 'ok') parsed.set(entry, template.value);
    else problems.push(...template.problems);
  }
  return parsed;
}

/** The files in order of the names of their templates, then the units. Units of one name become one. */
function fillConfig(
  entries: readonly TemplateEntry[],
  parsed: ReadonlyMap<TemplateEntry, Template>,
  values: TemplateValues,
  problems: Problem[],
): IgnitionConfig {
  const parts = new Map<string, IgnitionConfig>();
  for (const entry of entries) {
    const key = `${entry.kind}/${entry.name}`;
    // A template without a byte takes back what was there; one that counts for nothing leaves it.
    if (entry.text === '') parts.delete(key);
    const template = parsed.get(entry);
    const filled = template === undefined ? ok(undefined) : fillTemplate(template, values, entry.path);
    if (filled.kind === 'invalid') problems.push(...filled.problems);
    else if (filled.value !== undefined) parts.set(key, filled.value);
  }
  const merger = new ConfigMerger();
  for (const key of [...parts.keys()].sort(compareBytes)) merger.absorb(parts.get(key) ?? emptyConfig, key);
  return merger.finish().config;
}

function sshConfig(keys: readonly string[]): IgnitionConfig {
  if (keys.length === 0) return emptyConfig;
  return { ...emptyConfig, passwd: { users: [{ name: 'core', sshAuthorizedKeys: keys }] } };
}

/** What nobody generates is the user's from the start, such as the keys for SSH. */
function machineConfigOf(
  name: string,
  given: { readonly role: string; readonly config: IgnitionConfig; readonly generatedBy?: string },
): MachineConfig {
  const { role, config, generatedBy } = given;
  return {
    apiVersion: apiVersionOf(machineConfig),
    kind: machineConfig.kind,
    metadata: {
      name,
      labels: { [labels.role]: role },
      ...(generatedBy === undefined
        ? {}
        : { annotations: { [annotations.generatedByControllerVersion]: generatedBy } }),
    },
    spec: { config: encodeIgnition(config) },
  };
}

/** Ignition refuses a key that is given twice. */
function distinctKeys(keys: readonly string[], problems: Problem[]): readonly string[] {
  const distinct = new Set<string>();
  for (const [index, key] of keys.entries()) {
    const line = key.trim();
    if (/[\r\n]/.test(line)) {
      problems.push({ path: `sshAuthorizedKeys[${index}]`, message: 'must be one line' });
    } else if (line !== '') {
      distinct.add(line);
    }
  }
  return [...distinct];
}

/** A template that is common to the roles would be complained of once for each. */
function distinctProblems(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [formatProblem(problem), problem])).values()];
}

function byName(a: MachineConfig, b: MachineConfig): number {
  return compareBytes(a.metadata.name, b.metadata.name);
}
