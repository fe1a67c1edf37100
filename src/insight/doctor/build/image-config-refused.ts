/**
 * A MachineOSConfig from which nothing can be built. The codes are the reasons of its condition Degraded; of builds that
 * failed see `build-failed.ts`.
 */
import { machineOSConfig as machineOSConfigKind } from '../../../api/index.ts';
import { stringAt } from '../../../base/json-fields.ts';
import { conditionOf, nameOf } from '../../../kubernetes/meta/index.ts';
import type { NextCommand } from '../finding.ts';
import { condition, conditionSince, named } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

type Advice = (config: {
  readonly name: string;
  readonly pool: string;
  readonly namespace: string;
  readonly object: unknown;
}) => NextCommand;

const edit: Advice = ({ name }) => ({
  command: shell`kubectl edit machineosconfig ${name}`,
  why: 'a change starts a new build',
});
const secrets: Advice = ({ namespace }) => ({
  command: shell`kubectl -n ${namespace} get secrets --field-selector type=kubernetes.io/dockerconfigjson`,
  why: 'the secrets that can be used',
});

/** By reason. */
const ADVICE: { readonly [reason: string]: Advice } = {
  AnotherMachineOSConfig: () => ({ command: 'kubectl get machineosconfigs', why: 'delete one of the two' }),
  PoolNotFound: () => ({
    command: 'kubectl get machineconfigpools',
    why: 'create the pool, or delete the MachineOSConfig',
  }),
  NameTooLong: edit,
  InvalidPushSpec: edit,
  SecretNotFound: secrets,
  InvalidSecret: secrets,
  NotCoreOS: () => ({ command: 'kubectl get nodes -o wide', why: 'move the node to another pool' }),
  NoOSImage: ({ pool }) => ({
    command: shell`kubectl get machineconfigs -l machineconfiguration.openshift.io/role=${pool}`,
    why: 'one of them has to set spec.osImageURL',
  }),
  InvalidContainerfile: edit,
  InvalidPreBuiltImage: ({ name }) => ({
    command: shell`kubectl annotate --overwrite machineosconfig ${name} machineconfiguration.openshift.io/pre-built-image=IMAGE@sha256:DIGEST`,
    why: 'by digest',
  }),
  RegistryError: ({ namespace, object }) => ({
    command: shell`kubectl -n ${namespace} describe secret ${stringAt(object, 'spec', 'renderedImagePushSecret', 'name')}`,
    why: 'the credentials for this registry; it is tried again by itself',
  }),
  ObjectRefused: ({ name }) => ({
    command: shell`kubectl describe machineosconfig ${name}`,
    why: 'the whole answer of the server',
  }),
};

export const imageConfigRefused: Rule = {
  codes: [
    'AnotherMachineOSConfig',
    'PoolNotFound',
    'NameTooLong',
    'InvalidPushSpec',
    'SecretNotFound',
    'InvalidSecret',
    'NotCoreOS',
    'NoOSImage',
    'InvalidContainerfile',
    'InvalidPreBuiltImage',
    'RegistryError',
    'ObjectRefused',
  ],
  stage: 'build',
  find({ snapshot, namespace }) {
    return snapshot.all(machineOSConfigKind).flatMap((object) => {
      const degraded = conditionOf(object, 'Degraded');
      const advice = ADVICE[degraded?.reason ?? ''];
      if (degraded?.status !== 'True' || advice === undefined) return [];
      const name = nameOf(object);
      const pool = stringAt(object, 'spec', 'machineConfigPool', 'name');
      const about = named(machineOSConfigKind.kind, object);
      return [
        {
          code: degraded.reason,
          cause: `no OS image can be built for pool ${pool}: ${degraded.message}`,
          about,
          pools: [pool],
          ...conditionSince(object, 'Degraded'),
          evidence: condition(about, object, 'Degraded'),
          next: [
            advice({ name, pool, namespace, object }),
            { command: shell`millwright builds ${pool}`, why: 'its builds so far' },
          ],
        },
      ];
    });
  },
};
