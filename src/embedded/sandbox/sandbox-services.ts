/**
 * The services of a sandbox. There are no processes: a service is active once it was started, unless a fault is injected.
 */
import { isObject, own } from '../../base/json.ts';
import { listed, settings, type UnitFile } from '../../config/systemd/index.ts';
import type { HostFiles } from '../../node/host/index.ts';
import { findTarget, findUnit, type HostRoot, UNIT_FOLDERS } from '../../node/host/index.ts';
import { MACHINE, type StateStore } from './sandbox-state.ts';

export type ServiceState = {
  readonly name: string;
  readonly state: 'active' | 'inactive' | 'failed';
  /** In this boot. */
  readonly starts: number;
  readonly reloads: number;
};

const SERVICES = `${MACHINE}/services.json`;
const MAX_BYTES = 4 * 1024 ** 2;

export class ServiceBook {
  readonly #store: StateStore;
  readonly #at: HostRoot;

  constructor(store: StateStore, at: Pick<HostRoot, 'disk' | 'random'>) {
    this.#store = store;
    this.#at = { ...at, root: '/' };
  }

  async all(): Promise<readonly ServiceState[]> {
    const place = await findTarget(this.#at, SERVICES);
    if (place === undefined) return [];
    const rows: unknown = JSON.parse(
      new TextDecoder().decode(await this.#at.disk.read(place.path, MAX_BYTES)),
    );
    return Array.isArray(rows) ? rows.filter(isService) : [];
  }

  async find(name: string): Promise<ServiceState> {
    const known = (await this.all()).find((one) => one.name === name);
    return known ?? { name, state: 'inactive', starts: 0, reloads: 0 };
  }

  async put(services: readonly ServiceState[]): Promise<void> {
    const byName = new Map((await this.all()).map((one) => [one.name, one]));
    for (const one of services) byName.set(one.name, one);
    await this.replace([...byName.keys()].sort().flatMap((name) => byName.get(name) ?? []));
  }

  async replace(services: readonly ServiceState[]): Promise<void> {
    await this.#store.writeFile(SERVICES, `${JSON.stringify(services)}\n`);
  }
}

function isService(row: unknown): row is ServiceState {
  return isObject(row) && typeof own(row, 'name') === 'string' && typeof own(row, 'state') === 'string';
}

/** The result of starting a service, or why systemd does not start it. */
export function startedState(unit: UnitFile, isFailing: boolean): ServiceState['state'] {
  if (isFailing) return 'failed';
  const isOneshot = settings(unit, 'Service', 'Type').at(-1) === 'oneshot';
  const remains = /^(yes|true|on|1)$/.test(settings(unit, 'Service', 'RemainAfterExit').at(-1) ?? '');
  return isOneshot && !remains ? 'inactive' : 'active';
}

/** Wanted units of the targets and their dependencies, filtered by their conditions. */
export async function wantedUnits(files: HostFiles): Promise<readonly { name: string; unit: UnitFile }[]> {
  const names = new Set<string>();
  for (const folder of UNIT_FOLDERS) {
    for (const entry of (await files.list(folder)) ?? []) {
      if (!/\.target\.(wants|requires)$/.test(entry)) continue;
      for (const name of (await files.list(`${folder}/${entry}`)) ?? []) names.add(name);
    }
  }
  const units = new Map<string, UnitFile>();
  // Units added during the iteration are visited too.
  for (const name of names) {
    const found = await findUnit(files, name);
    if (found === undefined || found.isMasked || !(await isConditionMet(files, found.unit))) continue;
    units.set(name, found.unit);
    for (const needed of ['Requires', 'Wants'].flatMap((key) => listed(found.unit, 'Unit', key))) {
      if (needed.endsWith('.service')) names.add(needed);
    }
  }
  return [...units.keys()].sort().flatMap((name) => {
    const unit = units.get(name);
    return unit === undefined ? [] : [{ name, unit }];
  });
}

async function isConditionMet(files: HostFiles, unit: UnitFile): Promise<boolean> {
  for (const path of listed(unit, 'Unit', 'ConditionPathExists')) {
    const isNegated = path.startsWith('!');
    const isThere = (await files.stat(isNegated ? path.slice(1) : path)) !== undefined;
    if (isThere === isNegated) return false;
  }
  return true;
}
