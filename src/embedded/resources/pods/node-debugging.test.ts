import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { nodeDebuggingProblem, noProgramsText } from './node-debugging.ts';

const ALL = '(status | ls PATH | cat PATH | touch PATH | pull IMAGE | reboot)';
const text = (action: string) =>
  `containers of this cluster run no programs; use instead: millwright node worker-0 ${action}`;

type PodParts = {
  readonly name?: string;
  readonly nodeName?: string;
  readonly annotations?: JsonObject;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
};

function aPod({ name = 'a', nodeName = 'worker-0', annotations = {}, command, args }: PodParts): JsonObject {
  const container: JsonObject = {
    name: 'debugger',
    ...(command === undefined ? {} : { command: [...command] }),
    ...(args === undefined ? {} : { args: [...args] }),
  };
  const spec = { containers: [container], ...(nodeName === '' ? {} : { nodeName }) };
  return { metadata: { name, namespace: 'default', annotations }, spec };
}

const DEBUGGER = 'node-debugger-worker-0-x7k2p';

describe('nodeDebuggingProblem', () => {
  it('rejects the pods of kubectl debug node/NAME and of oc debug node/NAME', () => {
    expect(nodeDebuggingProblem(aPod({ name: DEBUGGER }))).toBe(text(ALL));
    const annotations = { 'debug.openshift.io/source-resource': '/v1, Resource=nodes/worker-0' };
    expect(nodeDebuggingProblem(aPod({ name: 'worker-0-debug-x', annotations }))).toBe(text(ALL));
  });

  it.each<[string, PodParts]>([
    ['is not bound to a node', { name: DEBUGGER, nodeName: '' }],
    ['is bound to another node', { name: DEBUGGER, nodeName: 'worker-1' }],
    ['has another name', { name: 'node-debugger' }],
    [
      'is a copy of a pod, made by oc debug',
      { annotations: { 'debug.openshift.io/source-resource': '/v1, Resource=pods/a' } },
    ],
  ])('admits a pod that %s', (_, parts) => {
    expect(nodeDebuggingProblem(aPod(parts))).toBeUndefined();
  });

  it('names the equivalent of the command', () => {
    const command = ['chroot', '/host', 'cat', '/etc/containers/registries.conf'];
    expect(nodeDebuggingProblem(aPod({ name: DEBUGGER, command }))).toBe(
      text('cat /etc/containers/registries.conf'),
    );
    const args = ['touch', '/run/machine-config-daemon-force'];
    expect(nodeDebuggingProblem(aPod({ name: DEBUGGER, command: ['chroot', '/host'], args }))).toBe(
      text('touch /run/machine-config-daemon-force'),
    );
  });
});

describe('noProgramsText', () => {
  it.each<[string, string]>([
    ['chroot /host crictl pull nginx:1.25', 'pull nginx:1.25'],
    ['chroot /rootfs ls -l /etc', 'ls /etc'],
    ['/usr/bin/podman pull --quiet quay.io/a@sha256:0', 'pull quay.io/a@sha256:0'],
    ['chroot /host rpm-ostree status', 'status'],
    ['chroot /host systemctl reboot', 'reboot'],
    ['cat etc/hosts', ALL],
    ['crictl pull', ALL],
    ['bash', ALL],
    ['', ALL],
  ])('for %j names %s', (command, action) => {
    expect(noProgramsText('worker-0', command.split(' '))).toBe(text(action));
  });

  it('repeats no argument that a shell would interpret', () => {
    expect(noProgramsText('worker-0', ['cat', '/etc/a; rm -rf /'])).toBe(text(ALL));
    expect(noProgramsText('worker-0', ['cat', '/etc/a\nb'])).toBe(text(ALL));
  });

  it('names any node where the pod has none', () => {
    expect(noProgramsText('', [])).toContain('millwright node NAME ');
  });
});
