/** The Secrets with which nodes pull OS images: of a name each, so that no others have to be accessible. */
import { CONFIG_NAMESPACE, OS_PULL_SECRET, PULL_SECRET } from '../api/index.ts';
import type { Cache, Caches } from '../kubernetes/client/index.ts';
import { type Secret, secret as secretKind } from '../kubernetes/types/index.ts';

export type CredentialSources = {
  readonly osPullSecrets: Cache<Secret>;
  readonly ownPullSecrets: Cache<Secret>;
  readonly clusterPullSecrets: Cache<Secret>;
};

export function credentialSources(caches: Caches, namespace: string): CredentialSources {
  const only = (place: string, name: string) =>
    caches.of(secretKind, { namespace: place, fieldSelector: `metadata.name=${name}` });
  return {
    osPullSecrets: only(namespace, OS_PULL_SECRET),
    ownPullSecrets: only(namespace, PULL_SECRET),
    clusterPullSecrets: only(CONFIG_NAMESPACE, PULL_SECRET),
  };
}

/** Later ones win. */
export function credentialSecrets(sources: CredentialSources): readonly Secret[] {
  return [sources.osPullSecrets, sources.ownPullSecrets, sources.clusterPullSecrets].flatMap((cache) => [
    ...cache.all(),
  ]);
}
