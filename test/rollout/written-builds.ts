/** MachineOSConfigs and MachineOSBuilds as a builder writes them, step by step. */
import {
  annotations,
  type MachineOSBuild,
  type MachineOSConfig,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
  NAMESPACE,
} from '../../src/api/index.ts';
import type { Env } from '../../src/base/env.ts';
import { formatMicroTimestamp } from '../../src/base/text/index.ts';
import { createInProcessTransport, createKube } from '../../src/kubernetes/client/index.ts';
import { lease as leaseKind } from '../../src/kubernetes/types/index.ts';
import { identities } from '../support/manifests-identities.ts';
import type { World } from './build-world.ts';
import { target } from './story-steps.ts';
import { LIMITS } from './world-process.ts';

const API_VERSION = 'machineconfiguration.openshift.io/v1';
const BUILDER_LEASE = { name: 'machine-os-builder', namespace: NAMESPACE };

/** The digest consists of one hexadecimal digit. */
export function imageNamed(digit: string): string {
  return `registry.example/os@sha256:${digit.repeat(64)}`;
}

export function aMachineOSConfig(pool: string, name = pool): MachineOSConfig {
  return {
    apiVersion: API_VERSION,
    kind: 'MachineOSConfig',
    metadata: { name },
    spec: {
      machineConfigPool: { name: pool },
      imageBuilder: { imageBuilderType: 'Job' },
      renderedImagePushSecret: { name: 'push' },
      renderedImagePushSpec: 'registry.example/os:latest',
    },
  };
}

/** The conditions that a builder sets, with their reasons and messages. */
const TEXTS = {
  Prepared: ['Prepared', 'Build Prepared and Pending'],
  Building: ['Building', 'Image Build In Progress'],
  Failed: ['Failed', 'Build Failed'],
  Interrupted: ['Interrupted', 'Build Interrupted'],
  Succeeded: ['Ready', 'Build Ready'],
} as const;

type BuildReport = { readonly image?: string; readonly cause?: string };

export type Builder = {
  /** Creates the MachineOSBuild of the pool's present configuration. */
  readonly create: (name: string) => Promise<void>;
  readonly report: (name: string, state: keyof typeof TEXTS, report?: BuildReport) => Promise<void>;
  /** Makes the MachineOSConfig name the build, and its image if it has one. */
  readonly follow: (name: string, image?: string) => Promise<void>;
  /** All of these: a build that succeeds. */
  readonly build: (name: string, image: string) => Promise<void>;
  /** The condition `Degraded` of the MachineOSConfig; without a problem it is False. */
  readonly setProblem: (problem?: readonly [reason: string, message: string]) => Promise<void>;
  /** Holds the Lease from now on, or releases it. */
  readonly renewLease: (holder: string | null, durationSeconds?: number) => Promise<void>;
};

export function builderOf(world: World<Env>, pool: string): Builder {
  const { env, kube: admin } = world;
  const transport = createInProcessTransport({ handle: world.server.handle, user: identities.builder });
  const kube = createKube({ transport, env, fieldManager: 'machine-os-builder', limits: LIMITS });
  const now = () => `${new Date(env.clock.now()).toISOString().slice(0, 19)}Z`;
  const patchStatus = async (body: object): Promise<void> => {
    const patch = { type: 'merge', body: { status: body } } as const;
    await kube.patch(machineOSConfigKind, { name: pool }, patch, { subresource: 'status' });
  };
  const builder: Builder = {
    async create(name) {
      const created: MachineOSBuild = {
        apiVersion: API_VERSION,
        kind: 'MachineOSBuild',
        metadata: { name },
        spec: {
          machineConfig: { name: await target(world, pool) },
          machineOSConfig: { name: pool },
          renderedImagePushSpec: `registry.example/os:${name}`,
        },
      };
      await kube.create(machineOSBuildKind, created);
    },
    async report(name, state, { image, cause } = {}) {
      const conditions = Object.entries(TEXTS).map(([type, [reason, message]]) => ({
        ...{ type, reason, lastTransitionTime: now() },
        status: type === state ? 'True' : 'False',
        message: type === state && cause !== undefined ? `${message}: ${cause}` : message,
      }));
      const status = { conditions, ...(image === undefined ? {} : { digestedImagePushSpec: image }) };
      const patch = { type: 'merge', body: { status } } as const;
      await kube.patch(machineOSBuildKind, { name }, patch, { subresource: 'status' });
    },
    async follow(name, image) {
      const body = { metadata: { annotations: { [annotations.currentMachineOSBuild]: name } } };
      const { metadata } = await kube.patch(machineOSConfigKind, { name: pool }, { type: 'merge', body });
      await patchStatus({
        observedGeneration: metadata.generation,
        ...(image === undefined ? {} : { currentImagePullSpec: image }),
      });
    },
    async build(name, image) {
      await builder.create(name);
      await builder.report(name, 'Building');
      await builder.follow(name);
      await builder.report(name, 'Succeeded', { image });
      await builder.follow(name, image);
    },
    async setProblem(problem) {
      const [reason, message] = problem ?? ['AsExpected', ''];
      const status = problem === undefined ? 'False' : 'True';
      await patchStatus({
        conditions: [{ type: 'Degraded', status, reason, message, lastTransitionTime: now() }],
      });
    },
    async renewLease(holder, durationSeconds = 137) {
      const spec = {
        ...{ holderIdentity: holder, leaseDurationSeconds: holder === null ? 1 : durationSeconds },
        renewTime: formatMicroTimestamp(env.clock.now()),
      };
      const found = await admin.get(leaseKind, BUILDER_LEASE);
      const empty = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: BUILDER_LEASE,
        spec: {},
      };
      if (found === undefined) await admin.create(leaseKind, empty);
      await admin.patch(leaseKind, BUILDER_LEASE, { type: 'merge', body: { spec } });
    },
  };
  return builder;
}
