/**
 * Registry mirrors for all nodes: a pool is paused, an ImageTagMirrorSet applied, the rendered config inspected, the pool
 * unpaused. Then more mirror sets, invalid ones, and none.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseRegistriesConf } from '../../src/config/registries/registries-conf.ts';
import { pushImage } from '../../src/images/index.ts';
import { eventually } from '../contract/eventually.ts';
import { osImage } from '../registry/base-os.ts';
import { client } from '../registry/registries.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { bootId, currentConfig, isCordoned, type NodeCourse, nodesDuring } from './node-states.ts';
import { moved, pause, retargeted, targetOf } from './pool-updates.ts';
import { packageRoot } from './program.ts';

const WORKERS = ['worker-0', 'worker-1'];
const NODES = ['master-0', ...WORKERS];
const CONF = 'etc/containers/registries.conf';
/** The name of the cluster's own registry on nodes. */
const REGISTRY = 'image-registry.openshift-image-registry.svc:5000';
const NAMESPACE = 'openshift-machine-config-operator';

/** No request may leave the machine, so the first registry for short names is mirrored without its source. */
const DOCKER_HUB = tagMirrors('docker-hub', [
  { source: 'docker.io', mirrors: [`${REGISTRY}/docker-hub`] },
  {
    source: 'registry.access.redhat.com',
    mirrors: [`${REGISTRY}/redhat`],
    mirrorSourcePolicy: 'NeverContactSource',
  },
]);
const DOCKER_HUB_CONF = `unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]
short-name-mode = ""
additional-layer-store-auth-helper = ""

[[registry]]
  prefix = ""
  location = "docker.io"

  [[registry.mirror]]
    location = "${REGISTRY}/docker-hub"
    pull-from-mirror = "tag-only"

[[registry]]
  prefix = ""
  location = "registry.access.redhat.com"
  blocked = true

  [[registry.mirror]]
    location = "${REGISTRY}/redhat"
    pull-from-mirror = "tag-only"
`;

withKubectl('mirrors for images', () => {
  let cluster: Cluster;
  /** The file of nodes without mirrors. */
  let base = '';
  /** Targets of the pools before each story. */
  let before = { master: '', worker: '' };

  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', '50', '--control-plane', '1', '--workers', '2']);
    base = confOf('master-0');
    const host = / registry=(\S+)$/m.exec(cluster.up.stdout())?.[1] ?? '';
    await pushImage(client(), { host, repository: 'docker-hub/library/nginx', tag: '1.25' }, await osImage());
  });
  afterAll(() => cluster.end());

  const confOf = (node: string) => readFileSync(cluster.onNode(node, CONF), 'utf8');
  const registriesOn = (node: string) => {
    const conf = parseRegistriesConf(confOf(node));
    return conf.kind === 'ok' ? conf.value.registries : [];
  };
  const mirrorsOn = (node: string) =>
    new Map(
      registriesOn(node).map(({ prefix, location, mirrors }) => [
        prefix || location,
        mirrors.map((mirror) => mirror.location),
      ]),
    );
  const sourcesOn = (node: string) => [...mirrorsOn(node).keys()];
  const look = async () => {
    before = { master: await targetOf(cluster, 'master'), worker: await targetOf(cluster, 'worker') };
  };
  const bothMoved = async () => {
    await moved(cluster, 'master', before.master);
    await moved(cluster, 'worker', before.worker);
  };
  const rendered = async () =>
    (await cluster.kubectl(['get', 'mc'])).split('\n').filter((line) => line.startsWith('rendered'));
  const renderedFor = async (pool: string) =>
    (await rendered()).filter((line) => line.startsWith(`rendered-${pool}-`)).length;
  const events = async (reason: string) =>
    await cluster.kubectl([
      'get',
      'events',
      '--all-namespaces',
      '--field-selector',
      `reason=${reason}`,
      '-o',
      'jsonpath={range .items[*]}{.involvedObject.name}: {.message}{"\\n"}{end}',
    ]);
  const expectNoReboot = async (course: NodeCourse) => {
    for (const node of NODES) expect(course.of(node, bootId), node).toHaveLength(1);
    const restarts = '{.items[*].status.containerStatuses[*].restartCount}';
    const daemons = ['get', 'pods', '-n', NAMESPACE, '-l', 'k8s-app=machine-config-daemon'];
    expect(await cluster.kubectl([...daemons, '-o', `jsonpath=${restarts}`])).toBe('0 0 0');
  };

  it('are rendered for a paused pool without updating nodes', async () => {
    await look();
    await pause(cluster, 'worker', true);
    const course = await nodesDuring(cluster, async () => {
      await cluster.apply(DOCKER_HUB);
      const target = await retargeted(cluster, 'worker', before.worker);
      expect((await rendered()).filter((line) => line.startsWith(`${target} `))).toHaveLength(1);
      // The other pool is done with it meanwhile.
      await moved(cluster, 'master', before.master);
    });
    for (const worker of WORKERS) {
      expect([confOf(worker), course.of(worker, currentConfig)]).toEqual([base, [before.worker]]);
    }
    expect(confOf('master-0')).toBe(DOCKER_HUB_CONF);
    const columns = /^worker +rendered-worker-\S+ +False +False +False +2 +0 +0 +0 /m;
    expect(await cluster.kubectl(['get', 'mcp'])).toMatch(columns);
  });

  it('are rolled out to every worker once unpaused: drained one at a time, CRI-O reloaded, no reboot', async () => {
    const target = await targetOf(cluster, 'worker');
    const course = await nodesDuring(cluster, async () => {
      await pause(cluster, 'worker', false);
      await moved(cluster, 'worker', before.worker);
    });
    for (const worker of WORKERS) {
      expect(confOf(worker), worker).toBe(DOCKER_HUB_CONF);
      expect(course.of(worker, currentConfig), worker).toEqual([before.worker, target]);
      expect(course.of(worker, isCordoned), worker).toEqual([false, true, false]);
      const log = readFileSync(join(cluster.dataDir, 'nodes', worker, 'log'), 'utf8');
      expect(log.match(/Running: systemctl reload crio/g), worker).toHaveLength(1);
    }
    expect(course.atOnce(isCordoned)).toBe(1);
    await expectNoReboot(course);
    const messages = await events('ServiceReload');
    for (const node of NODES) {
      expect(messages).toContain(`${node}: Config changes do not require reboot. Service crio was reloaded.`);
    }
  });

  it('are written to registries.conf, not to a drop-in', () => {
    for (const node of NODES) {
      expect(existsSync(cluster.onNode(node, 'etc/containers/registries.conf.d')), node).toBe(false);
    }
  });

  it('are used for pulls of a node', async () => {
    const args = ['node', 'worker-0', 'pull', 'nginx:1.25', '--data-dir', cluster.dataDir];
    const program = join(packageRoot, 'dist/main.js');
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...args]);
    const lines = stderr.split('\n').filter((line) => !line.startsWith('Copying '));
    expect(lines).toEqual([
      'Resolving "nginx" using unqualified-search registries (/etc/containers/registries.conf)',
      `Trying to pull ${REGISTRY}/redhat/nginx:1.25...`,
      `  reading manifest 1.25 in ${REGISTRY}/redhat/nginx: manifest unknown`,
      'Trying to pull registry.access.redhat.com/nginx:1.25...',
      '  registry registry.access.redhat.com is blocked in /etc/containers/registries.conf or /etc/containers/registries.conf.d',
      `Trying to pull ${REGISTRY}/docker-hub/library/nginx:1.25...`,
      '',
    ]);
    expect(stdout).toMatch(/^Image is up to date for docker\.io\/library\/nginx@sha256:[0-9a-f]{64}\n$/);
  });

  it('for digests only do not cordon a node', async () => {
    await look();
    const course = await nodesDuring(cluster, async () => {
      await cluster.apply(digestMirrors('quay', [{ source: 'quay.io/team', mirrors: [`${REGISTRY}/quay`] }]));
      await bothMoved();
    });
    for (const node of NODES) {
      expect(course.of(node, isCordoned), node).toEqual([false]);
      expect(confOf(node)).toContain(
        `"quay.io/team"\n\n  [[registry.mirror]]\n    location = "${REGISTRY}/quay"\n    pull-from-mirror = "digest-only"\n`,
      );
    }
    await expectNoReboot(course);
  });

  it('applied together are rendered and rolled out once per pool', async () => {
    await look();
    const count = { master: await renderedFor('master'), worker: await renderedFor('worker') };
    const course = await nodesDuring(cluster, async () => {
      await cluster.apply(...['one', 'two', 'three'].map(someMirrors));
      await bothMoved();
    });
    expect(await renderedFor('master')).toBe(count.master + 1);
    expect(await renderedFor('worker')).toBe(count.worker + 1);
    for (const node of NODES) {
      expect(course.of(node, currentConfig), node).toHaveLength(2);
      expect(course.of(node, isCordoned), node).toEqual([false, true, false]);
      expect(sourcesOn(node)).toEqual(
        expect.arrayContaining(['one.example', 'two.example', 'three.example']),
      );
    }
  });

  it('applied one by one to a paused pool are one rollout once it is unpaused', async () => {
    await look();
    await pause(cluster, 'worker', true);
    await pause(cluster, 'master', true);
    let target = before.worker;
    for (const name of ['four', 'five', 'six']) {
      await cluster.apply(someMirrors(name));
      target = await retargeted(cluster, 'worker', target);
    }
    const course = await nodesDuring(cluster, async () => {
      await pause(cluster, 'worker', false);
      await pause(cluster, 'master', false);
      await bothMoved();
    });
    for (const worker of WORKERS) {
      expect(course.of(worker, currentConfig), worker).toEqual([before.worker, target]);
      expect(sourcesOn(worker)).toEqual(
        expect.arrayContaining(['four.example', 'five.example', 'six.example']),
      );
    }
    expect(course.of('master-0', currentConfig)).toHaveLength(2);
  });

  it('that conflict are reported on both objects, while others are applied', async () => {
    await look();
    const source = 'docker.io';
    await cluster.apply(
      tagMirrors('contrary', [
        { source, mirrors: [`${REGISTRY}/other`], mirrorSourcePolicy: 'NeverContactSource' },
      ]),
      someMirrors('good'),
    );
    await bothMoved();
    for (const node of NODES) {
      expect(mirrorsOn(node).get('good.example')).toEqual([`${REGISTRY}/good`]);
      expect(mirrorsOn(node).get(source)).toEqual([`${REGISTRY}/docker-hub`]);
    }
    const text = `conflicting mirrorSourcePolicy is set for the same source "${source}" in imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies; until this is fixed, nodes keep their present configuration for this source`;
    // A controller that was moved by a drain repeats the events.
    const messages = await eventually('both have events', async () => {
      const lines = new Set((await events('ConflictingMirrorSets')).trimEnd().split('\n'));
      return lines.size === 2 ? [...lines].sort() : undefined;
    });
    expect(messages).toEqual([`contrary: ${text}`, `docker-hub: ${text}`]);
    expect(await cluster.kubectl(['describe', 'itms', 'contrary'])).toMatch(
      /Warning +ConflictingMirrorSets .*conflicting mirrorSourcePolicy/,
    );
  });

  it('are removed from nodes when deleted', async () => {
    await look();
    const course = await nodesDuring(cluster, async () => {
      await cluster.kubectl(['delete', 'itms,idms', '--all']);
      await bothMoved();
    });
    for (const node of NODES) expect(confOf(node), node).toBe(base);
    await expectNoReboot(course);
  });
});

type Mirrors = {
  readonly source: string;
  readonly mirrors: readonly string[];
  readonly mirrorSourcePolicy?: string;
};

function tagMirrors(name: string, imageTagMirrors: readonly Mirrors[]): string {
  return mirrorSet('ImageTagMirrorSet', name, { imageTagMirrors });
}

function digestMirrors(name: string, imageDigestMirrors: readonly Mirrors[]): string {
  return mirrorSet('ImageDigestMirrorSet', name, { imageDigestMirrors });
}

function mirrorSet(kind: string, name: string, spec: object): string {
  return JSON.stringify({ apiVersion: 'config.openshift.io/v1', kind, metadata: { name }, spec });
}

/** A mirror set with its own source. */
function someMirrors(name: string): string {
  return tagMirrors(name, [{ source: `${name}.example`, mirrors: [`${REGISTRY}/${name}`] }]);
}
