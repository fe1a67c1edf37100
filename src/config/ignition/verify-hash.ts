/**
 * Verification of embedded contents, as Ignition does at first boot.
 */
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { IgnitionConfig, Resource } from './config.ts';
import { fileContents } from './file-contents.ts';

/** The hash that the contents have, where it is not the one of `verification.hash`. Of valid resources. */
export function wrongHash(resource: Resource): string | undefined {
  const hash = resource.verification?.hash;
  if (hash === undefined || !resource.source?.startsWith('data:')) return undefined;
  // Ignition hashes what it has unpacked.
  const bytes = fileContents(resource);
  // Contents that cannot be unpacked are reported as such.
  if (bytes.kind === 'invalid') return undefined;
  const [kind = ''] = hash.split('-', 1);
  const calculated = `${kind}-${bytesToHex((kind === 'sha256' ? sha256 : sha512)(bytes.value))}`;
  return calculated === hash.toLowerCase() ? undefined : calculated;
}

/** Every resource of a config, with its path and a name for it. */
export function resourcesOf({ ignition, storage }: IgnitionConfig): readonly NamedResource[] {
  const { merge = [], replace } = ignition.config ?? {};
  const authorities = ignition.security?.tls?.certificateAuthorities ?? [];
  return [
    ...merge.map((one, index) => named(`ignition.config.merge[${index}]`, 'the config to merge', one)),
    ...(replace === undefined ? [] : [named('ignition.config.replace', 'the config to replace it', replace)]),
    ...authorities.map((one, index) =>
      named(`ignition.security.tls.certificateAuthorities[${index}]`, 'the certificate authority', one),
    ),
    ...(storage?.files ?? []).flatMap(({ path, contents, append = [] }, index) => [
      ...(contents === undefined ? [] : [named(`storage.files[${index}].contents`, path, contents)]),
      ...append.map((one, part) => named(`storage.files[${index}].append[${part}]`, path, one)),
    ]),
    ...(storage?.luks ?? []).flatMap(({ name, keyFile }, index) =>
      keyFile === undefined
        ? []
        : [named(`storage.luks[${index}].keyFile`, `the key file of ${name}`, keyFile)],
    ),
  ];
}

type NamedResource = { readonly path: string; readonly name: string; readonly resource: Resource };

function named(path: string, name: string, resource: Resource): NamedResource {
  return { path, name, resource };
}
