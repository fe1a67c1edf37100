/**
 * The commands of every installed version of kubectl: creation of each kind, RBAC, rollouts, pruning, and clear errors for
 * unsupported features.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKubectls } from './find-kubectls.ts';
import { type KubectlSession, openSession } from './kubectl-session.ts';
import * as objects from './objects.ts';
import { type Apiserver, startApiserver } from './start-apiserver.ts';

const kubectls = await findKubectls();
const isRequired = process.env.MILLWRIGHT_REQUIRE_TOOLS === '1';

describe.skipIf(kubectls.length === 0 && !isRequired)('commands of kubectl', () => {
  let server: Apiserver;
  let folder: string;
  beforeAll(async () => {
    expect(kubectls, 'no kubectl of 1.27 to 1.33 was found').not.toEqual([]);
    server = await startApiserver();
    folder = await mkdtemp(join(tmpdir(), 'millwright-commands-'));
    await writeFile(join(folder, 'tls.crt'), server.certificate.cert);
    await writeFile(join(folder, 'tls.key'), server.certificate.key);
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  describe.each(kubectls)('$version', ({ version, program }) => {
    const space = `make-${/1\.\d+/.exec(version)?.[0].replace('.', '-')}`;
    const account = `system:serviceaccount:${space}:robot`;
    let kubectl: KubectlSession;
    beforeAll(async () => {
      kubectl = await openSession(program, server.kubeconfig, space);
      await kubectl.ok(['create', 'namespace', space]);
      await kubectl.ok(['create', 'serviceaccount', 'default']);
      await kubectl.ok(['create', 'serviceaccount', 'robot']);
    });
    afterAll(async () => kubectl.end());

    /** Each line is a `create` command that must succeed. */
    const createAll = async (lines: readonly string[]): Promise<void> => {
      for (const line of lines) {
        expect(await kubectl.ok(['create', ...line.split(' ')]), line).toMatch(/ created\n$/);
      }
    };

    it('creates configuration and workloads of every served kind', async () => {
      await createAll([
        'configmap settings --from-literal=a=b',
        'secret generic opaque --from-literal=a=b',
        'secret docker-registry pull --docker-server=x --docker-username=u --docker-password=p',
        `secret tls certificate --cert=${folder}/tls.crt --key=${folder}/tls.key`,
        'deployment web --image=example.com/web:1 --replicas=2 --port=80',
        'job once --image=example.com/once:1 -- echo hello',
        'poddisruptionbudget guard --selector=app=web --min-available=1',
        'service clusterip inside --tcp=80:8080',
        'service nodeport outside --tcp=80',
        'service loadbalancer balanced --tcp=80',
        'service externalname elsewhere --external-name=example.com',
      ]);
      expect(await kubectl.ok(['run', 'single', '--image=example.com/single:1', '--restart=Never'])).toBe(
        'pod/single created\n',
      );
      expect(await kubectl.ok(['expose', 'deployment', 'web', '--port=80', '--name=exposed'])).toBe(
        'service/exposed exposed\n',
      );
      const types = 'jsonpath={.items[*].type}';
      expect((await kubectl.ok(['get', 'secrets', '-o', types])).split(' ').sort()).toEqual([
        'Opaque',
        'kubernetes.io/dockerconfigjson',
        'kubernetes.io/tls',
      ]);
      const fields = 'jsonpath={.spec.replicas} {..containers[0].ports[0].containerPort}';
      expect(await kubectl.ok(['get', 'deployment', 'web', '-o', fields])).toBe('2 80');
      const command = 'jsonpath={..containers[0].command} {.spec.completions}';
      expect(await kubectl.ok(['get', 'job', 'once', '-o', command])).toBe('["echo","hello"] 1');
      expect(await kubectl.ok(['get', 'service', 'inside'])).toMatch(
        /inside +ClusterIP +10\.96\.\S+ +<none> +80\/TCP/,
      );
      expect(await kubectl.ok(['get', 'all'])).toContain('deployment.apps/web');
    });

    it('creates roles and their bindings, and reconciles them', async () => {
      await createAll([
        'role reader --verb=get,list --resource=pods,deployments.apps',
        `rolebinding reads --role=reader --serviceaccount=${space}:robot`,
        `clusterrole ${space}-nodes --verb=get --resource=nodes`,
        `clusterrole ${space}-paths --verb=get --non-resource-url=/x`,
        `clusterrole ${space}-gathered --aggregation-rule=example.com/in=it`,
        `clusterrolebinding ${space}-nodes --clusterrole=${space}-nodes --group=somebody`,
      ]);
      const role = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: ${space}}
rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]
`;
      expect(await kubectl.ok(['auth', 'reconcile', '-f', '-'], role)).toContain('reader reconciled\n');
      const rules = ['get', 'role', 'reader', '-o', 'jsonpath={.rules[*].resources}'];
      expect(await kubectl.ok(rules)).toContain('["secrets"]');
      expect(await kubectl.ok(['set', 'subject', 'rolebinding', 'reads', '--user=else'])).toContain(
        'updated',
      );
    });

    it('checks permissions with auth can-i and the user with auth whoami', async () => {
      const may = async (...args: readonly string[]) =>
        (await kubectl.run(['auth', 'can-i', ...args])).stdout;
      expect(await may('get', '/x')).toBe('yes\n');
      expect(await may('get', 'pods', '--subresource=log', '--as', account)).toBe('no\n');
      expect(await may('list', 'deployments.apps', '--as', account)).toBe('yes\n');
      expect(await may('get', 'nodes', '--as=x', '--as-group=somebody')).toBe('yes\n');
      const list = await may('--list', '--as', account);
      expect(list).toMatch(/^Resources +Non-Resource URLs +Resource Names +Verbs\n/);
      expect(list).toMatch(/^pods +\[\] +\[\] +\[get list\]$/m);
      expect(list).toMatch(/^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]$/m);
      expect(await may('--list')).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
      const whoami = await kubectl.run(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}']);
      // The oldest version requests an API version that is no longer served.
      if (whoami.code === 0) expect(whoami.stdout).toBe('millwright-admin');
      else expect([minorOf(version), whoami.stderr]).toEqual([27, expect.stringContaining('not enabled')]);
    });

    it('creates tokens, also ones bound to an object', async () => {
      const { exp, iat } = claimsOf(await kubectl.ok(['create', 'token', 'robot', '--duration=20m']));
      expect(Number(exp) - Number(iat)).toBe(1200);
      await kubectl.ok(['create', 'secret', 'generic', 'bound']);
      const bound = ['create', 'token', 'robot', '--bound-object-kind=Secret', '--bound-object-name=bound'];
      const claims = claimsOf(await kubectl.ok([...bound, '--audience=vault']));
      expect(claims).toMatchObject({ aud: ['vault'], 'kubernetes.io': { secret: { name: 'bound' } } });
      const refused = await kubectl.fails(['create', 'token', 'nobody']);
      expect(refused).toContain('serviceaccounts "nobody" not found');
    });

    it('scales a Deployment and waits for its rollout', async () => {
      await kubectl.ok(['apply', '-f', '-'], objects.deployment);
      expect(await kubectl.ok(['scale', 'deployment/web', '--replicas=3'])).toContain('scaled');
      const wrong = ['scale', 'deployment/web', '--current-replicas=9', '--replicas=1'];
      expect(await kubectl.fails(wrong)).toContain('xpected replicas to be 9, was 3');
      const status = ['rollout', 'status', 'deployment/web'];
      const waiting = await kubectl.run([...status, '--timeout=1s']);
      expect([waiting.code, waiting.stdout]).toEqual([1, expect.stringContaining('Waiting for deployment')]);
      await server.playDeployment(space, 'web');
      expect(await kubectl.ok(status)).toContain('deployment "web" successfully rolled out');
    });

    it('restarts, pauses and undoes a rollout', async () => {
      await kubectl.ok(['apply', '-f', '-'], objects.deployment);
      await server.playRevision(space, 'web', 1);
      expect(await kubectl.ok(['rollout', 'restart', 'deployment/web'])).toContain('restarted');
      await kubectl.ok(['set', 'image', 'deployment/web', 'main=example.com/web:2']);
      await server.playRevision(space, 'web', 2);
      expect(await kubectl.ok(['rollout', 'history', 'deployment/web'])).toMatch(/^1 +<none>\n2 +<none>$/m);
      const shown = await kubectl.ok(['rollout', 'history', 'deployment/web', '--revision=2']);
      expect(shown).toContain('example.com/web:2');
      expect(await kubectl.ok(['rollout', 'undo', 'deployment/web'])).toContain('rolled back');
      const image = ['get', 'deployment', 'web', '-o', 'jsonpath={..containers[0].image}'];
      expect(await kubectl.ok(image)).toBe('example.com/web:1');
      expect(await kubectl.ok(['rollout', 'pause', 'deployment/web'])).toContain('paused');
      expect(await kubectl.fails(['rollout', 'restart', 'deployment/web'])).toContain('paused');
      expect(await kubectl.ok(['rollout', 'resume', 'deployment/web'])).toContain('resumed');
    });

    it('shows differences, and prunes objects missing from the manifest', async () => {
      const both = ['one', 'two'].map((name) => objects.configMap(name, 'x')).join('---\n');
      await kubectl.ok(['apply', '-f', '-'], both);
      expect((await kubectl.run(['diff', '-f', '-'], both)).code).toBe(0);
      const prune = ['apply', '--prune', '-l', 'app=story', '--prune-allowlist=core/v1/ConfigMap', '-f', '-'];
      expect(await kubectl.ok(prune, objects.configMap('one', 'x'))).toBe(
        'configmap/one unchanged\nconfigmap/two pruned\n',
      );
      const secret = objects.configMap('hidden', 'eA==').replace('kind: ConfigMap', 'kind: Secret');
      const seen = await kubectl.run(['diff', '-f', '-'], secret);
      expect([seen.code, seen.stdout.includes('eA==')]).toEqual([1, false]);
    });

    it('reads raw paths, API versions and API resources', async () => {
      expect(await kubectl.ok(['get', '--raw', '/readyz'])).toBe('ok');
      const list = await kubectl.ok(['get', '--raw', `/api/v1/namespaces/${space}/configmaps?limit=1`]);
      expect(JSON.parse(list)).toMatchObject({ kind: 'ConfigMapList' });
      expect(await kubectl.fails(['get', '--raw', '/apis/none/v1'])).toContain('could not find');
      const versions = (await kubectl.ok(['api-versions'])).split('\n');
      expect(versions).toEqual(
        expect.arrayContaining(['apps/v1', 'v1', 'machineconfiguration.openshift.io/v1']),
      );
      const names = await kubectl.ok(['api-resources', '--verbs=list', '--namespaced', '-o', 'name']);
      expect(names.split('\n')).toEqual(expect.arrayContaining(['pods', 'leases.coordination.k8s.io']));
      expect(await kubectl.ok(['api-resources', '--api-group=policy', '-o', 'wide'])).toMatch(
        /poddisruptionbudgets +pdb +policy\/v1 +true +PodDisruptionBudget +create,delete,deletecollection,get,list,patch,update,watch/,
      );
      expect(await kubectl.ok(['cluster-info'])).toContain('control plane');
    });

    it('explains kinds recursively', async () => {
      const pod = await kubectl.ok(['explain', 'pods', '--recursive']);
      expect(pod).toMatch(
        /^ +preferredDuringSchedulingIgnoredDuringExecution\t<\[\]PreferredSchedulingTerm>/m,
      );
      const config = await kubectl.ok(['explain', 'machineconfigpool', '--recursive']);
      expect(config).toMatch(/^ +maxUnavailable\t</m);
    });

    it('shows the events of an object', async () => {
      await kubectl.ok(['create', '-f', '-'], event(space));
      expect(await kubectl.ok(['events', '--for', 'pod/loud'])).toMatch(
        /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n\S.* +Warning +Loud +Pod\/loud +it is loud\n$/,
      );
      expect(await kubectl.ok(['events', '--types=Normal'])).not.toContain('loud');
      expect(await kubectl.ok(['get', 'events', '--field-selector=reason=Loud'])).toContain('pod/loud');
    });

    it('prints what to use in place of debug and exec, and leaves no pod behind', async () => {
      const node = `node-${space}`;
      await kubectl.ok(['create', '-f', '-'], objects.node(node, 1));
      await kubectl.ok(['create', '-f', '-'], objects.pod('runs', node));
      const instead = (action: string) =>
        `containers of this cluster run no programs; use instead: millwright node ${node} ${action}\n`;
      const debug = ['debug', `node/${node}`, '--image=x'];
      for (const args of [debug, [...debug, '-it'], [...debug, '--profile=baseline']]) {
        expect(await kubectl.fails(args), args.join(' ')).toMatch(
          new RegExp(
            `Error from server \\(Forbidden\\): pods "node-debugger-${node}-\\w+" is forbidden: containers`,
          ),
        );
      }
      const reading = [...debug, '--', 'chroot', '/host', 'cat', '/etc/containers/registries.conf'];
      expect(await kubectl.fails(reading)).toContain(instead('cat /etc/containers/registries.conf'));
      expect(await kubectl.ok(['get', 'pods', '-o', 'name'])).not.toContain('debugger');
      expect(await kubectl.fails(['exec', 'runs', '--', 'chroot', '/rootfs', 'ls', '/etc'])).toContain(
        `pods/exec is not supported by this server: ${instead('ls /etc')}`,
      );
      expect(await kubectl.fails(['attach', 'runs'])).toContain('millwright node ');
      expect(await kubectl.fails(['exec', 'none', '--', 'ls'])).toContain('pods "none" not found');
    });

    it('gets clear errors for resources that are not served', async () => {
      const refusals: readonly (readonly [string, string])[] = [
        ['top nodes', 'Metrics API not available'],
        ['top pods', 'Metrics API not available'],
        ['create priorityclass high --value=5', 'could not find the requested resource'],
        ['create quota few --hard=pods=1', 'could not find the requested resource'],
        ['create cronjob often --image=x --schedule=@hourly', 'could not find the requested resource'],
        ['create ingress web --rule=a/b=c:80', 'could not find the requested resource'],
        ['get statefulsets', 'the server doesn\'t have a resource type "statefulsets"'],
      ];
      for (const [line, message] of refusals) {
        expect(await kubectl.fails(line.split(' ')), line).toContain(message);
      }
    });
  });
});

function minorOf(version: string): number {
  return Number(/^v1\.(\d+)/.exec(version)?.[1]);
}

function claimsOf(token: string): { readonly [name: string]: unknown } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

const event = (namespace: string): string => `apiVersion: v1
kind: Event
metadata: {name: loud}
involvedObject: {apiVersion: v1, kind: Pod, name: loud, namespace: ${namespace}}
reason: Loud
message: it is loud
type: Warning
lastTimestamp: 2026-01-01T00:00:00Z
`;
