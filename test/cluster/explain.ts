/** What one wants to see of a cluster on which a test has failed. */
import type { ClusterMachine } from './cluster-machine.ts';
import type { ControlPlane } from './control-plane.ts';

export type Explained = {
  readonly controlPlane: ControlPlane;
  readonly machines: readonly ClusterMachine[];
  readonly kubectl: (args: readonly string[]) => Promise<string>;
};

const LAST_LINES = 40;
const NAMESPACE = 'openshift-machine-config-operator';

export async function explainCluster({ controlPlane, machines, kubectl }: Explained): Promise<string> {
  const ask = async (...args: readonly string[]) => {
    const answer = await kubectl([...args, '--request-timeout=10s']).catch((error: unknown) => String(error));
    return `--- kubectl ${args.join(' ')}\n${answer}`;
  };
  const pods = await kubectl(['get', 'pods', '-n', NAMESPACE, '-o', 'name', '--request-timeout=10s']).catch(
    () => '',
  );
  return [
    await controlPlane.logs(),
    await ask('get', 'nodes', '-o', 'wide'),
    await ask('get', 'pods', '-A', '-o', 'wide'),
    await ask('get', 'events', '-A', '--sort-by=.lastTimestamp'),
    await ask('get', 'machineconfigpools,machineconfignodes', '-o', 'yaml'),
    ...(await Promise.all(
      pods
        .split('\n')
        .filter((pod) => pod !== '')
        .map((pod) => ask('logs', '-n', NAMESPACE, pod, `--tail=${LAST_LINES}`)),
    )),
    ...(await Promise.all(machines.map(explainMachine))),
  ].join('\n');
}

async function explainMachine({ name, machine }: ClusterMachine): Promise<string> {
  const units = ['kubelet', 'crio', 'containerd'].map((unit) => `--unit=${unit}.service`);
  const command = ['journalctl', '--no-pager', `--lines=${LAST_LINES}`, ...units];
  const journal = await machine.run(command, { allowsFailure: true }).then(
    ({ stdout, stderr }) => `${stdout}${stderr}`,
    (error: unknown) => String(error),
  );
  const console = (await machine.console()).split('\n').slice(-LAST_LINES).join('\n');
  return `--- ${name}, boot ${machine.boots}: console\n${console}\n--- ${name}: journal\n${journal}`;
}
