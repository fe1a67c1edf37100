/**
 * `millwright operator` and `millwright controller`: the components, as run by their Deployments. `builder-command.ts` adds what
 * the builder needs.
 *
 * Each has its own identity and is active only while it holds its Lease. A component that cannot continue exits with an
 * error; the kubelet restarts it.
 */
import type { Env } from '../base/env.ts';
import { certificateIssuer } from '../certificates/certificate-issuer-node.ts';
import type { Base } from '../config/render/index.ts';
import { type BuildOptions, DEFAULT_SETTINGS } from '../controllers/index.ts';
import type { Transport } from '../kubernetes/client/index.ts';
import { leaseIdentity } from '../kubernetes/client/lease-identity-node.ts';
import { createNodeTransport } from '../kubernetes/client/transport-node.ts';
import { ComponentMetrics } from '../processes/component-metrics.ts';
import { type ComponentName, runComponent } from '../processes/component-process.ts';
import { type AccessOptions, clusterAccess } from './cluster/cluster-access.ts';
import { SUCCESS } from './exit-code.ts';
import { isImageModeReported } from './feature-gates.ts';
import { observeAnswers } from './health/answered-transport.ts';
import { serveEndpoint } from './health/endpoint.ts';
import { type MetricsOptions, serveMetrics } from './health/metrics-endpoints.ts';
import { type NamespaceOptions, ownNamespace } from './namespace-option.ts';
import type { Ports } from './ports.ts';
import { processEnv } from './process-env.ts';
import { releaseOf } from './release.ts';
import { readTemplates } from './render/read-templates.ts';
import { reportFailure } from './report-failure.ts';

export type ComponentOptions = AccessOptions &
  NamespaceOptions &
  MetricsOptions & {
    readonly healthAddress?: string;
    /** Of operator and controller. */
    readonly base?: Base;
    /** Of the operator. */
    readonly pauseMaster?: boolean;
    readonly clusterDns?: string;
    readonly clusterDomain?: string;
    readonly configServer?: boolean;
    readonly configServerUrl?: string;
    readonly configServerToken?: 'true' | 'false';
    /** Of the controller. */
    readonly featureGates?: string;
    readonly approveServingCertificates?: 'true' | 'false';
    readonly approveClientCertificates?: 'true' | 'false';
  };

type ComponentDependencies = {
  readonly ports: Ports;
  readonly version: string;
  /** Of the builder. */
  readonly createBuilds?: (env: Env, transport: Transport) => Promise<BuildOptions>;
};

/** Runs until the process is asked to stop, and returns the exit code. */
export async function componentCommand(
  name: ComponentName,
  options: ComponentOptions,
  { ports, version, createBuilds }: ComponentDependencies,
): Promise<number> {
  const env = processEnv(ports, `${name}.go`);
  let served: { stop(): Promise<void> } | undefined;
  try {
    const settings = {
      ...DEFAULT_SETTINGS,
      namespace: ownNamespace(options, ports),
      base: options.base ?? 'none',
      isMasterPaused: options.pauseMaster === true,
      isImageModeReported: isImageModeReported(options.featureGates),
      ...(options.base === 'coreos' ? { clusterDns: givenDns(options) } : {}),
      approvesClientCertificates: options.approveClientCertificates === 'true',
      ...approval(options, ports),
    };
    const server = createNodeTransport({ access: await clusterAccess(options, ports), clock: env.clock });
    const { transport, hasAnswered } = observeAnswers(server);
    const templates = await readTemplates(ports.packageRoot);
    const builds = await createBuilds?.(env, transport);
    const metrics = new ComponentMetrics(name);
    const endpoint = await healthEndpoint(options, hasAnswered);
    try {
      const userAgent = `millwright/${version} (${name})`;
      served = await serveMetrics({ env, options, metrics, transport, userAgent, isReady: hasAnswered });
      await runComponent(name, {
        env,
        transport,
        version,
        templates,
        release: releaseOf(version, templates),
        settings,
        metrics,
        ...(builds === undefined ? {} : { builds }),
        ...configServerOf(options),
        ...(await leaseIdentity(name, env, ports.environment)),
      });
    } finally {
      await served?.stop();
      await endpoint?.stop();
    }
    return SUCCESS;
  } catch (error) {
    return reportFailure(error, ports);
  }
}

/** Empty is not given: the manifests always have the flags. */
function givenDns({ clusterDns = '', clusterDomain = '' }: ComponentOptions) {
  return {
    ...(clusterDns === '' ? {} : { address: clusterDns }),
    ...(clusterDomain === '' ? {} : { domain: clusterDomain }),
  };
}

function configServerOf({ configServer, configServerUrl = '', configServerToken }: ComponentOptions) {
  if (configServer !== true) return {};
  return {
    configServer: {
      issuer: certificateIssuer,
      isTokenRequired: configServerToken === 'true',
      ...(configServerUrl === '' ? {} : { url: configServerUrl }),
    },
  };
}

/** In a pod, the address of the API server is that of its Service, which is never one of a node. */
function approval(options: ComponentOptions, { environment }: Ports) {
  const { base, approveServingCertificates = String(base === 'coreos'), kubeconfig } = options;
  if (approveServingCertificates !== 'true') return {};
  const host = kubeconfig === undefined ? environment.KUBERNETES_SERVICE_HOST : undefined;
  return { servingCertificates: { apiServerHosts: host === undefined ? [] : [host] } };
}

/** For the probes of its pod. */
async function healthEndpoint({ healthAddress: address }: ComponentOptions, isReady: () => boolean) {
  if (address === undefined) return undefined;
  return await serveEndpoint({ flag: '--health-address', address, isReady });
}
