/**
 * What people do with kubectl, in every version that is there, against `millwright apiserver` as they would start it.
 * Nothing acts on the objects: the test plays the parts of controllers and kubelet.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { type FakeKubelet, startKubelet } from './fake-kubelet.ts';
import { findKubectls } from './find-kubectls.ts';
import { type KubectlSession, openSession } from './kubectl-session.ts';
import * as objects from './objects.ts';
import { type Apiserver, startApiserver } from './start-apiserver.ts';

const kubectls = await findKubectls();
const isRequired = process.env.MILLWRIGHT_REQUIRE_TOOLS === '1';

describe.skipIf(kubectls.length === 0 && !isRequired)('kubectl', () => {
  let server: Apiserver;
  let kubelet: FakeKubelet;
  beforeAll(async () => {
    expect(kubectls, 'no kubectl of 1.27 to 1.33 was found').not.toEqual([]);
    server = await startApiserver();
    kubelet = await startKubelet(server.certificate);
  });
  afterAll(async () => {
    await kubelet.stop();
    await server.stop();
  });

  describe.each(kubectls)('$version', ({ version, program }) => {
    const space = `story-${/1\.\d+/.exec(version)?.[0].replace('.', '-')}`;
    const group = `${space}.example.com`;
    const nodeName = `node-${space}`;
    let kubectl: KubectlSession;
    beforeAll(async () => {
      kubectl = await openSession(program, server.kubeconfig, space);
      await kubectl.ok(['create', 'namespace', space]);
      await kubectl.ok(['create', 'serviceaccount', 'default']);
    });
    afterAll(async () => kubectl.end());

    const apply = (text: string, ...flags: readonly string[]) =>
      kubectl.ok(['apply', ...flags, '-f', '-'], text);

    it('shows the server version and all served resources', async () => {
      expect(await kubectl.ok(['version'])).toMatch(/^Server Version: .*v1\.33\.\d+/m);
      const resources = await kubectl.ok(['api-resources']);
      for (const line of [
        /^pods +po +v1 +true +Pod$/m,
        /^deployments +deploy +apps\/v1 +true +Deployment$/m,
        /^machineconfigpools +mcp +machineconfiguration\.openshift\.io\/v1 +false +MachineConfigPool$/m,
      ]) {
        expect(resources).toMatch(line);
      }
    });

    it('applies objects on the client side', async () => {
      expect(await apply(objects.configMap('client', 'one'))).toBe('configmap/client created\n');
      expect(await apply(objects.configMap('client', 'one'))).toBe('configmap/client unchanged\n');
      expect(await apply(objects.configMap('client', 'two'))).toBe('configmap/client configured\n');
      const differs = await kubectl.run(['diff', '-f', '-'], objects.configMap('client', 'three'));
      expect([differs.code, differs.stdout]).toEqual([1, expect.stringContaining('+  k: three')]);
      expect(await apply(objects.configMap('client', 'x'), '--dry-run=server')).toBe(
        'configmap/client configured (server dry run)\n',
      );
      expect(await kubectl.ok(['get', 'configmap', 'client', '-o', 'jsonpath={.data.k}'])).toBe('two');
    });

    it('applies objects on the server side, and reports conflicts', async () => {
      expect(await apply(objects.configMap('server', 'one'), '--server-side')).toBe(
        'configmap/server serverside-applied\n',
      );
      const other = ['apply', '--server-side', '--field-manager=other', '-f', '-'];
      const refused = await kubectl.fails(other, objects.configMap('server', 'two'));
      expect(refused).toContain('Apply failed with 1 conflict: conflict with "kubectl": .data.k');
      await kubectl.ok([...other, '--force-conflicts'], objects.configMap('server', 'two'));
      const shown = await kubectl.ok(['get', 'configmap', 'server', '--show-managed-fields', '-o', 'json']);
      const managers = JSON.parse(shown).metadata.managedFields.map(
        (one: { manager: string }) => one.manager,
      );
      expect(managers).toEqual(['kubectl', 'other']);
    });

    it('rejects unknown fields', async () => {
      const text = objects.configMap('strict', 'one').replace('\ndata:', '\ndatta: {}\ndata:');
      expect(await kubectl.fails(['create', '-f', '-'], text)).toContain('unknown field "datta"');
    });

    it('lists objects in every output format, by label and by field', async () => {
      await apply(objects.configMap('listed', 'one'));
      await kubectl.ok(['create', 'configmap', 'unlabelled', '--from-literal=k=v']);
      expect(await kubectl.ok(['get', 'configmaps', '-o', 'wide'])).toMatch(/^NAME +DATA +AGE\n/);
      expect(await kubectl.ok(['get', 'configmap', 'listed', '-o', 'yaml'])).toMatch(
        /^apiVersion: v1\ndata:\n {2}k: one\nkind: ConfigMap\n/,
      );
      const labelled = await kubectl.ok(['get', 'configmaps', '-l', 'app=story', '-o', 'name']);
      expect(labelled).toContain('configmap/listed\n');
      expect(labelled).not.toContain('unlabelled');
      const selected = ['get', 'configmaps', '--field-selector', 'metadata.name=listed', '-o', 'name'];
      expect(await kubectl.ok(selected)).toBe('configmap/listed\n');
      expect(await kubectl.ok(['get', 'configmaps', '--chunk-size=1', '-o', 'name'])).toContain(
        'configmap/listed\n',
      );
      const label = await kubectl.ok(['get', 'cm', 'listed', '--show-labels']);
      expect(label).toMatch(/^NAME +DATA +AGE +LABELS\nlisted +1 +\S+ +app=story\n$/);
    });

    it('watches objects', async () => {
      const printed = await kubectl.until(
        ['get', 'configmaps', '--watch', '--field-selector', 'metadata.name=watched'],
        'watched',
        () => apply(objects.configMap('watched', 'one')),
      );
      expect(printed).toMatch(/^NAME +DATA +AGE\nwatched +1 +\d+s\n/);
    });

    it('describes objects', async () => {
      await apply(objects.configMap('described', 'one'));
      const text = await kubectl.ok(['describe', 'configmap', 'described']);
      expect(text).toMatch(/^Name: +described\nNamespace: +story-/);
      expect(text).toContain('k:\n----\none');
    });

    it('patches objects with JSON, merge and strategic patches', async () => {
      await apply(objects.deployment);
      const patch = (type: string, text: string) =>
        kubectl.ok(['patch', 'deployment', 'web', '--type', type, '--patch', text]);
      const image =
        '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"example.com/side:2"}]}}}}';
      expect(await patch('strategic', image)).toBe('deployment.apps/web patched\n');
      await patch('merge', '{"spec":{"paused":true}}');
      await patch('json', '[{"op":"replace","path":"/spec/revisionHistoryLimit","value":3}]');
      expect(await patch('merge', '{"spec":{"paused":true}}')).toBe(
        'deployment.apps/web patched (no change)\n',
      );
      const fields =
        'jsonpath={.spec.template.spec.containers[*].image} {.spec.paused} {.spec.revisionHistoryLimit}';
      expect(await kubectl.ok(['get', 'deployment', 'web', '-o', fields])).toBe(
        'example.com/web:1 example.com/side:2 true 3',
      );
    });

    it('scales a Deployment, and shows what its rollout waits for', async () => {
      await apply(objects.deployment);
      expect(await kubectl.ok(['scale', 'deployment/web', '--replicas=5'])).toBe(
        'deployment.apps/web scaled\n',
      );
      expect(await kubectl.ok(['get', 'deployment', 'web', '-o', 'wide'])).toMatch(
        /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR\nweb +0\/5 /,
      );
      await kubectl.ok(['set', 'image', 'deployment/web', 'main=example.com/web:9']);
      const image = await kubectl.ok(['get', 'deploy', 'web', '-o', 'jsonpath={..containers[0].image}']);
      expect(image).toBe('example.com/web:9');
    });

    it('replaces an object, and is rejected with an outdated resourceVersion', async () => {
      await apply(objects.configMap('replaced', 'one'));
      const old = await kubectl.ok(['get', 'configmap', 'replaced', '-o', 'yaml']);
      expect(await kubectl.ok(['replace', '-f', '-'], objects.configMap('replaced', 'two'))).toBe(
        'configmap/replaced replaced\n',
      );
      expect(await kubectl.fails(['replace', '-f', '-'], old.replace('k: one', 'k: three'))).toContain(
        'the object has been modified; please apply your changes to the latest version and try again',
      );
    });

    it('labels and annotates objects', async () => {
      await apply(objects.configMap('marked', 'one'));
      expect(await kubectl.ok(['label', 'configmap', 'marked', 'tier=front'])).toBe(
        'configmap/marked labeled\n',
      );
      expect(await kubectl.fails(['label', 'configmap', 'marked', 'tier=back'])).toContain(
        'already has a value (front), and --overwrite is false',
      );
      await kubectl.ok(['label', 'configmap', 'marked', 'tier-']);
      // The oldest version prints "annotate".
      expect(await kubectl.ok(['annotate', 'configmap', 'marked', 'note=hello'])).toMatch(
        /^configmap\/marked annotated?\n$/,
      );
      const marks = 'jsonpath={.metadata.labels}{.metadata.annotations.note}';
      expect(await kubectl.ok(['get', 'configmap', 'marked', '-o', marks])).toBe('{"app":"story"}hello');
    });

    it('deletes an object with a finalizer, and waits for it', async () => {
      const held = objects
        .configMap('held', 'one')
        .replace('  labels:', '  finalizers: [example.com/hold]\n  labels:');
      await apply(held);
      expect(await kubectl.ok(['delete', 'configmap', 'held', '--wait=false'])).toContain(
        'configmap "held" deleted',
      );
      const stamp = ['get', 'configmap', 'held', '-o', 'jsonpath={.metadata.deletionTimestamp}'];
      expect(await kubectl.ok(stamp)).toMatch(/^\d{4}-/);
      const waiting = kubectl.ok(['wait', '--for=delete', 'configmap/held', '--timeout=30s']);
      await kubectl.ok(['patch', 'cm', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
      await waiting;
      expect(await kubectl.fails(['get', 'configmap', 'held'])).toBe(
        'Error from server (NotFound): configmaps "held" not found\n',
      );
      expect(await kubectl.ok(['delete', 'configmaps', '-l', 'app=story'])).toContain('deleted');
    });

    it('explains built-in and custom kinds', async () => {
      const containers = await kubectl.ok(['explain', 'pod.spec.containers']);
      expect(containers).toMatch(/^KIND: +Pod\nVERSION: +v1\n/);
      expect(containers).toContain('imagePullPolicy');
      const pools = await kubectl.ok(['explain', 'machineconfigpool.spec.maxUnavailable']);
      expect(pools).toMatch(/KIND: +MachineConfigPool/);
      expect(await kubectl.fails(['explain', 'pod.spec.nothing'])).toContain('does not exist');
    });

    it('creates objects that newer versions send as protobuf', async () => {
      await kubectl.ok(['create', 'secret', 'generic', 'hidden', '--from-literal=k=v']);
      expect(await kubectl.ok(['get', 'secret', 'hidden', '-o', 'jsonpath={.data.k} {.type}'])).toBe(
        'dg== Opaque',
      );
      await kubectl.ok(['create', 'configmap', 'plain', '--from-literal=k=v']);
      expect(await kubectl.ok(['get', 'configmap', 'plain', '-o', 'jsonpath={.data}'])).toBe('{"k":"v"}');
    });

    it('checks permissions of users and tokens', async () => {
      expect(await kubectl.ok(['auth', 'can-i', 'delete', 'nodes'])).toBe('yes\n');
      const account = `system:serviceaccount:${space}:default`;
      expect((await kubectl.run(['auth', 'can-i', 'get', 'pods', '--as', account])).stdout).toBe('no\n');
      await kubectl.ok(['create', 'role', 'reader', '--verb=get', '--resource=pods']);
      await kubectl.ok([
        'create',
        'rolebinding',
        'reads',
        '--role=reader',
        `--serviceaccount=${space}:default`,
      ]);
      expect(await kubectl.ok(['auth', 'can-i', 'get', 'pods', '--as', account])).toBe('yes\n');
      expect(await kubectl.fails(['get', 'pods', '--as', account])).toContain(
        `pods is forbidden: User "${account}" cannot list resource "pods" in API group "" in the namespace "${space}"`,
      );
      const token = (await kubectl.ok(['create', 'token', 'default'])).trim();
      const raw = ['--token', token, '--client-certificate=', '--client-key='];
      expect((await kubectl.run(['auth', 'can-i', 'get', 'pods', ...raw])).code).toBe(0);
    });

    it('reports the message of a validation rule of a custom kind', async () => {
      await apply(objects.definition(group));
      // Up to 1.29 kubectl gives up on an object that has no conditions yet, also with a real server.
      await eventually('it has conditions', async () => {
        const conditions = await kubectl.ok([
          'get',
          `crd/boxes.${group}`,
          '-o',
          'jsonpath={.status.conditions}',
        ]);
        return conditions.includes('Established') ? true : undefined;
      });
      await kubectl.ok(['wait', '--for=condition=Established', `crd/boxes.${group}`, '--timeout=30s']);
      await eventually('the kind is served', async () => {
        const { code } = await kubectl.run(['get', `boxes.${group}`]);
        return code === 0 ? true : undefined;
      });
      const refused = await kubectl.fails(['apply', '-f', '-'], objects.box(group, 11));
      expect(refused).toContain(
        'The Box "one" is invalid: spec: Invalid value: "object": low must not exceed high',
      );
      await apply(objects.box(group, 3));
      const status = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}';
      await kubectl.ok([
        'patch',
        `boxes.${group}`,
        'one',
        '--subresource=status',
        '--type=merge',
        '-p',
        status,
      ]);
      await kubectl.ok(['wait', '--for=condition=Ready', `boxes.${group}/one`, '--timeout=30s']);
      expect(await kubectl.ok(['get', `boxes.${group}`])).toMatch(/^NAME +LOW +READY\none +3 +True\n$/);
      expect(await kubectl.ok(['get', `boxes.${group}`, '-o', 'wide'])).toMatch(
        /^NAME +LOW +READY +NOTE\none +3 +True +hello\n$/,
      );
      expect(await kubectl.ok(['explain', 'box.spec.low', `--api-version=${group}/v1`])).toContain(
        'The lower end.',
      );
    });

    it('reports the denial of an admission policy', async () => {
      await apply(objects.policy(`${space}-policy`, space));
      const forbidden = objects.configMap('bad', 'x').replace('app: story', 'forbidden: "yes"');
      const refused = await eventually('the policy is in force', async () => {
        const { code, stderr } = await kubectl.run(['create', '-f', '-'], forbidden);
        if (code !== 0) return stderr;
        await kubectl.ok(['delete', 'configmap', 'bad']);
        return undefined;
      });
      expect(refused).toContain(
        `ValidatingAdmissionPolicy '${space}-policy' with binding '${space}-policy' denied request: the label forbidden is not allowed`,
      );
    });

    it('prints the columns of the machine config kinds', async () => {
      const headers = async (...args: readonly string[]) =>
        (await kubectl.ok(['get', ...args])).split('\n')[0];
      const pool = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: ${space}}
spec:
  machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: worker}}
  nodeSelector: {matchLabels: {pool: ${space}}}
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: 99-${space}, labels: {pool: ${space}}}
spec:
  config: {ignition: {version: 3.2.0}}
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigNode
metadata: {name: ${nodeName}}
spec: {node: {name: ${nodeName}}, pool: {name: ${space}}, configVersion: {desired: rendered-a}}
`;
      await apply(pool);
      expect(await headers('mcp')).toMatch(
        /^NAME +CONFIG +UPDATED +UPDATING +DEGRADED +MACHINECOUNT +READYMACHINECOUNT +UPDATEDMACHINECOUNT +DEGRADEDMACHINECOUNT +AGE$/,
      );
      expect(await headers('mc')).toMatch(/^NAME +GENERATEDBYCONTROLLER +IGNITIONVERSION +AGE$/);
      expect(await kubectl.ok(['get', 'mc', `99-${space}`])).toMatch(/3\.2\.0 +\d+s\n$/);
      const wide = await headers('machineconfignode', '-o', 'wide');
      expect(wide?.split(/ +/)).toEqual(COLUMNS_OF_NODES);
    });

    it('shows nodes, cordons, drains against a budget, and uncordons', async () => {
      await kubectl.ok(['create', '-f', '-'], objects.node(nodeName, kubelet.port));
      expect(await kubectl.ok(['get', 'node', nodeName, '-o', 'wide'])).toMatch(
        /^NAME +STATUS +ROLES +AGE +VERSION +INTERNAL-IP +EXTERNAL-IP +OS-IMAGE +KERNEL-VERSION +CONTAINER-RUNTIME\n\S+ +Ready +worker +\d+s +v1\.33\.0 +127\.0\.0\.1 +<none> +Story Linux +6\.1\.0 +cri-o:\/\/1\.33\.0\n$/,
      );
      expect(await kubectl.ok(['describe', 'node', nodeName])).toMatch(/^Name: +node-story/);
      await apply(objects.replicaSet);
      await apply(objects.budget);
      await kubectl.ok(['create', '-f', '-'], objects.pod('guarded-1', nodeName));
      await server.playKubelet(space, 'guarded-1');
      await server.playDisruptionController(space, 'guard', 0);
      expect(await kubectl.ok(['get', 'pods', '-o', 'wide'])).toMatch(/guarded-1 +1\/1 +Running +0 /);

      expect(await kubectl.ok(['logs', 'guarded-1', '--tail=2'])).toBe(
        `line one of /containerLogs/${space}/guarded-1/main\nline two\n`,
      );
      expect(kubelet.asked.at(-1)).toContain('tailLines=2');
      const healthz = `/api/v1/nodes/${nodeName}/proxy/healthz?verbose=1`;
      expect(await kubectl.ok(['get', '--raw', healthz])).toBe('line one of /healthz\nline two\n');
      expect(kubelet.asked.at(-1)).toBe('/healthz?verbose=1');

      expect(await kubectl.ok(['cordon', nodeName])).toBe(`node/${nodeName} cordoned\n`);
      expect(await kubectl.ok(['get', 'node', nodeName])).toContain('Ready,SchedulingDisabled');
      const refused = await kubectl.fails(['drain', nodeName, '--ignore-daemonsets', '--timeout=2s']);
      expect(refused).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
      await server.playDisruptionController(space, 'guard', 1);
      const draining = kubectl.ok(['drain', nodeName, '--ignore-daemonsets', '--timeout=30s']);
      await server.playPodEnd(space, 'guarded-1');
      expect(await draining).toContain(`node/${nodeName} drained`);
      expect(await kubectl.ok(['uncordon', nodeName])).toBe(`node/${nodeName} uncordoned\n`);
    });
  });
});

const COLUMNS_OF_NODES =
  'NAME POOLNAME DESIREDCONFIG CURRENTCONFIG UPDATED AGE UPDATEPREPARED UPDATEEXECUTED UPDATEPOSTACTIONCOMPLETE UPDATECOMPLETE RESUMED UPDATEDFILESANDOS CORDONEDNODE DRAINEDNODE REBOOTEDNODE UNCORDONEDNODE DEGRADED'.split(
    ' ',
  );
