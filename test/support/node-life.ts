/**
 * A Node and its MachineConfigNode, on which reports are written as a daemon does, with a drain controller and a node
 * controller that act on request.
 */
import {
  annotations,
  type MachineConfigNode,
  type MachineConfigNodeStatus,
  machineConfigNode,
} from '../../src/api/index.ts';
import type { Node } from '../../src/kubernetes/types/index.ts';
import { validateStatus } from '../../src/kubernetes/validation/index.ts';
import type { ConfigChange } from '../../src/node/plan/plan-types.ts';
import type { NodeEvent } from '../../src/node/report/node-events.ts';
import { type FeatureGates, type NodeReport, nodeReport } from '../../src/node/report/node-report.ts';
import type { ProgressEvent } from '../../src/node/report/progress-event.ts';
import { type DrainRecord, formatDrainRecord } from '../../src/rollout/index.ts';

export const START_MS = Date.UTC(2025, 4, 22, 12, 0, 0);

export const noChange: ConfigChange = {
  osImage: false,
  kernelArguments: false,
  fips: false,
  passwd: false,
  sshKeys: false,
  files: false,
  units: false,
  kernelType: false,
  extensions: false,
  isLayered: false,
  leavesImageMode: false,
  changedFiles: [],
  changedUnits: [],
};

/** The columns of `kubectl get machineconfignodes -o wide`, by condition. */
export const COLUMNS = [
  'Updated',
  'UpdatePrepared',
  'UpdateExecuted',
  'UpdatePostActionComplete',
  'UpdateComplete',
  'Resumed',
  'AppliedFilesAndOS',
  'Cordoned',
  'Drained',
  'RebootedNode',
  'Uncordoned',
] as const;

type Annotations = { readonly [key: string]: string | null };

export class NodeLife {
  node: Node;
  record: MachineConfigNode;
  nowMs = START_MS;
  statusWrites = 0;
  readonly events: NodeEvent[] = [];
  readonly #gates: FeatureGates;

  constructor(name: string, changes: Annotations = {}, gates: FeatureGates = {}) {
    this.#gates = gates;
    this.node = { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} };
    this.record = {
      apiVersion: `${machineConfigNode.group}/${machineConfigNode.version}`,
      kind: 'MachineConfigNode',
      metadata: { name, generation: 1 },
      spec: { node: { name }, pool: { name: 'worker' }, configVersion: { desired: 'not-yet-set' } },
    };
    this.annotate(changes);
  }

  /** A node that has been on the config for a while. */
  static settledOn(name: string, config: string, gates: FeatureGates = {}): NodeLife {
    const { currentConfig, desiredConfig, desiredDrain, lastAppliedDrain, state } = annotations;
    const life = new NodeLife(
      name,
      {
        [currentConfig]: config,
        [desiredConfig]: config,
        [desiredDrain]: `uncordon-${config}`,
        [lastAppliedDrain]: `uncordon-${config}`,
        [state]: 'Done',
      },
      gates,
    );
    life.record = { ...life.record, spec: { ...life.record.spec, configVersion: { desired: config } } };
    life.report({ kind: 'up-to-date' });
    return life;
  }

  /** Writes the report of these events, a second later. Throws on a status that the server would reject. */
  report(...progress: readonly ProgressEvent[]): NodeReport {
    this.nowMs += 1000;
    const report = nodeReport({
      node: this.node,
      machineConfigNode: this.record,
      progress,
      nowMs: this.nowMs,
      featureGates: this.#gates,
    });
    this.annotate(report.annotations);
    if (report.status !== undefined) this.#write(report.status);
    this.events.push(...report.events);
    return report;
  }

  /** When the next report is written. */
  at(time: string): this {
    this.nowMs = Date.parse(time) - 1000;
    return this;
  }

  #write(status: MachineConfigNodeStatus): void {
    const next = { ...this.record, status };
    const problems = validateStatus(machineConfigNode.schema, next, this.record);
    if (problems.length > 0) throw new Error(`refused: ${JSON.stringify(problems)}`);
    this.record = next;
    this.statusWrites++;
  }

  annotate(changes: Annotations): void {
    const { metadata } = this.node;
    const all = new Map(Object.entries(metadata.annotations ?? {}));
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) all.delete(key);
      else all.set(key, value);
    }
    this.node = { ...this.node, metadata: { ...metadata, annotations: Object.fromEntries(all) } };
  }

  annotation(name: keyof typeof annotations): string | undefined {
    return this.node.metadata.annotations?.[annotations[name]];
  }

  /** Like the node controller: the MachineConfigNode first. */
  sendTo(config: string, image?: string): void {
    const { metadata, spec } = this.record;
    this.record = {
      ...this.record,
      metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
      spec: {
        node: spec.node,
        pool: spec.pool,
        configVersion: { desired: config },
        ...(image === undefined ? {} : { configImage: { desiredImage: image } }),
      },
    };
    this.annotate({ [annotations.desiredConfig]: config, [annotations.desiredImage]: image ?? null });
  }

  /** The drain controller has cordoned the node and evicts its pods. */
  setDraining(more: Partial<DrainRecord> = {}): void {
    const record: DrainRecord = {
      request: this.annotation('desiredDrain') ?? '',
      cordonedBy: 'millwright',
      beganMs: this.nowMs,
      attempts: 1,
      attemptBeganMs: this.nowMs,
      ...more,
    };
    this.node = { ...this.node, spec: { unschedulable: more.isSkipped !== true } };
    this.annotate({ [annotations.drain]: formatDrainRecord(record) });
  }

  /** The drain controller has completed the request. */
  completeDrainRequest(): void {
    const asked = this.annotation('desiredDrain') ?? '';
    if (asked.startsWith('uncordon-')) {
      this.node = { ...this.node, spec: {} };
      this.annotate({ [annotations.drain]: null });
    }
    this.annotate({ [annotations.lastAppliedDrain]: asked });
  }

  condition(type: string) {
    return this.record.status?.conditions?.find((condition) => condition.type === type);
  }

  /** `Drained=True UpdateExecutedDrained: Drained node. …` */
  line(type: string): string {
    const found = this.condition(type);
    return found === undefined ? `no ${type}` : `${type}=${found.status} ${found.reason}: ${found.message}`;
  }

  /** A row of the table, without the names in front. */
  row(): string {
    return COLUMNS.map((type) => this.condition(type)?.status ?? '').join(' ');
  }
}
