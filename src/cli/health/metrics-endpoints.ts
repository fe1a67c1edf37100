/**
 * The ports of a component's metrics: plain on the loopback interface, as upstream, and over TLS for scrapers, who have to show a token.
 *
 *     --metrics-url 127.0.0.1:8797     plain; in a pod, only its own containers and `kubectl port-forward` get there
 *     --metrics-address :9001          TLS; TokenReview and SubjectAccessReview of the non-resource URL /metrics
 */
import type { Env } from '../../base/env.ts';
import { errorText } from '../../base/errors.ts';
import { jsonEqual } from '../../base/json.ts';
import { onAbort } from '../../base/waiting.ts';
import type { Transport } from '../../kubernetes/client/index.ts';
import { formatMetrics, type MetricSource } from '../../kubernetes/metrics/index.ts';
import { createProcessMetrics } from '../../processes/process-metrics-node.ts';
import { type Endpoint, serveEndpoint } from './endpoint.ts';
import { MetricsAccess } from './metrics-access.ts';
import { mountedCertificate, selfSignedCertificate } from './metrics-certificate.ts';

export type MetricsOptions = {
  readonly metricsUrl?: string;
  readonly metricsAddress?: string;
  readonly metricsCertDir?: string;
};

type MetricsEndpointsOptions = {
  readonly env: Pick<Env, 'clock' | 'log' | 'signal'>;
  readonly options: MetricsOptions;
  /** Of the component; those of the process are added. */
  readonly metrics: MetricSource;
  /** For reviews of tokens, as the component itself. */
  readonly transport: Transport;
  readonly userAgent: string;
  readonly isReady: () => boolean;
};

/** A mounted certificate is replaced a while before the old one ends. */
const CERTIFICATE_PERIOD_MS = 60_000;

/** Throws a `Failure` where the plain port cannot be used: probes need it. The other one is only reported, and tried again. */
export async function serveMetrics(given: MetricsEndpointsOptions): Promise<{ stop(): Promise<void> }> {
  const { options, isReady } = given;
  const { metricsUrl, metricsAddress } = options;
  const own = createProcessMetrics();
  const metrics = () => formatMetrics([given.metrics, own]);
  const stops: (() => Promise<void> | void)[] = [() => own.stop()];
  const stop = async () => {
    for (const one of stops) await one();
  };
  try {
    if (metricsUrl !== undefined) {
      const plain = { flag: '--metrics-url', address: metricsUrl, metrics, isReady } as const;
      stops.push((await serveEndpoint(plain)).stop);
    }
    if (metricsAddress !== undefined && metricsAddress !== '') {
      stops.push(await serveSecured(given, { address: metricsAddress, metrics }));
    }
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Secured = { readonly address: string; readonly metrics: () => string };

/**
 * Another program may have the port, on the network of a node above all. That must not stop a component: its work is worth more than
 * its metrics. Returns what stops it.
 */
async function serveSecured(given: MetricsEndpointsOptions, { address, metrics }: Secured) {
  const { env, options, transport, userAgent, isReady } = given;
  const access = new MetricsAccess({ transport, clock: env.clock, userAgent });
  const selfSigned = selfSignedCertificate(env.clock);
  let certificate = selfSigned;
  let endpoint: Endpoint | undefined;
  let reported = '';
  const ending = new AbortController();
  const check = (authorization: string | undefined) => access.check(authorization);
  const ensure = async () => {
    const next = (await mountedCertificate(options.metricsCertDir)) ?? selfSigned;
    if (endpoint !== undefined && !jsonEqual(next, certificate)) endpoint.setCertificate(next);
    certificate = next;
    const flag = '--metrics-address' as const;
    endpoint ??= await serveEndpoint({ flag, address, metrics, isReady, secured: { certificate, check } });
    if (ending.signal.aborted) await endpoint.stop();
  };
  const attempt = () =>
    ensure().catch((error: unknown) => {
      const why = errorText(error);
      if (why !== reported) env.log.warn('metrics are not served to others', { error: why });
      reported = why;
    });
  await attempt();
  const forget = onAbort(env.signal, () => ending.abort());
  repeat(env.clock, ending.signal, attempt);
  return async () => {
    forget();
    ending.abort();
    await endpoint?.stop();
  };
}

function repeat(clock: Env['clock'], signal: AbortSignal, act: () => Promise<void>): void {
  if (signal.aborted) return;
  const timer = clock.after(CERTIFICATE_PERIOD_MS, () => {
    forget();
    void act().then(() => repeat(clock, signal, act));
  });
  const forget = onAbort(signal, () => timer.cancel());
}
