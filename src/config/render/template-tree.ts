/**
 * The folder `templates/`: which template speaks for which MachineConfig.
 *
 *     <role>/<MachineConfig>/<variant>/{files,units}/<template>.yaml
 *     common/<variant>/{files,units}/<template>.yaml      for `00-<role>` of every role, before its own
 *
 * Variants lie over one another: `_base`, the platform in lower case, `sno` for a cluster of one node. What
 * a template replaces is decided by its file name, not by the path it writes to. The shell reads the files;
 * here they are only texts.
 */
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';

/** From the path below `templates/`, with slashes, to the text of the file. */
export type TemplateTree = ReadonlyMap<string, string>;

export type TemplateEntry = {
  readonly path: string;
  readonly text: string;
  readonly kind: 'files' | 'units';
  /** The name of the file: of two templates of one kind and name the later one wins. */
  readonly name: string;
  readonly variant: string;
  /** Absent: common to the roles. */
  readonly role?: string;
  /** Absent together with the role. */
  readonly configName?: string;
};

/** Every platform that a variant may be for; a cluster on none of them counts as `none`. */
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

/** All templates in order of their paths. A file that is in no place where it could count is a problem. */
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

/** The names of the MachineConfigs of a role; none when there are no templates for such a role. */
export function configNames(entries: readonly TemplateEntry[], role: string): readonly string[] {
  const names = new Set<string>();
  for (const entry of entries) {
    if (entry.role === role && entry.configName !== undefined) names.add(entry.configName);
  }
  // The common templates make one, also where the role has nothing to add to them.
  if (names.size > 0) names.add(firstConfigName(role));
  return [...names].sort(compareBytes);
}

/** The templates of one MachineConfig; each replaces those before it that have its kind and name. */
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

/** A text instead says why no template may be there. */
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
