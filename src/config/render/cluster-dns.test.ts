import { describe, expect, it } from 'vitest';
import type { ConfigMap, Service } from '../../kubernetes/types/index.ts';
import { type ClusterDnsSources, clusterDns } from './cluster-dns.ts';

function aService(name: string, clusterIP?: string): Service {
  const metadata = { name, namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: clusterIP === undefined ? {} : { clusterIP } };
}

function aConfigMap(data: { readonly [key: string]: string }): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'kube-system' }, data };
}

const kubeadm = (text: string) => ({ kubeadmConfig: aConfigMap({ ClusterConfiguration: text }) });
const corefile = (text: string) => ({ coreDnsConfig: aConfigMap({ Corefile: text }) });

function found(given: Partial<ClusterDnsSources>) {
  return clusterDns({
    ...{ given: {}, before: { address: '', domain: '' }, services: [] },
    ...{ kubeadmConfig: undefined, coreDnsConfig: undefined, ...given },
  });
}

const COREFILE = `.:53 {
    errors
    # kubernetes old.example
    kubernetes k8s.example in-addr.arpa ip6.arpa {
       pods insecure
    }
}`;

describe('the address of the cluster DNS', () => {
  it.each<[string, Partial<ClusterDnsSources>, string]>([
    [
      'the given one',
      { given: { address: '10.0.0.53' }, services: [aService('kube-dns', '10.96.0.10')] },
      '10.0.0.53',
    ],
    ['that of the Service kube-dns', { services: [aService('kube-dns', '10.96.0.10')] }, '10.96.0.10'],
    ['an IPv6 address', { services: [aService('kube-dns', 'fd00::a')] }, 'fd00::a'],
    [
      'that of kube-dns among several',
      { services: [aService('kube-dns-upstream', '10.96.0.11'), aService('kube-dns', '10.96.0.10')] },
      '10.96.0.10',
    ],
    [
      'that of the only Service with the label',
      { services: [aService('rke2-coredns', '10.43.0.10')] },
      '10.43.0.10',
    ],
    [
      'that of the only Service with an address',
      { services: [aService('metrics', 'None'), aService('new'), aService('rke2-coredns', '10.43.0.10')] },
      '10.43.0.10',
    ],
    [
      'the new one of a Service that has changed',
      { before: { address: '10.96.0.10', domain: '' }, services: [aService('kube-dns', '10.96.0.53')] },
      '10.96.0.53',
    ],
  ])('is %s', (_, given, address) => {
    expect(found(given)).toEqual({ address, domain: '' });
  });

  it.each<[string, readonly Service[], string]>([
    [
      'without a Service',
      [],
      'there is no Service of the cluster DNS in kube-system (label k8s-app=kube-dns)',
    ],
    [
      'with a headless Service',
      [aService('kube-dns', 'None')],
      'there is no Service of the cluster DNS in kube-system (label k8s-app=kube-dns)',
    ],
    [
      'with two Services of other names',
      [aService('b', '10.0.0.2'), aService('a', '10.0.0.1')],
      'several Services in kube-system have the label k8s-app=kube-dns (a, b) and none is named kube-dns',
    ],
  ])('stays what it was, or unknown, %s, with a problem that says so', (_, services, why) => {
    expect(found({ services })).toEqual({
      ...{ address: '', domain: '' },
      problem: `${why}: kubelets get no clusterDNS, and pods that start on their nodes cannot resolve the names of Services: give it to the operator with --cluster-dns`,
    });
    expect(found({ services, before: { address: '10.96.0.10', domain: 'k8s.example' } })).toEqual({
      ...{ address: '10.96.0.10', domain: 'k8s.example' },
      problem: `${why}: kubelets keep 10.96.0.10; if that is not the DNS any more, give it to the operator with --cluster-dns`,
    });
  });
});

describe('the domain of the cluster', () => {
  it.each<[string, Partial<ClusterDnsSources>, string]>([
    [
      'the given one',
      { given: { domain: 'given.example' }, ...kubeadm('networking: {dnsDomain: a.example}') },
      'given.example',
    ],
    [
      'that of kubeadm',
      {
        ...kubeadm('kind: ClusterConfiguration\nnetworking:\n  dnsDomain: a.example\n'),
        ...corefile(COREFILE),
      },
      'a.example',
    ],
    ['the zone of CoreDNS', corefile(COREFILE), 'k8s.example'],
    [
      'the zone of CoreDNS behind those for addresses',
      corefile('.:53 {\n\tkubernetes in-addr.arpa ip6.arpa k8s.example. {\n'),
      'k8s.example',
    ],
    [
      'the zone of CoreDNS if kubeadm has none',
      { ...kubeadm('kind: ClusterConfiguration'), ...corefile(COREFILE) },
      'k8s.example',
    ],
    [
      'the zone of CoreDNS if the YAML of kubeadm is broken',
      { ...kubeadm('{'), ...corefile(COREFILE) },
      'k8s.example',
    ],
    ['what it was if none is found', { before: { address: '', domain: 'b.example' } }, 'b.example'],
    ['unknown without objects', {}, ''],
    ['unknown if CoreDNS names no zone', corefile('.:53 {\n  kubernetes {\n'), ''],
    ['unknown if a zone is no domain', corefile('.:53 {\n  kubernetes {$ZONE} %{DOMAIN}% {\n'), ''],
    ['unknown if that of kubeadm is no domain', kubeadm('networking: {dnsDomain: "a\\nmaxPods: 1"}'), ''],
    ['unknown if that of kubeadm is no text', kubeadm('networking: {dnsDomain: [a]}'), ''],
  ])('is %s', (_, given, domain) => {
    expect(found({ services: [aService('kube-dns', '10.96.0.10')], ...given })).toEqual({
      address: '10.96.0.10',
      domain,
    });
  });
});
