/**
 * The registries.conf that `buildah` uses: mirrors as on the nodes of the pool, and what this machine needs to reach registries.
 */
import { parse, stringify } from 'smol-toml';
import { type Fields, objectsAt, stringAt } from '../../base/json-fields.ts';

export type RegistryAccess = {
  /** `host:port` of registries without TLS. */
  readonly plainHttp: readonly string[];
  /** A registry that nodes know by a name which this machine cannot resolve: that of the embedded cluster. */
  readonly alias?: RegistryAlias;
};

export type RegistryAlias = { readonly name: string; readonly address: string };

/** `NAME=ADDRESS`, as in the environment of build pods. */
export function parseRegistryAlias(text: string): RegistryAlias | undefined {
  const [name = '', address = ''] = text.split('=');
  return name === '' || address === '' ? undefined : { name, address };
}

/** Undefined where the registries.conf of the machine will do. */
export function buildRegistriesConf(
  rendered: string | undefined,
  { plainHttp, alias }: RegistryAccess,
): string | undefined {
  if (rendered === undefined && plainHttp.length === 0 && alias === undefined) return undefined;
  const document = parse(rendered ?? '');
  const found = objectsAt(document, 'registry').map((registry) => reachable(registry, alias));
  const known = new Set(
    found.map((registry) => stringAt(registry, 'prefix') || stringAt(registry, 'location')),
  );
  const hosts = new Set([...plainHttp, ...(alias === undefined ? [] : [alias.address])]);
  const added = [
    ...(alias === undefined || known.has(alias.name)
      ? []
      : [{ prefix: alias.name, location: alias.address }]),
    ...[...hosts].filter((host) => !known.has(host)).map((host) => ({ location: host })),
  ];
  return stringify({
    ...document,
    registry: [...found, ...added.map((one) => ({ ...one, insecure: true }))],
  });
}

/** A registry, with its mirrors, by the address that this machine reaches it at. Without a prefix the name is the prefix. */
function reachable(registry: Fields, alias: RegistryAlias | undefined): Fields {
  const location = stringAt(registry, 'location');
  const prefix = stringAt(registry, 'prefix') || location;
  const mirrors = objectsAt(registry, 'mirror').map((mirror) => withAddress(mirror, alias));
  return { ...withAddress(registry, alias), prefix, ...(mirrors.length === 0 ? {} : { mirror: mirrors }) };
}

function withAddress(endpoint: Fields, alias: RegistryAlias | undefined): Fields {
  const location = stringAt(endpoint, 'location');
  const isAliased = alias !== undefined && (location === alias.name || location.startsWith(`${alias.name}/`));
  if (!isAliased) return endpoint;
  return { ...endpoint, location: reachableName(location, alias), insecure: true };
}

function reachableName(name: string, alias: RegistryAlias): string {
  return `${alias.address}${name.slice(alias.name.length)}`;
}

/** The reference by which this machine reaches the registry. */
export function reachableReference(reference: string, alias: RegistryAlias | undefined): string {
  return alias !== undefined && reference.startsWith(`${alias.name}/`)
    ? reachableName(reference, alias)
    : reference;
}
