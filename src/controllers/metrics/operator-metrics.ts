/** The metrics of the operator: they are read from its caches when someone looks. */
import { CONTROLLER_CONFIG_NAME, type ControllerConfig, type MachineConfiguration } from '../../api/index.ts';
import { objectsAt, stringAt } from '../../base/json-fields.ts';
import { parseTimestamp } from '../../base/text/index.ts';
import type { Cache } from '../../kubernetes/client/index.ts';
import type { Context } from '../context.ts';
import { CERTIFICATE_EXPIRY, NO_SKEW_ENFORCEMENT } from './definitions.ts';

type OperatorSources = {
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly configurations: Cache<MachineConfiguration>;
};

const CLUSTER = 'cluster';

export function readOperatorMetrics(
  { metrics }: Context,
  { controllerConfigs, configurations }: OperatorSources,
): void {
  metrics.read(CERTIFICATE_EXPIRY, () =>
    certificateExpiry(controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME })),
  );
  metrics.read(NO_SKEW_ENFORCEMENT, () => {
    const status = configurations.get({ name: CLUSTER })?.status;
    const mode = stringAt(status, 'bootImageSkewEnforcementStatus', 'mode');
    return [{ labels: {}, value: mode === 'None' ? 1 : 0 }];
  });
}

/** The first to expire of those with the same subject in a bundle. */
export function certificateExpiry(config: ControllerConfig | undefined) {
  const found = new Map<string, { readonly labels: { bundle: string; subject: string }; value: number }>();
  for (const certificate of objectsAt(config?.status, 'controllerCertificates')) {
    const expiresMs = parseTimestamp(certificate.notAfter);
    if (expiresMs === undefined) continue;
    const labels = {
      bundle: stringAt(certificate, 'bundleFile'),
      subject: stringAt(certificate, 'subject'),
    };
    const key = JSON.stringify(labels);
    const value = expiresMs / 1_000;
    const known = found.get(key);
    if (known === undefined || value < known.value) found.set(key, { labels, value });
  }
  return [...found.values()];
}
