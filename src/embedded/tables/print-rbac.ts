/**
 * Printers of RoleBindings and ClusterRoleBindings.
 */
import { listAt, stringAt } from '../../base/json-fields.ts';
import { CLUSTER_ROLE_BINDING, ROLE_BINDING } from './descriptions-rbac.ts';
import { age, name, printer, text, wide } from './printer.ts';

const columns = [
  name,
  text('Role', roleOf),
  age,
  wide('Users', (binding) => subjectsOf(binding, 'User')),
  wide('Groups', (binding) => subjectsOf(binding, 'Group')),
  wide('ServiceAccounts', (binding) => subjectsOf(binding, 'ServiceAccount')),
];

export const roleBindingPrinter = printer(ROLE_BINDING, columns);
export const clusterRoleBindingPrinter = printer(CLUSTER_ROLE_BINDING, columns);

function roleOf(binding: unknown): string {
  return `${stringAt(binding, 'roleRef', 'kind')}/${stringAt(binding, 'roleRef', 'name')}`;
}

function subjectsOf(binding: unknown, kind: 'User' | 'Group' | 'ServiceAccount'): string {
  return listAt(binding, 'subjects')
    .filter((subject) => stringAt(subject, 'kind') === kind)
    .map((subject) => {
      const subjectName = stringAt(subject, 'name');
      return kind === 'ServiceAccount' ? `${stringAt(subject, 'namespace')}/${subjectName}` : subjectName;
    })
    .join(', ');
}
