/**
 * The base MachineConfigs, which turn a plain operating system into a Kubernetes node.
 *
 * The files and units themselves are data in `templates/`; this module selects, fills and wraps them.
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

/** What nodes get besides what is declared: nothing, or upstream's base configs for CoreOS. */
export type Base = 'none' | 'coreos';

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
  const parsed = parsedTemplates(templates, entries);
  problems.push(...parsed.problems);
  const choice = templateChoice(input);
  if (choice.kind === 'invalid') return invalid([...problems, ...choice.problems]);

  const { values, variants } = choice.value;
  const machineConfigs = roles.flatMap((role) => {
    const generated = configNames(entries, role).map((name) => {
      const used = templatesOf(entries, { role, name, variants });
      const config = fillConfig(used, parsed.templates, values, problems);
      return machineConfigOf(name, { role, config, generatedBy: input.controllerVersion });
    });
    return [...generated, machineConfigOf(`99-${role}-ssh`, { role, config: sshConfig(keys) })];
  });
  if (problems.length > 0) return invalid(distinctProblems(problems));
  return ok(machineConfigs.sort(byName), choice.warnings);
}

type ParsedTemplates = {
  /** By their place, `entry.path`. */
  readonly templates: ReadonlyMap<string, Template>;
  readonly problems: readonly Problem[];
};

/** A tree never changes, and is used again and again: for each role, and for a cluster before and after a change. */
const parsedTrees = new WeakMap<TemplateTree, ParsedTemplates>();

function parsedTemplates(tree: TemplateTree, entries: readonly TemplateEntry[]): ParsedTemplates {
  const known = parsedTrees.get(tree);
  if (known !== undefined) return known;
  const parsed = parseTemplates(entries);
  parsedTrees.set(tree, parsed);
  return parsed;
}

/** All templates, including those that are not used here, so that a broken one is found before it is needed. */
function parseTemplates(entries: readonly TemplateEntry[]): ParsedTemplates {
  const templates = new Map<string, Template>();
  const problems: Problem[] = [];
  for (const entry of entries) {
    if (entry.text.trim() === '') continue;
    const template = parseTemplate(entry);
    if (template.kind === 'ok') templates.set(entry.path, template.value);
    else problems.push(...template.problems);
  }
  return { templates, problems };
}

/** Files in order of their template names, then units. Units with the same name are combined. */
function fillConfig(
  entries: readonly TemplateEntry[],
  parsed: ParsedTemplates['templates'],
  values: TemplateValues,
  problems: Problem[],
): IgnitionConfig {
  const parts = new Map<string, IgnitionConfig>();
  for (const entry of entries) {
    const key = `${entry.kind}/${entry.name}`;
    // An empty template removes the one that it replaces; one whose condition is unmet leaves it in place.
    if (entry.text === '') parts.delete(key);
    const template = parsed.get(entry.path);
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

/** Without the generated-by annotation the object belongs to the user, such as the SSH keys. */
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

/** Ignition rejects duplicate keys. */
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

/** Problems of common templates are reported once, not once per role. */
function distinctProblems(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [formatProblem(problem), problem])).values()];
}

function byName(a: MachineConfig, b: MachineConfig): number {
  return compareBytes(a.metadata.name, b.metadata.name);
}
