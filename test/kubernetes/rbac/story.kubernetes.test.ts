/**
 * The operator, the controllers, the builder and the server of configs on a real API server, each with a token of its own account: the
 * permissions of `manifests/` suffice for all that they do, and all of them are used.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assert } from '../../../src/base/errors.ts';
import { createKube } from '../../../src/kubernetes/client/index.ts';
import { rightsOf } from '../../support/manifests-files.ts';
import {
  ACCOUNTS,
  type Component,
  ManifestsStory,
  missingDeletions,
  NO_RATE_LIMIT,
} from '../../support/manifests-story.ts';
import { virtualEnv } from '../../support/virtual-env.ts';
import type { Credentials } from '../kubeconfig.ts';
import { startKubernetes } from '../kubernetes.ts';
import { type InstalledCluster, installOn, NS } from './installed-cluster.ts';

const COMPONENTS: readonly Component[] = ['operator', 'controller', 'builder', 'server'];
/** Time passes for the components ten times as fast as for the server. */
const STEP_MS = 50;
const REAL_STEP_MS = 5;

const cluster = await startKubernetes();
if ('unavailable' in cluster) {
  describe.skip(`the components (${cluster.unavailable})`, () =>
    it('have no server to run on', () => undefined));
} else {
  const env = virtualEnv();
  let installed: InstalledCluster;
  let story: ManifestsStory;
  const wait = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await pause(REAL_STEP_MS);
      await env.clock.advance(STEP_MS);
    }
  };
  const kubeAs = (user: Credentials) =>
    createKube({
      ...{ transport: installed.transportAs(user), env, fieldManager: 'story', limits: NO_RATE_LIMIT },
    });
  const boundKube = async (pod: string, account: string, node?: string) =>
    kubeAs(await installed.tokenOf(account, await installed.createPod(pod, account, node)));

  beforeAll(async () => {
    installed = await installOn(cluster);
    const { client, tokenOf, transportAs } = installed;
    const tokens = new Map<Component, Credentials>();
    for (const component of COMPONENTS) tokens.set(component, await tokenOf(ACCOUNTS[component]));
    let pods = 0;
    story = new ManifestsStory({
      namespace: NS,
      env,
      admin: kubeAs({ cert: cluster.adminCert, key: cluster.adminKey }),
      transportOf(component) {
        const token = tokens.get(component);
        assert(token !== undefined, `the ${component} has a token`);
        return transportAs(token);
      },
      daemonKube: (node) => boundKube(`daemon-${++pods}`, 'machine-config-daemon', node),
      async podKube(name) {
        // Of the build before, which the garbage collector would delete.
        await client.request('DELETE', `/api/v1/namespaces/${NS}/pods/${name}?gracePeriodSeconds=0`);
        return boundKube(name, 'machine-os-build-pod');
      },
      wait,
    });
    await story.run();
  });
  afterAll(async () => {
    env.stop();
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    Promise.allSettled(story.running).then(over, over);
    while (!isOver) await wait(STEP_MS);
    await installed.stop();
  });

  describe('with the permissions of the manifests on a real server', () => {
    it('no request of a component is forbidden', () => {
      expect(story.refused).toEqual([]);
    });

    it.each(COMPONENTS)('the %s has deleted every kind of object that it ever deletes', (component) => {
      expect(missingDeletions(component, story.deleted[component])).toEqual([]);
    });

    it.each(COMPONENTS)('the %s has no unused permission', (component) => {
      const rights = rightsOf(ACCOUNTS[component]);
      expect([...story.used[component]].filter((one) => !rights.has(one))).toEqual([]);
      expect(story.unused(component)).toEqual([]);
    });
  });
}
