/**
 * The token by which a pod speaks to the server, and how it gets into the containers.
 */

import type { JsonObject } from '../../../base/json.ts';
import { objectsAt, stringAt } from '../../../base/json-fields.ts';
import { withChangedItems } from '../object-edits.ts';
import { randomSuffix } from '../random-suffix.ts';

const PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An hour and a little: the odd number tells tokens that were filled in from those that were asked for. */
const TOKEN_LIFE_SECONDS = 3607;

/** The spec with the token in every container that has nothing else in its place. */
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

/** The token, the certificate of the server and the namespace, in one folder. */
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
