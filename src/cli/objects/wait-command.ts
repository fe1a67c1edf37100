/**
 * `millwright wait`: until objects have a condition, are there, or are gone.
 */

import { formatProblem } from '../../base/errors.ts';
import { nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import { durationMs } from '../duration.ts';
import type { ClusterOptions } from '../embedded-access.ts';
import type { Ports } from '../ports.ts';
import { objectLabel, resourceLabel } from './api-resource.ts';
import { type AwaitedObject, awaitObjects } from './await-objects.ts';
import { itemsOf, listAll } from './list-and-watch.ts';
import { type Run, refuseUsage, runInCluster } from './run-in-cluster.ts';
import { judgeWait, parseWaitFor, type WaitFor, waitReason } from './wait-condition.ts';
import { namespaceFor, type Wanted, wantedObjects } from './wanted-objects.ts';

export type WaitOptions = ClusterOptions & {
  readonly for: string;
  readonly timeout: string;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly all?: boolean;
};

export function waitCommand(args: readonly string[], options: WaitOptions, ports: Ports): Promise<number> {
  return runInCluster(options, ports, async (run) => {
    const parsed = parseWaitFor(options.for);
    if (parsed.kind === 'invalid')
      return refuseUsage(`--for: ${parsed.problems.map(formatProblem).join('; ')}`);
    const timeoutMs = durationMs('--timeout', options.timeout);
    const wanted = await wantedObjects(run.session, args);
    const objects = await awaitedObjects(run, wanted, options);
    if (objects.length === 0) {
      if (parsed.value.kind !== 'delete') run.complain('there is nothing to wait for: no object matches');
      return;
    }
    await waitFor(run, parsed.value, { objects, timeoutMs });
  });
}

type Waiting = { readonly objects: readonly AwaitedObject[]; readonly timeoutMs: number };

async function waitFor(run: Run, wanted: WaitFor, { objects, timeoutMs }: Waiting): Promise<void> {
  const { session, ports, complain } = run;
  const late = await awaitObjects(session, {
    ...{ objects, timeoutMs },
    judge: (_awaited, object) => judgeWait(wanted, object),
    onEnd: ({ resource, name }, verdict) => {
      if (verdict === 'met') ports.stdout(`${objectLabel(resource, name)} condition met\n`);
      else complain(`${resourceLabel(resource)} ${JSON.stringify(name)} not found`);
    },
  });
  const what = timeoutMs === 0 ? 'condition not met for' : 'timed out waiting for the condition on';
  for (const { awaited, object } of late) {
    complain(`${what} ${awaited.resource.plural}/${awaited.name}: ${waitReason(wanted, object)}`);
  }
}

async function awaitedObjects(
  { session }: Run,
  wanted: readonly Wanted[],
  options: WaitOptions,
): Promise<readonly AwaitedObject[]> {
  const objects: AwaitedObject[] = [];
  const isChosen = options.all === true || options.selector !== undefined;
  for (const { resource, names } of wanted) {
    const namespace = namespaceFor(session, resource, options);
    if (names !== undefined) {
      if (isChosen) refuseUsage('objects are chosen by name or by --all or -l, not by both');
      if (options.allNamespaces) refuseUsage('an object is named in one namespace: leave out its name or -A');
      objects.push(...names.map((name) => ({ resource, name, namespace: namespace ?? '' })));
      continue;
    }
    if (!isChosen) refuseUsage('no object is named: write KIND/NAME, or choose with --all or -l');
    const listed = await listAll(session, { resource, namespace, labelSelector: options.selector });
    for (const object of itemsOf(listed)) {
      objects.push({ resource, name: nameOf(object), namespace: namespaceOf(object) });
    }
  }
  return objects;
}
