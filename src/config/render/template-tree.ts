/**
 * The folder `templates/`: which templates belong to which MachineConfig.
 *
 *     <role>/<MachineConfig>/<variant>/{files,units}/<template>.yaml
 *     common/<variant>/{files,units}/<template>.yaml      for `00-<role>` of every role, before its own
 *
 * Later variants override earlier ones: `_base`, the platform in lower case, `sno` for a single-node cluster. A
 * template replaces one with the same file name, not the same target path. The files are read elsewhere; this module
 * gets their contents.
 */
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';

/** The content of each file by its path below `templates/`, with slashes. */
export type TemplateTree = ReadonlyMap<string, string>;

export type TemplateEntry = {
  readonly path: string;
  readonly text: string;
  readonly kind: 'files' | 'units';
  /** The file name: of two templates of one kind and name the later one wins. */
  readonly name: string;
  readonly variant: string;
  /** Absent for common templates. */
  readonly role?: string;
  /** Absent together with the role. */
  readonly configName?: string;
};

/** The platforms that a variant can be for; any other counts as `none`. */
export const PLATFORMS: ReadonlySet<string> = new Set([
  'alibabacloud',
  'aws',
  'azure',
  'baremetal',
  'equinixmetal',
  'external',
  'gcp',
  'ibmcloud',
  'kubevirt',
  'libvirt',
  'none',
  'nutanix',
  'openstack',
  'ovirt',
  'powervs',
  'vsphere',
]);

const COMMON = 'common';

/** All templates in order of their paths. A file at an unknown path is a problem. */
export function listTemplates(tree: TemplateTree): Outcome<readonly TemplateEntry[]> {
  const entries: TemplateEntry[] = [];
  const problems: Problem[] = [];
  for (const path of [...tree.keys()].sort(compareBytes)) {
    const entry = templateEntry(path, tree.get(path) ?? '');
    if (typeof entry === 'string') problems.push({ path, message: entry });
    else entries.push(entry);
  }
  return problems.length > 0 ? invalid(problems) : ok(entries);
}

/** The names of the MachineConfigs of a role; none for a role without templates. */
export function configNames(entries: readonly TemplateEntry[], role: string): readonly string[] {
  const names = new Set<string>();
  for (const entry of entries) {
    if (entry.role === role && entry.configName !== undefined) names.add(entry.configName);
  }
  // Common templates alone suffice for `00-<role>`.
  if (names.size > 0) names.add(firstConfigName(role));
  return [...names].sort(compareBytes);
}

/** The templates of one MachineConfig; each replaces earlier ones of its kind and name. */
export function templatesOf(
  entries: readonly TemplateEntry[],
  config: { readonly role: string; readonly name: string; readonly variants: readonly string[] },
): readonly TemplateEntry[] {
  const isFirst = config.name === firstConfigName(config.role);
  const common = isFirst ? entries.filter((entry) => entry.role === undefined) : [];
  const own = entries.filter((entry) => entry.role === config.role && entry.configName === config.name);
  return [common, own].flatMap((layer) =>
    config.variants.flatMap((variant) => layer.filter((entry) => entry.variant === variant)),
  );
}

function firstConfigName(role: string): string {
  return `00-${role}`;
}

/** Returns an error message where no template may be at the path. */
function templateEntry(path: string, text: string): TemplateEntry | string {
  const parts = path.split('/');
  const isCommon = parts[0] === COMMON;
  const [variant, kind, name] = parts.slice(isCommon ? 1 : 2);
  const [role, configName] = parts;
  if (parts.length !== (isCommon ? 4 : 5) || !variant || !name || !role || !configName) {
    return 'is not of the form <role>/<MachineConfig>/<variant>/{files,units}/<template>.yaml';
  }
  if (variant !== '_base' && variant !== 'sno' && !PLATFORMS.has(variant)) {
    return `there is no variant ${JSON.stringify(variant)}: it is _base, sno or a platform in lower case`;
  }
  if (kind !== 'files' && kind !== 'units') {
    return `there are files and units, but no ${JSON.stringify(kind ?? '')}`;
  }
  if (!name.endsWith('.yaml')) return 'the name of a template ends in .yaml';
  return { path, text, kind, name, variant, ...(isCommon ? {} : { role, configName }) };
}
