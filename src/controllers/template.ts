/**
 * Template: the base MachineConfigs of every role, from the templates of this release and the ControllerConfig.
 *
 *     templates/, ControllerConfig, pull secret ──> baseConfigs() ──> MachineConfigs 00-*, 01-* (ours), 99-*-ssh (users')
 *                                                               └──> ControllerConfig.status
 *
 * Generated MachineConfigs are restored whenever they are modified or deleted; labels and annotations of others stay. The
 * SSH keys in `99-<role>-ssh` belong to users: it is created once and never changed again.
 *
 * With the base `none` there are no base configs: those that an earlier process with another base has generated are deleted.
 */

import {
  CONFIG_NAMESPACE,
  CONTROLLER_CONFIG_NAME,
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  type MachineConfig,
  machineConfig as machineConfigKind,
  PULL_SECRET,
} from '../api/index.ts';
import { formatProblem, invalid, type Outcome, ok } from '../base/errors.ts';
import { jsonEqual } from '../base/json.ts';
import { base64Bytes, formatTimestamp } from '../base/text/index.ts';
import { controllerCertificates } from '../certificates/index.ts';
import { baseConfigs, type TemplateTree } from '../config/render/index.ts';
import { type Cache, type Controller, done, type Next } from '../kubernetes/client/index.ts';
import { controllerReference } from '../kubernetes/meta/index.ts';
import { type Secret, secret as secretKind } from '../kubernetes/types/index.ts';
import type { Context } from './context.ts';
import { type Phase, statusAfter } from './controller-config-status.ts';
import { createIfAbsent } from './create-if-absent.ts';
import { hasDrifted, writeGenerated } from './generated-config.ts';
import { noteCompleted } from './metrics/sub-controller-state.ts';

/** The only key: all base configs are written together. */
const KEY = 'base-configs';
const FIELD_MANAGER = 'machine-config-controller-template';
const PULL_SECRET_TYPE = 'kubernetes.io/dockerconfigjson';
const PULL_SECRET_KEY = '.dockerconfigjson';

export type TemplateOptions = {
  readonly templates: TemplateTree;
  readonly roles: readonly string[];
};

export function createTemplateController(context: Context, options: TemplateOptions): Controller {
  const { caches, settings } = context;
  const controllerConfigs = caches.of(controllerConfigKind);
  const machineConfigs = caches.of(machineConfigKind);
  const sources: TemplateSources = { controllerConfigs, machineConfigs };
  const named = { namespace: CONFIG_NAMESPACE, fieldSelector: `metadata.name=${PULL_SECRET}` };
  // Without base configs it is none of ours.
  const pullSecrets = settings.base === 'none' ? [] : [caches.of(secretKind, named)];
  return {
    name: 'template',
    workers: 1,
    caches: [controllerConfigs, machineConfigs, ...pullSecrets],
    watch(enqueue) {
      controllerConfigs.onChange(({ before, after }) => {
        if (after === undefined || jsonEqual(before?.spec, after.spec)) return;
        enqueue(KEY);
      });
      machineConfigs.onChange(({ before, after }) => {
        // Restored even if the change removed the owner reference.
        const isConcerned = [before, after].some((one) => one !== undefined && isOurs(one));
        if (isConcerned && hasDrifted(before, after)) enqueue(KEY);
      });
      for (const cache of pullSecrets) {
        cache.onChange(({ before, after }) => {
          if (!jsonEqual(before?.data, after?.data) || before?.type !== after?.type) enqueue(KEY);
        });
      }
      enqueue(KEY);
    },
    reconcile: () => writeBaseConfigs(context, sources, options),
  };
}

type TemplateSources = {
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly machineConfigs: Cache<MachineConfig>;
};

function isOurs({ metadata }: MachineConfig): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind === controllerConfigKind.kind);
}

async function writeBaseConfigs(
  context: Context,
  sources: TemplateSources,
  options: TemplateOptions,
): Promise<Next> {
  const controllerConfig = sources.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
  if (controllerConfig === undefined) return done;
  const { release, settings } = context;
  if (settings.base === 'none') {
    await removeBaseConfigs(context, sources);
    await report(context, controllerConfig, { kind: 'completed', version: release.version });
    return done;
  }
  const pullSecret = await readPullSecret(context, controllerConfig);
  const generated =
    pullSecret.kind === 'invalid'
      ? pullSecret
      : baseConfigs(options.templates, {
          controllerConfig: controllerConfig.spec,
          pullSecret: pullSecret.value,
          controllerVersion: release.controllerVersion,
          roles: options.roles,
        });
  if (generated.kind === 'invalid') {
    const error = generated.problems.map((problem) => problem.discreet ?? formatProblem(problem)).join('; ');
    await report(context, controllerConfig, { kind: 'failing', version: release.version, error });
    return done;
  }
  for (const machineConfig of generated.value) {
    await writeBaseConfig(context, sources.machineConfigs.get({ name: machineConfig.metadata.name }), {
      machineConfig,
      controllerConfig,
    });
    noteCompleted(context, 'template', machineConfig.metadata.name);
  }
  await report(context, controllerConfig, { kind: 'completed', version: release.version });
  return done;
}

/** Not those of users, `99-<role>-ssh`. */
async function removeBaseConfigs({ kube }: Context, { machineConfigs }: TemplateSources): Promise<void> {
  for (const { metadata } of [...machineConfigs.all()].filter(isOurs)) {
    const { name, uid } = metadata;
    await kube.delete(machineConfigKind, { name }, uid === undefined ? {} : { uid });
  }
}

/**
 * Empty where none is named: plain clusters do not need one. One that is named and gone is an error, so that nodes keep what they
 * have: without it none of them could pull anything.
 */
async function readPullSecret({ kube }: Context, { spec }: ControllerConfig): Promise<Outcome<string>> {
  const { name = '', namespace = '' } = spec.pullSecret ?? {};
  if (name === '' || namespace === '') return ok('');
  const found: Secret | undefined = await kube.get(secretKind, { name, namespace });
  const wrong = (message: string) => invalid([{ path: `Secret ${namespace}/${name}`, message }]);
  if (found === undefined) {
    return wrong(
      `it does not exist: create it again, with the value {"auths":{}} where nodes are to have no credentials`,
    );
  }
  if (found.type !== PULL_SECRET_TYPE) {
    return wrong(`expected secret type ${PULL_SECRET_TYPE} found ${found.type ?? 'Opaque'}`);
  }
  const bytes = base64Bytes(found.data?.[PULL_SECRET_KEY] ?? '');
  return ok(new TextDecoder().decode(bytes));
}

type BaseConfig = { readonly machineConfig: MachineConfig; readonly controllerConfig: ControllerConfig };

async function writeBaseConfig(
  { kube }: Context,
  existing: MachineConfig | undefined,
  { machineConfig, controllerConfig }: BaseConfig,
): Promise<void> {
  const isUsers = machineConfig.metadata.name.endsWith('-ssh');
  if (isUsers) {
    if (existing === undefined) await createIfAbsent(() => kube.create(machineConfigKind, machineConfig));
    return;
  }
  const owned = withOwner(machineConfig, controllerConfig);
  await writeGenerated(kube, owned, { existing, fieldManager: FIELD_MANAGER });
}

function withOwner(machineConfig: MachineConfig, { metadata }: ControllerConfig): MachineConfig {
  const owner = controllerReference(controllerConfigKind, metadata);
  return { ...machineConfig, metadata: { ...machineConfig.metadata, ownerReferences: [owner] } };
}

async function report(
  { kube, env }: Context,
  controllerConfig: ControllerConfig,
  phase: Phase,
): Promise<void> {
  const now = formatTimestamp(env.clock.now());
  const { certificates, problems } = controllerCertificates(controllerConfig.spec);
  const status = statusAfter(controllerConfig, { phase, now, certificates });
  if (jsonEqual(status, controllerConfig.status)) return;
  for (const problem of problems) env.log.warn('certificate of the ControllerConfig left out', { problem });
  const place = { name: controllerConfig.metadata.name };
  const { uid, resourceVersion } = controllerConfig.metadata;
  // With the resourceVersion: the times of conditions depend on the last status.
  const body = { metadata: { uid, resourceVersion }, status };
  await kube.patch(controllerConfigKind, place, { type: 'merge', body }, { subresource: 'status' });
}
