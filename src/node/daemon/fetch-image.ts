/**
 * Downloads OS images before nodes are drained; which and when is decided in `decide-fetch.ts`.
 */
import { annotations } from '../../api/index.ts';
import { after, done, type Next } from '../../kubernetes/client/index.ts';
import { osUpdateText } from '../plan/index.ts';
import type { DaemonContext } from './context.ts';
import { decideFetchAhead } from './decide-fetch.ts';
import { removeFetchNote, writeFetchNote } from './fetcher.ts';
import { withStep, writeJournal } from './journal.ts';
import { knownAnnotations, type Memory, type Observation } from './observe.ts';
import { closeJournal } from './open-journal.ts';
import { again, type TickOutcome } from './outcome.ts';
import { runPreflight } from './preflight/run-preflight.ts';
import { pullFailed } from './run-step.ts';
import { unprepared } from './start-update.ts';
import { type ActiveUpdate, configsOf } from './update-actions.ts';
import { emitUnprotected } from './update-events.ts';

/** The note is written first, and removed last. Images of others than the noted one go first. */
async function start({ host }: DaemonContext, memory: Memory, target: FetchTarget): Promise<void> {
  await memory.fetcher.stop();
  if (target.noted !== undefined && target.noted !== target.image) {
    await host.os.dropFetched();
    await removeFetchNote(host);
  }
  if (target.noted !== target.image) await writeFetchNote(host, target.image);
  memory.fetcher.start(target.image);
}

type FetchTarget = { readonly image: string; readonly noted: string | undefined };

export async function beginFetch(
  { context, memory, snapshot, journal }: ActiveUpdate,
  {
    index,
    image,
    isFetched,
  }: { readonly index: number; readonly image: string; readonly isFetched: boolean },
): Promise<TickOutcome> {
  context.log.line(osUpdateText(image));
  await writeJournal(context.host, withStep({ ...journal, bootId: snapshot.bootId }, index, 'begun'));
  await start(context, memory, { image, noted: snapshot.disk.fetched });
  const isThere = isFetched || (await context.host.os.deployments()).some((one) => one.image === image);
  return isThere ? again() : again({ kind: 'fetching', image });
}

export async function completeFetch(
  update: ActiveUpdate,
  { index, image }: { readonly index: number; readonly image: string },
): Promise<TickOutcome> {
  const { context, memory, snapshot, journal } = update;
  await memory.fetcher.stop();
  // What the new OS brings is known only now.
  const { from, to } = await configsOf(update);
  const { plan, isForced } = journal;
  const { refusal, warnings } = await runPreflight(context, {
    from,
    to,
    plan,
    isForced,
    node: snapshot.node,
  });
  if (refusal !== undefined) {
    await closeJournal(context, journal, { hasSucceeded: false });
    memory.configs.forgetUpdate();
    emitUnprotected(context, snapshot.node);
    return unprepared(snapshot, { ...refusal, isIncompatible: true });
  }
  context.log.line(`OS image ${image} is fetched; it is staged once the node is drained`);
  await writeJournal(context.host, { ...withStep(journal, index, 'done'), pullTries: 0 });
  const { needsDrain } = plan;
  return warnings.length === 0
    ? again()
    : again({ kind: 'prepared', needsDrain, to: journal.to.config, warnings });
}

export async function recordFailedFetch(
  update: ActiveUpdate,
  { image, error }: { readonly image: string; readonly error: string },
): Promise<TickOutcome> {
  await update.memory.fetcher.stop();
  return await pullFailed(update, update.journal, { kind: 'pull-failed', image, error });
}

type Ahead = { readonly annotations?: TickOutcome['annotations']; readonly next: Next | 'again' };

/** For a node that has its desired config, beside whatever else it does then. */
export async function fetchAhead(
  context: DaemonContext,
  memory: Memory,
  snapshot: Observation,
): Promise<Ahead> {
  const { host, log, settings } = context;
  const { requested, fetched: answered } = knownAnnotations(snapshot)?.fetch ?? {
    requested: '',
    fetched: '',
  };
  const decision = decideFetchAhead({
    requested,
    answered,
    noted: snapshot.disk.fetched,
    fetch: memory.fetcher.state,
    waitMs: (memory.fetchAtMs ?? 0) - context.env.clock.monotonic(),
  });
  switch (decision.kind) {
    case 'none':
      return { next: done };
    case 'wait':
      memory.fetcher.wakeAtEnd();
      return { next: after(decision.delayMs, 'until the OS image is fetched') };
    case 'drop':
      log.line(`Removing OS image ${snapshot.disk.fetched}: the node is not updated to it`);
      await memory.fetcher.stop();
      await host.os.dropFetched();
      await removeFetchNote(host);
      // Another image is another attempt.
      memory.fetchTries = 0;
      memory.fetchAtMs = undefined;
      return { next: 'again' };
    case 'begin':
      log.line(`Fetching OS image ${decision.image} ahead of an update`);
      await start(context, memory, { image: decision.image, noted: snapshot.disk.fetched });
      return { next: 'again' };
    case 'answer':
      await memory.fetcher.stop();
      memory.fetchTries = 0;
      if (decision.image !== '') log.line(`OS image ${decision.image} is fetched ahead of an update`);
      return { annotations: { [annotations.fetchedImage]: decision.image || null }, next: 'again' };
    case 'postpone': {
      await memory.fetcher.stop();
      const waitMs = settings.pullWaitsMs[memory.fetchTries] ?? settings.retry.capMs;
      memory.fetchTries += 1;
      memory.fetchAtMs = context.env.clock.monotonic() + waitMs;
      log.warn(
        `Failed to fetch OS image ${decision.image} ahead of an update (will retry): ${decision.error}`,
      );
      return { next: after(waitMs, 'until the OS image is fetched again') };
    }
  }
}
