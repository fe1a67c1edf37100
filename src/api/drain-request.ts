/**
 * What a node asks of the drain controller, as the text of its `desiredDrain` annotation: `drain-<config>` or
 * `uncordon-<config>`. The controller answers with the same text in `lastAppliedDrain` once it is done.
 */

const verbs = ['drain', 'uncordon'] as const;

export type DrainRequest = {
  readonly verb: (typeof verbs)[number];
  /** The name of the rendered MachineConfig for whose sake it is asked. */
  readonly config: string;
};

export function formatDrainRequest({ verb, config }: DrainRequest): string {
  return `${verb}-${config}`;
}

/** `undefined` where the text asks for nothing that we know. The verb ends at the first dash; a config has more. */
export function parseDrainRequest(text: string): DrainRequest | undefined {
  const dash = text.indexOf('-');
  const verb = verbs.find((known) => known === text.slice(0, Math.max(dash, 0)));
  const config = text.slice(dash + 1);
  return verb === undefined || config === '' ? undefined : { verb, config };
}
