/**
 * `millwright wait`: waits until objects meet a condition, exist, or are gone.
 */

import { formatProblem } from '../../base/errors.ts';
import { nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { durationMs } from '../duration.ts';
import type { Ports } from '../ports.ts';
import { objectLabel, resourceLabel } from './api-resource.ts';
import { itemsOf, listAll } from './list-and-watch.ts';
import { namespaceFor, type ResourceSelection, selectResources } from './resource-selection.ts';
import { type Run, runInCluster, throwUsageError } from './run-in-cluster.ts';
import { checkWait, parseWaitFor, type WaitFor, waitReason } from './wait-condition.ts';
import { type ObjectReference, waitForObjects } from './wait-for-objects.ts';

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
      return throwUsageError(`--for: ${parsed.problems.map(formatProblem).join('; ')}`);
    const timeoutMs = durationMs('--timeout', options.timeout);
    const wanted = await selectResources(run.session, args);
    const objects = await objectsToWaitFor(run, wanted, options);
    if (objects.length === 0) {
      if (parsed.value.kind !== 'delete') run.reportError('nothing to wait for: no object matches');
      return;
    }
    await waitFor(run, parsed.value, { objects, timeoutMs });
  });
}

type WaitTargets = { readonly objects: readonly ObjectReference[]; readonly timeoutMs: number };

async function waitFor(run: Run, wanted: WaitFor, { objects, timeoutMs }: WaitTargets): Promise<void> {
  const { session, ports, reportError } = run;
  const unmet = await waitForObjects(session, {
    objects,
    timeoutMs,
    check: (_reference, object) => checkWait(wanted, object),
    onSettled: ({ resource, name }, result) => {
      if (result === 'met') ports.stdout(`${objectLabel(resource, name)} condition met\n`);
      else reportError(`${resourceLabel(resource)} ${JSON.stringify(name)} not found`);
    },
  });
  const what = timeoutMs === 0 ? 'condition not met for' : 'timed out waiting for the condition on';
  for (const { reference, object } of unmet) {
    reportError(`${what} ${reference.resource.plural}/${reference.name}: ${waitReason(wanted, object)}`);
  }
}

async function objectsToWaitFor(
  { session }: Run,
  wanted: readonly ResourceSelection[],
  options: WaitOptions,
): Promise<readonly ObjectReference[]> {
  const objects: ObjectReference[] = [];
  const isChosen = options.all === true || options.selector !== undefined;
  for (const { resource, names } of wanted) {
    const namespace = namespaceFor(session, resource, options);
    if (names !== undefined) {
      if (isChosen) throwUsageError('names cannot be combined with --all or -l');
      if (options.allNamespaces) throwUsageError('names cannot be combined with -A');
      objects.push(...names.map((name) => ({ resource, name, namespace: namespace ?? '' })));
      continue;
    }
    if (!isChosen) throwUsageError('no objects selected: give KIND/NAME, --all or -l');
    const listed = await listAll(session, { resource, namespace, labelSelector: options.selector });
    for (const object of itemsOf(listed)) {
      objects.push({ resource, name: nameOf(object), namespace: namespaceOf(object) });
    }
  }
  return objects;
}
