/**
 * Reads os-release: which OS it is, and whether it is image-based.
 */
import type { HostFiles, OsRelease } from './host.ts';

const PATHS = ['/etc/os-release', '/usr/lib/os-release'];
const MAX_BYTES = 64 * 1024;

/** Without the file, an OS that is not image-based. */
export async function readOsRelease(files: HostFiles): Promise<OsRelease> {
  for (const path of PATHS) {
    const bytes = await files.read(path, MAX_BYTES);
    if (bytes !== undefined) return parseOsRelease(new TextDecoder().decode(bytes));
  }
  return parseOsRelease('');
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
