/**
 * Reads os-release: which OS it is, and whether it is image-based.
 */
import type { HostFiles, OsRelease } from './host.ts';

const OSTREE_BOOTED = '/run/ostree-booted';
const MAX_BYTES = 64 * 1024;

/** Without the file, an OS that is not image-based. */
export async function readOsRelease(files: HostFiles): Promise<OsRelease> {
  const release = parseOsRelease(await firstText(files, ['/etc/os-release', '/usr/lib/os-release']));
  // An OSTree that is not CoreOS can be updated as well: a node that has booted one by accident gets out of it again.
  const isOstree = (await files.stat(OSTREE_BOOTED)) !== undefined;
  return { ...release, isImageBased: release.isImageBased || isOstree };
}

/** Of a deployment that is not booted: its /etc is not merged yet. `undefined` where there is no such file. */
export async function readDeployedRelease(
  files: Pick<HostFiles, 'read'>,
  root: string,
): Promise<OsRelease | undefined> {
  const text = await firstText(files, [`${root}/usr/lib/os-release`]);
  return text === '' ? undefined : { ...parseOsRelease(text), isImageBased: true };
}

async function firstText(files: Pick<HostFiles, 'read'>, paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    const bytes = await files.read(path, MAX_BYTES);
    if (bytes !== undefined) return new TextDecoder().decode(bytes);
  }
  return '';
}

export function parseOsRelease(text: string): OsRelease {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^\s*([A-Za-z0-9_]+)=(.*)$/.exec(line);
    if (match?.[1] !== undefined) values.set(match[1], unquoted((match[2] ?? '').trim()));
  }
  const id = values.get('ID') ?? '';
  const variant = values.get('VARIANT_ID') ?? '';
  const isCoreOs = variant === 'coreos' || id === 'rhcos' || id === 'scos';
  return {
    id,
    variant,
    version: values.get('OSTREE_VERSION') ?? values.get('VERSION_ID') ?? '',
    isCoreOs,
    isImageBased: isCoreOs,
    isEnterpriseLinux: isCoreOs && ['rhcos', 'scos', 'rhel', 'centos'].includes(id),
  };
}

/** With the quoting rules of a shell. */
function unquoted(value: string): string {
  const quote = value[0];
  if (quote !== '"' && quote !== "'") return value;
  const end = value.endsWith(quote) && value.length > 1 ? -1 : undefined;
  const inner = value.slice(1, end);
  return quote === '"' ? inner.replace(/\\(["$`\\])/g, '$1') : inner;
}
