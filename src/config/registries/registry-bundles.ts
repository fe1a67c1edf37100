/**
 * The CAs of registries: ConfigMaps → the lists of the ControllerConfig that daemons copy to nodes.
 *
 *     Image cluster: spec.additionalTrustedCA ──> ConfigMap in openshift-config ──────> imageRegistryBundleUserData
 *                        ConfigMap openshift-config-managed/image-registry-ca ──> imageRegistryBundleData
 *
 * Each key is a registry, in which `..` stands for the colon before a port, and its value a bundle in PEM format. What is
 * invalid is reported on the ConfigMap and concerns its own registry alone. Where nothing of the new content can be used,
 * nodes keep what they have: a typing error must not break pulls that work.
 */
import {
  CONFIG_NAMESPACE,
  type Image,
  image as imageKind,
  type RegistryBundle,
  registryOfBundle,
} from '../../api/index.ts';
import { byteLength, compareBytes } from '../../base/json.ts';
import { base64Bytes, base64Text, quoted } from '../../base/text/index.ts';
import { type ConfigMap, configMap as configMapKind } from '../../kubernetes/types/index.ts';
import { type Finding, type ObjectReference, referenceTo, sortedFindings } from './finding.ts';

type RegistryBundles = {
  readonly imageRegistryBundleData: readonly RegistryBundle[];
  readonly imageRegistryBundleUserData: readonly RegistryBundle[];
};

type BundleObjects = {
  readonly image?: Image | undefined;
  /** The ConfigMap that the Image names. */
  readonly user?: ConfigMap | undefined;
  /** `openshift-config-managed/image-registry-ca`. */
  readonly managed?: ConfigMap | undefined;
};

/** Of both lists together, in base64: the ControllerConfig, which holds more, must stay below 1.5 MB. */
const MAX_BUNDLES_BYTES = 1024 ** 2;
const MAX_BUNDLES = 1_000;
/** Each is an event. */
const MAX_PROBLEMS = 10;

/** `present`: the lists of the ControllerConfig. */
export function readRegistryBundles(
  { image, user, managed }: BundleObjects,
  present: Partial<RegistryBundles>,
): RegistryBundles & { readonly findings: readonly Finding[] } {
  const { imageRegistryBundleData = [], imageRegistryBundleUserData = [] } = present;
  const ours = readBundles(managed, imageRegistryBundleData);
  const users = readBundles(user, imageRegistryBundleUserData);
  const findings = sortedFindings([...ours.findings, ...users.findings, ...missing(image, user)]);
  const all = [...ours.bundles, ...users.bundles];
  const sizeBytes = all.reduce((sum, { file, data }) => sum + byteLength(file) + data.length, 0);
  if (all.length <= MAX_BUNDLES && sizeBytes <= MAX_BUNDLES_BYTES) {
    return {
      imageRegistryBundleData: ours.bundles,
      imageRegistryBundleUserData: users.bundles,
      findings,
    };
  }
  const tooLarge = `the CAs of all registries are ${all.length} bundles of ${sizeBytes} bytes in base64, more than ${MAX_BUNDLES} bundles or ${MAX_BUNDLES_BYTES} bytes: keep only the CAs that sign the certificates of registries; until this is fixed, nodes keep their present ones`;
  return {
    imageRegistryBundleData,
    imageRegistryBundleUserData,
    findings: [...[user, managed].flatMap((map) => findingsOn(map, [tooLarge])), ...findings],
  };
}

/** The ConfigMap that the Image names; empty where it names none. */
export function trustedCaName(image: Image | undefined): string {
  return image?.spec.additionalTrustedCA?.name ?? '';
}

function missing(image: Image | undefined, user: ConfigMap | undefined): readonly Finding[] {
  const name = trustedCaName(image);
  if (image === undefined || name === '' || user !== undefined) return [];
  const message = `ConfigMap ${quoted(name)} of spec.additionalTrustedCA does not exist in the namespace ${CONFIG_NAMESPACE}: create it there, or remove the field; nodes trust no additional CAs`;
  return [{ about: referenceTo(imageKind, image.metadata), reason: 'InvalidImageConfig', message }];
}

type Bundles = { readonly bundles: readonly RegistryBundle[]; readonly findings: readonly Finding[] };

function readBundles(map: ConfigMap | undefined, present: readonly RegistryBundle[]): Bundles {
  const bundles: RegistryBundle[] = [];
  const problems: string[] = [];
  const keys = new Set([...Object.keys(map?.data ?? {}), ...Object.keys(map?.binaryData ?? {})]);
  for (const file of [...keys].sort(compareBytes)) {
    if (registryOfBundle(file) === undefined) {
      problems.push(
        `key ${quoted(file)} is not a registry: write its host name, and a port after two dots, such as registry.example.com..5000; it is ignored`,
      );
      continue;
    }
    const bytes = bytesOf(map, file);
    if (hasCertificate(bytes)) {
      bundles.push({ file, data: base64Text(bytes) });
      continue;
    }
    const kept = present.find((bundle) => bundle.file === file);
    const consequence = kept === undefined ? 'it is ignored' : 'nodes keep the present CA of this registry';
    problems.push(`the value of key ${quoted(file)} has no certificate in PEM format; ${consequence}`);
    if (kept !== undefined) bundles.push(kept);
  }
  const more = problems.length - MAX_PROBLEMS;
  const reported =
    more <= 0 ? problems : [...problems.slice(0, MAX_PROBLEMS), `and ${more} more of its keys`];
  return { bundles, findings: findingsOn(map, reported) };
}

/** A text in base64 means its bytes. */
function bytesOf(map: ConfigMap | undefined, key: string): Uint8Array {
  const binary = map?.binaryData?.[key];
  if (binary !== undefined) return base64Bytes(binary) ?? new Uint8Array();
  const text = map?.data?.[key] ?? '';
  return base64Bytes(text.trim()) ?? new TextEncoder().encode(text);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/;

function hasCertificate(bytes: Uint8Array): boolean {
  return CERTIFICATE.test(new TextDecoder().decode(bytes));
}

function findingsOn(map: ConfigMap | undefined, messages: readonly string[]): readonly Finding[] {
  if (map === undefined) return [];
  const about: ObjectReference = referenceTo(configMapKind, map.metadata);
  return messages.map((message) => ({ about, reason: 'InvalidTrustedCA', message }));
}
