/** The machine that a command manages: this one, a mounted one, or the one of another process. */

import { arch } from 'node:process';
import type { Env } from '../base/env.ts';
import {
  createInsecureTransport,
  createRegistryClient,
  createTrustingTransport,
  type RegistryAccess,
  type RegistryClient,
} from '../images/index.ts';
import { createNodeRegistryTransport } from '../images/transport-node.ts';
import { createCriCall } from '../node/host/cri/cri-client-node.ts';
import {
  CRIO_SOCKET,
  createLinuxHost,
  createLinuxImages,
  createManifestReader,
  type Host,
  KUBELET_AUTH_FILE,
} from '../node/host/index.ts';
import { createCommandRunner, createLinuxDisk, type Entrance } from '../node/host/linux-node.ts';

export type MachineOptions = { readonly rootMount: string; readonly hostPid?: number };

type MachineHostParts = {
  readonly env: Pick<Env, 'clock' | 'random' | 'signal'>;
  readonly pid: number;
  /** Logs commands and their output. */
  readonly log: (line: string) => void;
};

export function createMachineHost(options: MachineOptions, { env, pid, log }: MachineHostParts): Host {
  const { clock, random } = env;
  const architecture = GO_ARCHITECTURES.get(arch) ?? arch;
  const root = options.hostPid === undefined ? options.rootMount : `/proc/${options.hostPid}/root`;
  return createLinuxHost({
    disk: createLinuxDisk(root),
    // Commands run to completion even when the daemon is asked to stop: an interrupted one may leave the machine broken.
    runner: createCommandRunner({ entrance: entranceOf(options) }),
    random,
    processId: pid,
    log,
    images: (machine) =>
      createLinuxImages({
        ...machine,
        call: createCriCall(`${root === '/' ? '' : root}${CRIO_SOCKET}`),
        architecture,
        readManifest: createManifestReader({
          ...{ files: machine.files, clock, architecture, authFile: KUBELET_AUTH_FILE },
          clientFor: manifestClients(env),
        }),
      }),
  });
}

/** For manifests alone, of which many are read in a row: nothing is repeated, and little is waited for. */
function manifestClients(env: MachineHostParts['env']): (access: RegistryAccess) => RegistryClient {
  const { clock } = env;
  const limits = { connectMs: 10_000, stalledMs: 30_000 };
  const verified = createNodeRegistryTransport({ clock, limits });
  const lenient = createNodeRegistryTransport({ clock, limits, isUnverified: () => true });
  const insecure = createInsecureTransport(lenient);
  return ({ isInsecure, authorityPem, credentialsFor }) =>
    createRegistryClient({
      ...{ env, credentialsFor, isPlainHttp: () => isInsecure },
      transport: isInsecure ? insecure : createTrustingTransport(verified, authorityPem),
      limits: { attempts: 1, stalledMs: limits.stalledMs },
    });
}

/** Those whose names differ. */
const GO_ARCHITECTURES: ReadonlyMap<string, string> = new Map([['x64', 'amd64']]);

function entranceOf({ rootMount, hostPid }: MachineOptions): Entrance {
  if (hostPid !== undefined) return { kind: 'nsenter', processId: hostPid };
  return rootMount === '/' ? { kind: 'here' } : { kind: 'chroot', root: rootMount };
}
