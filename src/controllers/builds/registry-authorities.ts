/**
 * The CAs of registries, for the requests of the builder itself.
 */
import { controllerConfig } from '../../api/index.ts';
import { trustedAuthorities } from '../../images/index.ts';
import type { Kube } from '../../kubernetes/client/index.ts';
import { CONTROLLER_CONFIG_NAME } from '../controller-config-status.ts';

/** What the ControllerConfig says at the time of asking. */
export function authoritiesIn(kube: Pick<Kube, 'get'>): (registry: string) => Promise<string | undefined> {
  return async (registry) => {
    const found = await kube.get(controllerConfig, { name: CONTROLLER_CONFIG_NAME });
    return trustedAuthorities(found?.spec, registry);
  };
}
