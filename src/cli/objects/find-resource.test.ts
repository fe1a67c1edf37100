import { describe, expect, it } from 'vitest';
import type { ApiResource } from './api-resource.ts';
import { findKind, findResources } from './find-resource.ts';

function resource(plural: string, kind: string, more: Partial<ApiResource> = {}): ApiResource {
  return {
    group: '',
    version: 'v1',
    plural,
    singular: kind.toLowerCase(),
    kind,
    scope: 'Namespaced',
    shortNames: [],
    categories: [],
    verbs: ['get', 'list'],
    ...more,
  };
}

const pods = resource('pods', 'Pod', { shortNames: ['po'], categories: ['all'] });
const events = resource('events', 'Event', { shortNames: ['ev'] });
const reviews = resource('reviews', 'Review', { categories: ['all'], verbs: ['create'] });
const newEvents = resource('events', 'Event', { group: 'events.k8s.io' });
const deployments = resource('deployments', 'Deployment', {
  group: 'apps',
  shortNames: ['deploy'],
  categories: ['all'],
});
const oldDeployments = { ...deployments, version: 'v1beta1' };
const configs = resource('machineconfigs', 'MachineConfig', {
  group: 'machineconfiguration.openshift.io',
  scope: 'Cluster',
  shortNames: ['mc'],
});
/** Its name is the short name of another resource. */
const po = resource('mc', 'Mc', { group: 'other.example' });
const served = [pods, events, reviews, deployments, oldDeployments, configs, newEvents, po];

describe('findResources with an unknown name', () => {
  it.each([
    ['nope', 'the server has no resource "nope"'],
    ['machneconfigs', 'the server has no resource "machneconfigs" (did you mean machineconfigs?)'],
    ['deploymnet', 'the server has no resource "deploymnet" (did you mean deployment?)'],
    ['pods.apps', 'the server has no resource "pods.apps" (did you mean pods?)'],
    ['constructor', 'the server has no resource "constructor"'],
    ['', 'the server has no resource ""'],
  ])('rejects %j', (word, message) =>
    expect(findResources(word, served)).toEqual({ kind: 'unknown', message }),
  );
});

describe('findResources', () => {
  it.each([
    ['pods', pods],
    ['Pod', pods],
    ['PO', pods],
    ['deploy', deployments],
    ['deployments.apps', deployments],
    ['deploy.apps', deployments],
    ['deployments.v1beta1.apps', oldDeployments],
    ['MachineConfig.machineconfiguration.openshift.io', configs],
    ['machineconfigs.machineconfiguration', configs],
    ['mc.machineconfiguration.openshift.io', configs],
    // The name of a resource wins over a short name, the first of two over the second.
    ['mc', po],
    ['events', events],
    ['events.events.k8s.io', newEvents],
    ['events.v1.', events],
  ])('finds %s', (word, found) => {
    expect(findResources(word, served)).toEqual({ kind: 'found', resources: [found] });
  });

  it('finds each listable resource of a category once', () => {
    expect(findResources('all', served)).toEqual({ kind: 'found', resources: [pods, deployments] });
  });
});

describe('findKind', () => {
  it.each([
    ['v1', 'Podd', 'the server has no Podd in v1 (did you mean Pod?)'],
    ['v1', 'pod', 'the server has no pod in v1 (did you mean Pod?)'],
    ['v1', 'Elephant', 'the server has no Elephant in v1'],
    [
      'apps/v2',
      'Deployment',
      'the server has no Deployment in apps/v2: it is served as apps/v1 and apps/v1beta1',
    ],
  ])('rejects the unknown kind %s %s', (apiVersion, kind, message) => {
    expect(findKind({ apiVersion, kind }, served)).toEqual({ kind: 'unknown', message });
  });

  it('finds a kind by its apiVersion', () => {
    const found = findKind({ apiVersion: 'apps/v1beta1', kind: 'Deployment' }, served);
    expect(found).toEqual({ kind: 'found', resource: oldDeployments });
  });
});
