/**
 * The MachineConfigs that are generated from one object, and what is recorded on the object about them: its name suffix,
 * their names as finalizers, its status.
 *
 * The order of writes is safe to interrupt: finalizers first, then the MachineConfigs, then obsolete MachineConfigs and
 * their finalizers are removed.
 */
import { annotations, type MachineConfig, machineConfig as machineConfigKind } from '../api/index.ts';
import { Failure } from '../base/errors.ts';
import { jsonEqual } from '../base/json.ts';
import { formatTimestamp } from '../base/text/index.ts';
import {
  type GeneratedKind,
  type GeneratingObject,
  isConfigName,
  type SettingsStatus,
  suffixText,
  type Verdict,
} from '../config/settings/index.ts';
import type { Cache, ResourceOf } from '../kubernetes/client/index.ts';
import type { Context } from './context.ts';
import { writeGenerated } from './generated-config.ts';

const FIELD_MANAGER = 'machine-config-controller-generated';

type Kind<T> = {
  readonly resource: ResourceOf<T>;
  readonly generatedKind: GeneratedKind;
  readonly statusOf: (object: T, verdict: Verdict, now: string) => SettingsStatus;
};

type Known<T> = { readonly object: T; readonly machineConfigs: Cache<MachineConfig> };

export class ObjectConfigs<T extends GeneratingObject> {
  readonly #context: Context;
  readonly #kind: Kind<T>;
  readonly #machineConfigs: Cache<MachineConfig>;
  /** As the server last returned it. */
  #object: T;

  constructor(context: Context, kind: Kind<T>, { object, machineConfigs }: Known<T>) {
    this.#context = context;
    this.#kind = kind;
    this.#object = object;
    this.#machineConfigs = machineConfigs;
  }

  /** Writes these, and deletes those that were generated before under other names. */
  async write(wanted: {
    readonly suffix: number;
    readonly configs: readonly MachineConfig[];
  }): Promise<void> {
    const names = wanted.configs.map(({ metadata }) => metadata.name);
    const stale = this.#ownNames().filter((name) => !names.includes(name));
    await this.#withContext('could not add finalizers to', () =>
      this.#mark([...new Set([...this.#finalizers(), ...stale, ...names])], suffixText(wanted.suffix)),
    );
    for (const config of wanted.configs) {
      await this.#withContext('could not Create/Update MachineConfig', () => this.#put(config));
    }
    for (const name of stale) await this.#remove(name);
    await this.#mark([...this.#foreignFinalizers(), ...names], suffixText(wanted.suffix));
  }

  /** Keeps existing MachineConfigs, but marks them with this release: otherwise no pool would be rendered with them. */
  async keep(): Promise<void> {
    const { controllerVersion } = this.#context.release;
    for (const name of this.#ownNames()) {
      const existing = this.#machineConfigs.get({ name });
      const version = existing?.metadata.annotations?.[annotations.generatedByControllerVersion];
      if (existing === undefined || !this.#isOwner(existing) || version === controllerVersion) continue;
      const changes = { [annotations.generatedByControllerVersion]: controllerVersion };
      const body = { metadata: { uid: existing.metadata.uid, annotations: changes } };
      await this.#context.kube.patch(machineConfigKind, { name }, { type: 'merge', body });
    }
  }

  /** Before the object is deleted: deletes everything that was generated from it. */
  async removeAll(): Promise<void> {
    for (const name of this.#ownNames()) await this.#remove(name);
    if (this.#finalizers().some((name) => this.#isOurName(name))) {
      await this.#mark(this.#foreignFinalizers(), undefined);
    }
  }

  async report(verdict: Verdict): Promise<void> {
    const { kube, env } = this.#context;
    const now = formatTimestamp(env.clock.now());
    const status = this.#kind.statusOf(this.#object, verdict, now);
    if (jsonEqual(status, this.#object.status)) return;
    const { name, uid, resourceVersion } = this.#object.metadata;
    // With the resourceVersion: the new status depends on the last one.
    const body = { metadata: { uid, resourceVersion }, status };
    const patch = { type: 'merge', body } as const;
    this.#object = await kube.patch(this.#kind.resource, { name }, patch, { subresource: 'status' });
  }

  #finalizers(): readonly string[] {
    return this.#object.metadata.finalizers ?? [];
  }

  /** Finalizers of others stay. */
  #foreignFinalizers(): readonly string[] {
    return this.#finalizers().filter((name) => !this.#isOurName(name));
  }

  #isOurName(name: string): boolean {
    return isConfigName(this.#kind.generatedKind, name);
  }

  /** The names of MachineConfigs that may have been generated from it: by its finalizers and by the cache. */
  #ownNames(): readonly string[] {
    const names = new Set(this.#finalizers().filter((name) => this.#isOurName(name)));
    for (const one of this.#machineConfigs.all()) if (this.#isOwner(one)) names.add(one.metadata.name);
    return [...names].sort();
  }

  #isOwner({ metadata }: MachineConfig): boolean {
    return (metadata.ownerReferences ?? []).some(({ uid }) => uid === this.#object.metadata.uid);
  }

  /** Finalizers are replaced as a whole list, so the resourceVersion is required. */
  async #mark(finalizers: readonly string[], suffix: string | undefined): Promise<void> {
    const { name, uid, resourceVersion, annotations: given } = this.#object.metadata;
    const isNumbered = suffix === undefined || given?.[annotations.mcNameSuffix] === suffix;
    if (jsonEqual(finalizers, this.#finalizers()) && isNumbered) return;
    const metadata = {
      ...{ uid, resourceVersion, finalizers },
      ...(isNumbered ? {} : { annotations: { [annotations.mcNameSuffix]: suffix } }),
    };
    const patch = { type: 'merge', body: { metadata } } as const;
    this.#object = await this.#context.kube.patch(this.#kind.resource, { name }, patch);
  }

  async #put(wanted: MachineConfig): Promise<void> {
    const { kube } = this.#context;
    // The cache may not show our last write yet.
    const existing = await kube.get(machineConfigKind, { name: wanted.metadata.name });
    await writeGenerated(kube, wanted, { existing, fieldManager: FIELD_MANAGER });
  }

  /** Only if it is ours: a finalizer may have been copied from another object, or the name reused by one. */
  async #remove(name: string): Promise<void> {
    const existing = await this.#context.kube.get(machineConfigKind, { name });
    if (existing === undefined) return;
    const owners = existing.metadata.ownerReferences ?? [];
    const isAnothers = owners.some(
      ({ kind, uid }) => kind === this.#kind.resource.kind && uid !== this.#object.metadata.uid,
    );
    if (isAnothers) return;
    const { uid } = existing.metadata;
    await this.#context.kube.delete(machineConfigKind, { name }, uid === undefined ? {} : { uid });
  }

  /** A refusal that will persist is reported on the object too. */
  async #withContext(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (error instanceof Failure && error.kind === 'stalled') {
        const place = what.endsWith(' to') ? `${what} ${this.#kind.resource.kind}` : what;
        await this.report({ kind: 'refused', message: `${place}: ${error.message}` });
      }
      throw error;
    }
  }
}
