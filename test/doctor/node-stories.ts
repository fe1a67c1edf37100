/** Nodes that fail: real daemons on machines with faults, and what administrators do to them. */
import {
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../../src/api/index.ts';
import { Failure } from '../../src/base/errors.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { aUnit, POLICY } from '../daemon/a-config.ts';
import { NEW_OS, OLD_OS, REFUSED_OS } from '../daemon/daemon-node.ts';
import { REGISTRY } from '../daemon/image-registry.ts';
import { target } from '../rollout/story-steps.ts';
import {
  aConfig,
  aFile,
  aPool,
  type DoctorWorld,
  EXTENSIONS,
  MINUTE,
  removeRole,
  setReady,
  setRole,
  type Wrap,
} from './doctor-world.ts';
import type { Story } from './run-stories.ts';

const NAME = '60-story';

async function apply({ world }: DoctorWorld, spec: object): Promise<void> {
  await world.apply(aConfig(NAME, spec));
}

async function revert({ world }: DoctorWorld): Promise<void> {
  await world.kube.delete(machineConfigKind, { name: NAME });
}

/** Waits until the config is on all nodes. */
async function rollOut(scene: DoctorWorld, spec: object): Promise<void> {
  const before = await target(scene.world, 'worker');
  await apply(scene, spec);
  await scene.until('a new target', async () => (await target(scene.world, 'worker')) !== before);
  await scene.world.untilUpdated(['worker'], 30 * MINUTE);
}

const AS_IT_IS: Wrap = (handle) => handle;
const REFUSING =
  (status: number, code: string, message: string): Wrap =>
  () =>
  async () => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify({ errors: [{ code, message }] })),
  });

/** The nodes are to get an OS image that they cannot get. */
function pullStory(
  id: string,
  fault: { readonly wrap?: Wrap; readonly pullError?: string },
): Story<DoctorWorld> {
  return {
    id,
    async produce(scene) {
      Object.assign(scene.registry, fault);
      await apply(scene, { osImageURL: scene.registry.image });
    },
    async mend(scene) {
      Object.assign(scene.registry, { wrap: AS_IT_IS, pullError: '' });
      await revert(scene);
    },
  };
}

/** What has to be undone when the story is over. */
let undos: (() => void)[] = [];
const undo = () => {
  for (const one of undos) one();
  undos = [];
};

const KUBELET = aUnit('kubelet.service', 'kubelet', {
  contents: '[Unit]\nRequires=containerd.service\n[Service]\nExecStart=/usr/bin/kubelet\n',
});

export const NODE_STORIES: readonly Story<DoctorWorld>[] = [
  pullStory('S3-01', { wrap: REFUSING(401, 'UNAUTHORIZED', 'authentication required') }),
  pullStory('S3-02', { wrap: REFUSING(404, 'MANIFEST_UNKNOWN', 'manifest unknown') }),
  pullStory('S3-03', {
    wrap: () => async () => {
      throw new Failure('transient', 'ConnectionRefused', `dial tcp: lookup ${REGISTRY}: no such host`);
    },
  }),
  pullStory('S3-04', {
    pullError: 'Source image rejected: A signature was required, but no signature exists',
  }),
  pullStory('M-39', {
    pullError: `Digest did not match, expected sha256:${'0'.repeat(64)}, got sha256:${'1'.repeat(64)}`,
  }),
  pullStory('M-30', {
    pullError: `pinging container registry ${REGISTRY}: tls: failed to verify certificate: x509: certificate signed by unknown authority`,
  }),
  {
    id: 'S3-06',
    async produce(scene) {
      undos = scene.machines.map(({ disk }) =>
        disk.addFault({ path: '/machine/images', code: 'ENOSPC', calls: ['create', 'write'] }),
      );
      await apply(scene, { osImageURL: scene.registry.image });
    },
    async mend(scene) {
      undo();
      await revert(scene);
    },
  },
  {
    id: 'S3-07',
    async produce(scene) {
      for (const { machine } of scene.machines) machine.faults.isBootStuck = true;
      await apply(scene, aFile('/etc/x', 'needs a reboot'));
    },
    async mend(scene) {
      for (const { machine } of scene.machines) {
        machine.faults.isBootStuck = false;
        if (!machine.isUp) await machine.boot();
      }
      await revert(scene);
    },
  },
  {
    id: 'M-05',
    async produce(scene) {
      await apply(scene, aFile('/etc/x', 'needs a reboot'));
      const down = () => scene.machines.find(({ machine }) => !machine.isUp);
      await scene.until('a machine is down', async () => down() !== undefined);
      down()?.stopDaemon();
    },
    async mend(scene) {
      for (const machine of scene.machines) machine.startDaemon();
      await scene.world.untilUpdated(['worker'], 30 * MINUTE);
      await revert(scene);
    },
  },
  {
    id: 'S3-09',
    async produce(scene) {
      const problem = 'error: Installing kernel: No space left on device';
      undos = scene.machines.map(({ machine }) => {
        machine.faults.finalizeProblem = problem;
        return machine.onPower(({ kind }) => {
          if (kind === 'up') machine.faults.finalizeProblem = problem;
        });
      });
      await apply(scene, { osImageURL: NEW_OS });
    },
    async mend(scene) {
      undo();
      for (const { machine } of scene.machines) machine.faults.finalizeProblem = undefined;
      await revert(scene);
    },
  },
  {
    id: 'S3-10',
    async produce(scene) {
      await rollOut(scene, aFile('/etc/kept', 'kept\n'));
      await scene.machines[0]?.write('/etc/kept', 'by hand\n');
    },
    async mend(scene) {
      await scene.machines[0]?.write('/etc/kept', 'kept\n');
      await scene.pass(MINUTE);
      await revert(scene);
    },
    says: /content mismatch for file "\/etc\/kept"/,
  },
  {
    id: 'S3-11',
    async produce(scene) {
      await rollOut(scene, aFile('/etc/kept', 'kept\n'));
      for (const machine of scene.machines) machine.stopDaemon();
      for (const machine of scene.machines) await machine.write('/etc/kept', 'by hand\n');
      await scene.world.apply(aConfig('61-next', aFile('/etc/next', 'x')));
      await scene.pass(10_000);
      for (const machine of scene.machines) machine.startDaemon();
    },
    async mend(scene) {
      for (const machine of scene.machines) await machine.write('/etc/kept', 'kept\n');
      await scene.world.untilUpdated(['worker'], 30 * MINUTE);
      await scene.world.kube.delete(machineConfigKind, { name: '61-next' });
      await revert(scene);
    },
  },
  {
    id: 'S3-12',
    async produce(scene) {
      await rollOut(scene, { kernelArguments: ['story=1'] });
      const [first] = scene.machines;
      await first?.machine.host.os.changeKernelArguments({ remove: ['story=1'], append: [] });
      await first?.machine.shutDown();
      await first?.machine.boot();
    },
    async mend(scene) {
      const [first] = scene.machines;
      await first?.machine.host.os.changeKernelArguments({ remove: [], append: ['story=1'] });
      await first?.machine.shutDown();
      await first?.machine.boot();
      await scene.pass(MINUTE);
      await revert(scene);
    },
    says: /kernel arguments/,
  },
  {
    id: 'S3-13',
    // A rendering that no node of the pool can follow is refused. A node that joins the pool later may still not be able to.
    async produce({ world }) {
      await world.apply(aConfig('50-fips', { fips: true }, 'fips'));
      await world.kube.create(machineConfigPoolKind, aPool('fips', ['worker', 'fips']));
      await world.until('it is rendered', async () => (await target(world, 'fips')) !== '', MINUTE);
      await setRole(world, 'worker-0', 'fips');
    },
    async mend({ world }) {
      await removeRole(world, 'worker-0', 'fips');
      await world.kube.delete(machineConfigPoolKind, { name: 'fips' });
      await world.kube.delete(machineConfigKind, { name: '50-fips' });
    },
  },
  {
    id: 'M-03',
    async produce(scene) {
      await apply(scene, { config: { ignition: { version: '3.4.0' }, systemd: { units: [KUBELET] } } });
    },
    mend: revert,
    says: /it requires containerd\.service/,
  },
  {
    id: 'M-26',
    async produce(scene) {
      undos = scene.machines.map(({ disk }) =>
        disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] }),
      );
      await apply(scene, aFile('/etc/blocked', 'x'));
    },
    async mend(scene) {
      undo();
      await revert(scene);
    },
  },
  {
    id: 'M-25',
    async produce(scene) {
      // The file is written, the next one cannot be, and the first one cannot be taken back.
      undos = scene.machines.flatMap(({ disk }) => [
        disk.addFault({ path: '/rootfs/etc/second', code: 'EEXIST', calls: ['rename'] }),
        disk.addFault({ path: '/rootfs/etc/first', code: 'EIO', calls: ['unlink'] }),
      ]);
      const files = ['first', 'second'].map((name) => ({
        path: `/etc/${name}`,
        mode: 420,
        contents: { source: 'data:,x' },
      }));
      await apply(scene, { config: { ignition: { version: '3.4.0' }, storage: { files } } });
    },
    async mend(scene) {
      undo();
      await scene.world.untilUpdated(['worker'], 30 * MINUTE);
      await revert(scene);
    },
    before: ['NodeDegraded'],
  },
  {
    id: 'M-27',
    produce: (scene) => apply(scene, { osImageURL: REFUSED_OS }),
    mend: revert,
  },
  {
    id: 'S3-29',
    async produce(scene) {
      for (const { machine } of scene.machines) machine.faults.failingUnits.add('crio.service');
      const source = `data:,${encodeURIComponent(POLICY)}`;
      const files = [
        { path: '/etc/containers/policy.json', mode: 420, overwrite: true, contents: { source } },
      ];
      await apply(scene, { config: { ignition: { version: '3.4.0' }, storage: { files } } });
    },
    async mend(scene) {
      for (const { machine } of scene.machines) machine.faults.failingUnits.clear();
      await scene.world.untilUpdated(['worker'], 30 * MINUTE);
      await revert(scene);
    },
  },
  {
    id: 'S3-30',
    async produce(scene) {
      for (const { machine } of scene.machines) machine.faults.isRebootRefused = true;
      await apply(scene, aFile('/etc/x', 'needs a reboot'));
    },
    async mend(scene) {
      for (const { machine } of scene.machines) machine.faults.isRebootRefused = false;
      await scene.world.untilUpdated(['worker'], 30 * MINUTE);
      await revert(scene);
    },
  },
  {
    id: 'M-24',
    async produce(scene) {
      const [first] = scene.machines;
      first?.stopDaemon();
      await first?.write('/etc/machine-config-daemon/currentconfig', '{');
      const body = {
        metadata: {
          annotations: { 'machineconfiguration.openshift.io/currentConfig': 'rendered-worker-gone' },
        },
      };
      await scene.world.kube.patch(nodeKind, { name: 'worker-0' }, { type: 'merge', body });
      first?.startDaemon();
    },
  },
  {
    id: 'S3-26',
    async produce(scene) {
      await scene.components.controller.stop();
      const body = {
        metadata: {
          annotations: { 'machineconfiguration.openshift.io/desiredConfig': 'rendered-worker-gone' },
        },
      };
      await scene.world.kube.patch(nodeKind, { name: 'worker-0' }, { type: 'merge', body });
      await scene.pass(30_000);
    },
    async mend(scene) {
      scene.startController();
      await scene.pass(MINUTE);
    },
  },
  {
    id: 'S3-34',
    async produce(scene) {
      for (const machine of scene.machines) machine.stopDaemon();
      await apply(scene, aFile('/etc/x', 'x'));
    },
    async mend(scene) {
      for (const machine of scene.machines) machine.startDaemon();
      await scene.world.untilUpdated(['worker'], 30 * MINUTE);
      await revert(scene);
    },
  },
  {
    id: 'M-04',
    async produce(scene) {
      scene.machines[2]?.machine.cutPower();
    },
    async mend(scene) {
      await scene.machines[2]?.machine.boot();
    },
  },
  {
    id: 'S3-19',
    async produce(scene) {
      scene.machines[2]?.machine.cutPower();
      await apply(scene, aFile('/etc/x', 'x'));
    },
    async mend(scene) {
      await scene.machines[2]?.machine.boot();
      await setReady(scene.world, 'worker-2', true);
      await scene.world.untilUpdated(['worker'], 30 * MINUTE);
      await revert(scene);
    },
    says: /the pool waits for it, since no more than 1 of its nodes may be unavailable/,
  },
  {
    id: 'S3-31',
    async produce(scene) {
      // After the boot, rpm does not know them.
      scene.registry.lacksPackages = true;
      await apply(scene, { extensions: ['usbguard'], baseOSExtensionsContainerImage: EXTENSIONS });
    },
  },
  {
    id: 'S3-08',
    async produce(scene) {
      await rollOut(scene, { osImageURL: NEW_OS });
      const [first] = scene.machines;
      await first?.machine.host.os.rebase(OLD_OS);
      await first?.machine.shutDown();
      await first?.machine.boot();
    },
  },
];
