/**
 * The types of a pre-flight check: what it is asked about, which facts of the machine it needs, and what it finds.
 */
import type { PreflightCheckName } from '../../api/index.ts';
import type { Capacity } from '../../config/kubelet/index.ts';
import type { ConfigChange, NodeConfig } from '../plan/index.ts';

/** One question, with a name by which it can be skipped. */
export type Check = {
  readonly name: PreflightCheckName;
  /**
   * What has to be read of the machine. Nothing where the change does not touch what the check is about. Asked again with what was
   * read, as a file may name others.
   */
  readonly needs: (change: PreflightChange, node?: NodeFacts) => Needs;
  readonly run: (snapshot: PreflightSnapshot) => readonly Finding[];
};

export type PreflightChange = {
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly change: Pick<ConfigChange, 'osImage' | 'extensions' | 'changedFiles' | 'changedUnits'>;
  /** Everything is written again, as after a force file. */
  readonly isForced: boolean;
};

/** What to read of the machine, by name. */
export type Needs = {
  readonly units?: readonly string[];
  /** Whether they exist. */
  readonly paths?: readonly string[];
  /** Texts of files. */
  readonly files?: readonly string[];
  /** Texts of all files in them. */
  readonly folders?: readonly string[];
  /** Services whose command lines are of interest. */
  readonly commandLines?: readonly string[];
  /** Paths of which the size, and the space of their file system, are of interest. */
  readonly spaces?: readonly string[];
};

export type PreflightSnapshot = PreflightChange & { readonly node: NodeFacts };

/** What was read of the machine. What was not asked for, or could not be read, is absent. */
export type NodeFacts = {
  /** The program that runs containers: `cri-o`, `containerd`; absent where it is unknown. */
  readonly runtime?: string;
  readonly runtimeVersion?: string;
  /** Resources of the machine, as its Node has them. */
  readonly capacity?: Capacity;
  /** The OS of the next boot: the booted one, another one that is not known yet, or one whose files are known. */
  readonly nextOs: 'booted' | 'unknown' | 'known';
  /** Whether packages may add files to the OS of the next boot. */
  readonly hasLayeredPackages: boolean;
  readonly units: ReadonlyMap<string, UnitFacts>;
  readonly paths: ReadonlyMap<string, boolean>;
  /** By path. */
  readonly files: ReadonlyMap<string, string>;
  /** Words of the running main process of a service. */
  readonly commandLines: ReadonlyMap<string, readonly string[]>;
  readonly spaces: ReadonlyMap<string, PathSpace>;
  /** Why sshd of this machine refuses the configuration that it will have, and not the one that it has. */
  readonly sshdProblem?: string;
};

/** The file system that has a path, or would have it. */
export type PathSpace = {
  readonly fileSystem: string;
  readonly freeBytes: number;
  /** What is there now; 0 where nothing is. */
  readonly sizeBytes: number;
};

export type UnitFacts = {
  /** systemd knows it, or one of its folders has it. */
  readonly isKnown: boolean;
  /** It is below /etc, which a change of the OS keeps. */
  readonly isInEtc: boolean;
  readonly isMasked: boolean;
  /** It starts with the machine. */
  readonly isEnabled: boolean;
  /** The OS image of the next boot has it; absent where that is unknown. */
  readonly isInImage?: boolean;
};

/**
 * A refusal is certain: the update would lose the node. A warning is what looks doubtful; what cannot be known is at most that.
 */
export type Finding = {
  readonly kind: 'refusal' | 'warning';
  /** The file or unit. */
  readonly subject: string;
  readonly why: string;
  /** What to do about it. */
  readonly remedy?: string;
};

export function refusal(subject: string, { why, remedy }: Pick<Finding, 'why' | 'remedy'>): Finding {
  return { kind: 'refusal', subject, why, ...(remedy === undefined ? {} : { remedy }) };
}

export function warning(subject: string, { why, remedy }: Pick<Finding, 'why' | 'remedy'>): Finding {
  return { kind: 'warning', subject, why, ...(remedy === undefined ? {} : { remedy }) };
}
