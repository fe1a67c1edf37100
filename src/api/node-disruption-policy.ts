/**
 * Node disruption policies: what a node has to do when a file, a unit or the SSH keys change, so that not every
 * change costs a reboot.
 *
 * Users state theirs in the spec of MachineConfiguration; its status holds the ones in force, which are the
 * defaults with the users' in their place.
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

/** `Special` is for the defaults alone: users cannot ask for it. */
const statusActionTypes = [...disruptionActionTypes, 'Special'] as const;

export const nodeDisruptionPolicy = policies(
  'What nodes do when parts of their configuration change, where a reboot is not needed. Changes of the OS image, of kernel arguments, kernel type, extensions and FIPS mode always reboot.',
  disruptionActionTypes,
  50,
);
export type NodeDisruptionPolicy = Infer<typeof nodeDisruptionPolicy>;

export const nodeDisruptionPolicyStatus = object('The policies in force.', {
  clusterPolicies: policies(
    'The defaults, with those of the spec in their place or behind them.',
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
      'What to do when a file changes.',
      object('One file, or one directory with all that is in it.', {
        path: required(string('Where the file is on the node.')),
        actions: required(actions(types)),
      }),
      { maxItems: maxEntries, list: { map: ['path'] } },
    ),
    units: list(
      'What to do when a systemd unit changes.',
      object('One unit.', {
        name: required(unitName('The full name of the unit, such as chronyd.service.')),
        actions: required(actions(types)),
      }),
      { maxItems: maxEntries, list: { map: ['name'] } },
    ),
    sshkey: object('What to do when the SSH keys of the user core change.', {
      actions: required(actions(types)),
    }),
  });
}

function actions<const Types extends readonly string[]>(types: Types) {
  const action = object(
    'One thing to do.',
    {
      type: required(
        oneOf(
          'What: reboot, drain, reload or restart a service, make systemd read its units again, or nothing.',
          types,
        ),
      ),
      reload: service('The service to reload, with the type Reload.'),
      restart: service('The service to restart, with the type Restart.'),
    },
    {
      rules: [
        unionMember({ field: 'reload', by: 'type', value: 'Reload' }),
        unionMember({ field: 'restart', by: 'type', value: 'Restart' }),
      ],
    },
  );
  return list(
    'What to do, in this order. Reboot and None stand alone. If anything else that changes needs a reboot, that is all that happens.',
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
    serviceName: required(unitName('The full name of the unit, such as crio.service.')),
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
