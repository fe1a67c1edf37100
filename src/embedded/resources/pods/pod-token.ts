/**
 * The projected ServiceAccount token volume of pods.
 */

import type { JsonObject } from '../../../base/json.ts';
import { objectsAt, stringAt } from '../../../base/json-fields.ts';
import { withChangedItems } from '../object-edits.ts';
import { randomSuffix } from '../random-suffix.ts';

const PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Slightly more than an hour: the odd number distinguishes injected tokens from explicit ones. */
const TOKEN_LIFE_SECONDS = 3607;

/** Mounts the token in every container that has no other mount at its path. */
export function withToken(spec: JsonObject, random: () => number): JsonObject {
  const volumes = objectsAt(spec, 'volumes');
  const existing = volumes.map((volume) => stringAt(volume, 'name')).find((name) => name.startsWith(PREFIX));
  const name = existing ?? `${PREFIX}${randomSuffix(random)}`;
  let isMounted = false;
  const mount = (container: JsonObject): JsonObject => {
    const mounts = objectsAt(container, 'volumeMounts');
    if (mounts.some((one) => stringAt(one, 'mountPath') === MOUNT_PATH)) return container;
    isMounted = true;
    return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }] };
  };
  const mounted = withChangedItems(withChangedItems(spec, 'initContainers', mount), 'containers', mount);
  if (!isMounted || existing !== undefined) return mounted;
  return { ...mounted, volumes: [...volumes, tokenVolume(name)] };
}

/** The token, the CA certificate and the namespace, in one directory. */
function tokenVolume(name: string): JsonObject {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_LIFE_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 0o644,
    },
  };
}
