/**
 * Node disruption policies: the actions of a node when a file, a unit or the SSH keys change, so that not every
 * change needs a reboot.
 *
 * Users set policies in the spec of MachineConfiguration; its status holds the ones in effect: the defaults,
 * overridden by the users'.
 */
import {
  type Infer,
  list,
  object,
  oneOf,
  required,
  type Schema,
  string,
  type ValidationRule,
} from '../kubernetes/schema/index.ts';
import { matching } from './rules.ts';
import { unionMember } from './union-rule.ts';

const disruptionActionTypes = ['Reboot', 'Drain', 'Reload', 'Restart', 'DaemonReload', 'None'] as const;

/** `Special` is used by the defaults only: users cannot set it. */
const statusActionTypes = [...disruptionActionTypes, 'Special'] as const;

export const nodeDisruptionPolicy = policies(
  'Actions of nodes for configuration changes that do not need a reboot. Changes of the OS image, kernel arguments, kernel type, extensions and FIPS mode always reboot.',
  disruptionActionTypes,
  50,
);
export type NodeDisruptionPolicy = Infer<typeof nodeDisruptionPolicy>;

export const nodeDisruptionPolicyStatus = object('Policies in effect.', {
  clusterPolicies: policies(
    'The default policies, overridden and extended by those of the spec.',
    statusActionTypes,
    100,
  ),
});
type NodeDisruptionPolicyStatus = Infer<typeof nodeDisruptionPolicyStatus>;
export type ClusterDisruptionPolicies = NonNullable<NodeDisruptionPolicyStatus['clusterPolicies']>;
export type DisruptionAction = NonNullable<ClusterDisruptionPolicies['sshkey']>['actions'][number];

function policies<const Types extends readonly string[]>(
  description: string,
  types: Types,
  maxEntries: number,
) {
  return object(description, {
    files: list(
      'Actions for changes of files.',
      object('One file, or one directory with everything in it.', {
        path: required(string('Path on the node.')),
        actions: required(actions(types)),
      }),
      { maxItems: maxEntries, list: { map: ['path'] } },
    ),
    units: list(
      'Actions for changes of systemd units.',
      object('One unit.', {
        name: required(unitName('Full name of the unit, such as chronyd.service.')),
        actions: required(actions(types)),
      }),
      { maxItems: maxEntries, list: { map: ['name'] } },
    ),
    sshkey: object('Actions for changes of the SSH keys of the user core.', {
      actions: required(actions(types)),
    }),
  });
}

function actions<const Types extends readonly string[]>(types: Types) {
  const action = object(
    'One action.',
    {
      type: required(
        oneOf(
          'Type of the action: reboot, drain, reload or restart a service, reload the systemd daemon, or none.',
          types,
        ),
      ),
      reload: service('Service to reload, for the type Reload.'),
      restart: service('Service to restart, for the type Restart.'),
    },
    {
      rules: [
        unionMember({ field: 'reload', by: 'type', value: 'Reload' }),
        unionMember({ field: 'restart', by: 'type', value: 'Restart' }),
      ],
    },
  );
  return list(
    'Actions in order. Reboot and None must be the only action. If another change needs a reboot, only the reboot is performed.',
    action,
    { maxItems: 10, list: 'atomic', rules: [standalone('Reboot'), standalone('None')] },
  );
}

function standalone(type: string): ValidationRule {
  return {
    rule: `self.all(action, action.type != '${type}') || self.size() == 1`,
    message: `${type} action can only be specified standalone, as it will override any other actions`,
  };
}

function service(description: string) {
  return object(description, {
    serviceName: required(unitName('Full name of the unit, such as crio.service.')),
  });
}

function unitName(description: string): Schema<string> {
  return string(description, {
    maxLength: 255,
    rules: [
      matching(
        '\\.(service|socket|device|mount|automount|swap|target|path|timer|snapshot|slice|scope)$',
        `Invalid \${SERVICETYPE} in service name. Expected format is \${NAME}\${SERVICETYPE}, where \${SERVICETYPE} must be one of ".service", ".socket", ".device", ".mount", ".automount", ".swap", ".target", ".path", ".timer",".snapshot", ".slice" or ".scope".`,
      ),
      matching(
        '^[a-zA-Z0-9:._\\\\-]+\\..',
        `Invalid \${NAME} in service name. Expected format is \${NAME}\${SERVICETYPE}, where {NAME} must be atleast 1 character long and can only consist of alphabets, digits, ":", "-", "_", ".", and "\\"`,
      ),
    ],
  });
}
