/**
 * One machine: how it gets from one config to another, and what it reports on the way.
 *
 *     plan/     old config, new config → steps, disruption, reconcilability                     pure
 *     preflight/ would an update certainly lose the node?                                       pure
 *     report/   progress of an update → Node annotations, MachineConfigNode status, events     pure
 *     host/     the port to a machine, and its Linux implementation
 *     daemon/   observe, decide, run one step, report; the journal
 */
