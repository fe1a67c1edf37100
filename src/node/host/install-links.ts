/**
 * The links that enable a unit, as its [Install] section says. Names there are text of a config: one that is no unit name, such
 * as `../..`, would lead out of the folder of units. systemd refuses those, and makes the other links.
 */
import type { Install } from '../../config/systemd/index.ts';

type InstallLinks = {
  /** Paths below the folder of units. */
  readonly paths: readonly string[];
  /** In systemd's words. */
  readonly problems: readonly string[];
};

export function installLinks(name: string, install: Install): InstallLinks {
  const paths: string[] = [];
  const problems: string[] = [];
  const instance = instanceToLink(name, install);
  const isWithoutInstance = instance === undefined && isTemplate(name);
  const linked = instance === undefined ? name : withInstance(name, instance);
  const addDependencies = (others: readonly string[], folder: 'wants' | 'requires') => {
    for (const other of others) {
      if (!isReferable(other)) problems.push(`"${other}" is not a valid unit name.`);
      else if (isWithoutInstance && !isTemplate(other)) {
        const what = `template unit ${name} when destination unit ${other} is a non-template unit`;
        problems.push(`Refusing to operate on ${what}.`);
      } else paths.push(`${other}.${folder}/${linked}`);
    }
  };
  for (const alias of install.alias) {
    const path = aliasPath(name, alias);
    if (path === undefined) problems.push(`Cannot alias ${name} as ${alias}.`);
    else if (path !== name) paths.push(path);
  }
  addDependencies(install.wantedBy, 'wants');
  addDependencies(install.requiredBy, 'requires');
  return { paths, problems };
}

/** Whether systemd reads the section at all; otherwise the unit cannot be enabled. */
export function isReadableInstall({ also, defaultInstance }: Install): boolean {
  return also.every(isReferable) && (defaultInstance === undefined || INSTANCE.test(defaultInstance));
}

const INSTANCE = /^[A-Za-z0-9:_.\\@-]+$/;
/** Unlike names on a command line they may begin with a dash: `-.mount` is the root file system. */
const REFERABLE =
  /^[A-Za-z0-9:_.\\@-]+\.(service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/;
const MAX_BYTES = 255;

function isReferable(name: string): boolean {
  return REFERABLE.test(name) && name.length <= MAX_BYTES;
}

function isTemplate(name: string): boolean {
  return name.includes('@.');
}

function instanceToLink(name: string, { defaultInstance }: Install): string | undefined {
  return isTemplate(name) ? defaultInstance : undefined;
}

function withInstance(name: string, instance: string): string {
  return name.replace('@.', () => `@${instance}.`);
}

/** An alias has the type of the unit, and is a template or an instance where the unit is one. */
function aliasPath(name: string, alias: string): string | undefined {
  const inFolder = /^([^/]+)\.(?:wants|requires)\/([^/]+)$/.exec(alias);
  if (inFolder !== null) return isReferable(inFolder[1] ?? '') && inFolder[2] === name ? alias : undefined;
  if (!isReferable(alias) || typeOf(alias) !== typeOf(name)) return undefined;
  const [own, other] = [instanceOf(name), instanceOf(alias)];
  if (own === other) return alias;
  // A template as the alias of an instance stands for the same instance.
  return own !== undefined && own !== '' && other === '' ? withInstance(alias, own) : undefined;
}

function typeOf(name: string): string {
  return name.slice(name.lastIndexOf('.'));
}

/** Empty for a template, undefined for a unit that is neither. */
function instanceOf(name: string): string | undefined {
  const at = name.indexOf('@');
  return at < 0 ? undefined : name.slice(at + 1, name.lastIndexOf('.'));
}
