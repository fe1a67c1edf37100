/**
 * Commands on nodes, as `kubectl debug node/…` and `kubectl exec` request them. Containers of the embedded cluster run no
 * programs: such a request is rejected at once with the command to use instead, before a pod is left behind that never ends.
 */
import type { JsonObject } from '../../../base/json.ts';
import { objectsAt, optionalStringAt, stringAt } from '../../../base/json-fields.ts';

/** Written by `oc debug node/NAME`. */
const OC_SOURCE = 'debug.openshift.io/source-resource';
const OC_NODE = /Resource=nodes\//;

/** Why the pod is rejected; undefined where it is no pod for debugging a node. */
export function nodeDebuggingProblem(pod: JsonObject): string | undefined {
  const node = stringAt(pod, 'spec', 'nodeName');
  if (node === '') return undefined;
  const isOfKubectl = stringAt(pod, 'metadata', 'name').startsWith(`node-debugger-${node}-`);
  const isOfOc = OC_NODE.test(optionalStringAt(pod, 'metadata', 'annotations', OC_SOURCE) ?? '');
  if (!isOfKubectl && !isOfOc) return undefined;
  const [container = {}] = objectsAt(pod, 'spec', 'containers');
  return noProgramsText(node, [...textsAt(container, 'command'), ...textsAt(container, 'args')]);
}

/** What to use in place of a command. `node` is empty where it is not known. */
export function noProgramsText(node: string, command: readonly string[]): string {
  const name = node === '' ? 'NAME' : node;
  return `containers of this cluster run no programs; use instead: millwright node ${name} ${actionOf(command)}`;
}

const ACTIONS = '(status | ls PATH | cat PATH | touch PATH | pull IMAGE | reboot)';
/** Needs no quotes in a shell. */
const PLAIN = /^[\w./:@%+,=-]{1,512}$/;

/** The equivalent action of `millwright node`, or all of them. */
function actionOf(command: readonly string[]): string {
  const [program = '', ...rest] = withoutChroot(command);
  const tool = program.slice(program.lastIndexOf('/') + 1);
  const last = rest.at(-1) ?? '';
  const isPlain = PLAIN.test(last) && !last.startsWith('-');
  if (['cat', 'ls', 'touch'].includes(tool) && isPlain && last.startsWith('/')) return `${tool} ${last}`;
  if (['crictl', 'podman'].includes(tool) && rest[0] === 'pull' && rest.length > 1 && isPlain) {
    return `pull ${last}`;
  }
  if (tool === 'rpm-ostree' && rest[0] === 'status') return 'status';
  if (tool === 'reboot' || (tool === 'systemctl' && rest[0] === 'reboot')) return 'reboot';
  return ACTIONS;
}

function withoutChroot(command: readonly string[]): readonly string[] {
  const isChroot = /(^|\/)chroot$/.test(command[0] ?? '') && ['/host', '/rootfs'].includes(command[1] ?? '');
  return isChroot ? command.slice(2) : command;
}

function textsAt(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}
