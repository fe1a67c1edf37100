/**
 * The CAs of registries, for the requests of the builder itself.
 */
import { CONTROLLER_CONFIG_NAME, controllerConfig } from '../../api/index.ts';
import { trustedAuthorities } from '../../images/index.ts';
import type { Kube } from '../../kubernetes/client/index.ts';

/** What the ControllerConfig says at the time of asking. */
export function authoritiesIn(kube: Pick<Kube, 'get'>): (registry: string) => Promise<string | undefined> {
  return async (registry) => {
    const found = await kube.get(controllerConfig, { name: CONTROLLER_CONFIG_NAME });
    return trustedAuthorities(found?.spec, registry);
  };
}
