/**
 * What of mirror sets, registry settings and signature policies has no effect on nodes that run containerd, per object. The nodes
 * themselves report the same of their config (`node/preflight`).
 */
import { clusterImagePolicy, image as imageKind, imagePolicy } from '../../api/index.ts';
import { type Finding, referenceTo, sortedFindings } from './finding.ts';
import { hostsToml } from './hosts-toml.ts';
import { mirrorEntries } from './mirror-sets.ts';
import type { Registries, RegistryObjects } from './registries-config.ts';
import { registryEntries, registryOf } from './registry-entries.ts';

const ON_NODES = 'on nodes that run containerd:';

export function containerdFindings(
  objects: RegistryObjects,
  { mirrors, settings }: Pick<Registries, 'mirrors' | 'settings'>,
): readonly Finding[] {
  const registries = registryEntries({ ...settings, sources: mirrors.sources }).map(registryOf);
  const found = hostsToml({ registries, search: settings.search }).findings;
  const entries = mirrorEntries(objects);
  const image = objects.image === undefined ? undefined : referenceTo(imageKind, objects.image.metadata);
  const reason = 'NoEffectOnContainerd';
  const finding = (about: Finding['about'], message: string): Finding => ({
    about,
    reason,
    message: `${ON_NODES} ${message}`,
  });
  const ofSettings = new Set([...settings.blocked, ...settings.insecure, '']);
  const translated = found.flatMap(({ scope, message, use }) => [
    ...entries
      .filter((entry) => entry.source === scope && (use === undefined || entry.use === use))
      .map(({ about }) => finding(about, message)),
    ...(image !== undefined && use === undefined && ofSettings.has(scope) ? [finding(image, message)] : []),
  ]);
  const limits =
    image !== undefined && settings.allowed.length + settings.rejected.length > 0
      ? [finding(image, LIMITS)]
      : [];
  return sortedFindings([
    ...translated,
    ...limits,
    ...objects.clusterImagePolicies.map(({ metadata }) =>
      finding(referenceTo(clusterImagePolicy, metadata), SIGNATURES),
    ),
    ...objects.imagePolicies.map(({ metadata }) => finding(referenceTo(imagePolicy, metadata), SIGNATURES)),
  ]);
}

const LIMITS =
  'containerd does not read policy.json, so images are accepted whatever spec.registrySources says; a whole registry that is blocked is not contacted';
const SIGNATURES = 'containerd does not read policy.json, so signatures are not checked';
