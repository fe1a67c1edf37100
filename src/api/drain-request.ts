/**
 * A request of a node to the drain controller, the value of its `desiredDrain` annotation: `drain-<config>` or
 * `uncordon-<config>`. The controller copies it to `lastAppliedDrain` once it is done.
 */

const verbs = ['drain', 'uncordon'] as const;

export type DrainRequest = {
  readonly verb: (typeof verbs)[number];
  /** The rendered MachineConfig of the update. */
  readonly config: string;
};

export function formatDrainRequest({ verb, config }: DrainRequest): string {
  return `${verb}-${config}`;
}

/** `undefined` for an unknown request. The verb ends at the first dash; config names contain more. */
export function parseDrainRequest(text: string): DrainRequest | undefined {
  const dash = text.indexOf('-');
  const verb = verbs.find((known) => known === text.slice(0, Math.max(dash, 0)));
  const config = text.slice(dash + 1);
  return verb === undefined || config === '' ? undefined : { verb, config };
}
