/**
 * `millwright doctor`: what blocks, why, and what to do next.
 */
import { machineConfigPool, machineOSBuild, machineOSConfig } from '../../api/index.ts';
import { didYouMean } from '../../base/text/index.ts';
import {
  type ClusterSnapshot,
  type Diagnosis,
  diagnose,
  diagnosisJson,
  diagnosisText,
  type Subject,
} from '../../insight/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import { node } from '../../kubernetes/types/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { BLOCKED, SUCCESS } from '../exit-code.ts';
import type { NamespaceOptions } from '../namespace-option.ts';
import { runInCluster, throwUsageError } from '../objects/run-in-cluster.ts';
import type { Ports } from '../ports.ts';
import { reportFailure } from '../report-failure.ts';
import { hasColors, widthOf } from '../terminal.ts';
import { type DoctorSources, readDoctorSources } from './doctor-sources.ts';

export type DoctorOptions = ClusterOptions &
  NamespaceOptions & {
    readonly from?: string;
    readonly output: 'text' | 'json';
  };

/** Returns the exit code. */
export async function doctorCommand(
  name: string | undefined,
  options: DoctorOptions,
  ports: Ports,
): Promise<number> {
  if (options.from !== undefined) return await diagnoseDump(name, { ...options, from: options.from }, ports);
  let code = SUCCESS;
  const failed = await runInCluster(options, ports, async ({ session }) => {
    code = print(name, await readDoctorSources(session, options), { format: options.output, ports });
  });
  return failed === SUCCESS ? code : failed;
}

async function diagnoseDump(
  name: string | undefined,
  options: DoctorOptions & { readonly from: string },
  ports: Ports,
): Promise<number> {
  try {
    const { readDump } = await import('./read-dump.ts');
    const read = await readDump(options, ports);
    return print(name, read, { format: options.output, ports });
  } catch (error) {
    return reportFailure(error, ports);
  }
}

type View = { readonly format: 'text' | 'json'; readonly ports: Ports };

/** Returns the exit code. */
function print(name: string | undefined, read: DoctorSources, { format, ports }: View): number {
  const { snapshot, namespace } = read;
  const subject = name === undefined ? undefined : subjectOf(name, snapshot);
  const diagnosis = diagnose(snapshot, { namespace, subject });
  ports.stdout(format === 'json' ? jsonText(diagnosis, read) : plainText(diagnosis, read, ports));
  return diagnosis.isBlocked ? BLOCKED : SUCCESS;
}

function jsonText(diagnosis: Diagnosis, { unread, damaged }: DoctorSources): string {
  return `${JSON.stringify(diagnosisJson(diagnosis, [...unread, ...damaged]), null, 4)}\n`;
}

function plainText(diagnosis: Diagnosis, { unread, damaged }: DoctorSources, ports: Ports): string {
  const options = { width: widthOf(ports), hasColors: hasColors(ports), unread, damaged };
  return `${diagnosisText(diagnosis, options).join('\n')}\n`;
}

/** A pool comes first: a MachineOSConfig has the name of its pool. */
function subjectOf(name: string, snapshot: ClusterSnapshot): Subject {
  const pools = snapshot.all(machineConfigPool).map(nameOf);
  if (pools.includes(name)) return { kind: 'pool', name };
  const nodes = snapshot.all(node).map(nameOf);
  if (nodes.includes(name)) return { kind: 'node', name };
  const builds = [...snapshot.all(machineOSBuild), ...snapshot.all(machineOSConfig)].map(nameOf);
  if (builds.includes(name)) return { kind: 'build', name };
  const known = [...pools, ...nodes, ...builds];
  return throwUsageError(
    `no pool, node or build is called ${name}${didYouMean(name, known)}; pools: ${pools.join(', ') || 'none'}`,
  );
}
