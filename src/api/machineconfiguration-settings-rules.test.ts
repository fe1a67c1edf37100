/**
 * What the API takes and refuses in KubeletConfig, ContainerRuntimeConfig and ControllerConfig.
 */
import { checkFields, type FieldRow, sampleOf } from '../../test/support/field-rows.ts';
import { image, long, many } from '../../test/support/shared-rows.ts';
import { containerRuntimeConfig } from './container-runtime-config.ts';
import { controllerConfig } from './controller-config.ts';
import { kubeletConfig } from './kubelet-config.ts';

checkFields(kubeletConfig, sampleOf(kubeletConfig, { name: 'settings', spec: {} }), [
  { at: 'spec', good: [{}], bad: [undefined], message: 'Required value' },
  { at: 'spec.logLevel', good: [0, 10], bad: [-1], message: 'should be greater than or equal to 0' },
  { at: 'spec.logLevel', good: [0, 10], bad: [11], message: 'should be less than or equal to 10' },
  {
    at: 'spec.kubeletConfig',
    good: [{ maxPods: 5, any: ['thing'] }],
    bad: ['maxPods: 5'],
    message: 'must be of type object',
  },
  {
    at: 'spec.tlsSecurityProfile',
    good: [{}, { type: 'Old', old: {} }, { type: 'Modern', modern: null }],
    bad: [{ type: 'Ancient' }],
    path: 'spec.tlsSecurityProfile.type',
    message: 'Unsupported value: "Ancient": supported values: "Old", "Intermediate", "Modern", "Custom"',
  },
  {
    at: 'spec.tlsSecurityProfile.custom',
    good: [null, { minTLSVersion: 'VersionTLS12', ciphers: ['AES128-SHA'] }],
    bad: [{ minTLSVersion: 'TLS12' }],
    path: 'spec.tlsSecurityProfile.custom.minTLSVersion',
    message:
      'Unsupported value: "TLS12": supported values: "VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"',
  },
  {
    at: 'status.conditions',
    good: [[{ type: 'Accepted' }, { type: 'Accepted' }]],
    bad: [{}],
    message: 'must be of type array',
  },
]);

const settings = (field: string) => `spec.containerRuntimeConfig.${field}`;
const storeRows = (field: string, maxItems: number): readonly FieldRow[] => {
  const at = settings(field);
  const paths = (count: number) => many(count, (index) => ({ path: `/store/${index}` }));
  return [
    {
      at,
      good: [paths(2)],
      bad: [[{ path: '/a' }, { path: '/b' }, { path: '/a' }]],
      message: `${field} must not contain duplicate paths`,
    },
    { at, good: [undefined, paths(1)], bad: [[]], message: 'should have at least 1 items' },
    {
      at,
      good: [paths(maxItems)],
      bad: [paths(maxItems + 1)],
      message: `must have at most ${maxItems} items`,
    },
    {
      at,
      good: [[{ path: '/mnt/a.b_c-d/' }]],
      bad: [[{ path: 'mnt/a' }], [{ path: '/' }], [{ path: '/a b' }], [{ path: '/a:b' }]],
      path: `${at}[0].path`,
      message: "path must be absolute and contain only alphanumeric characters, '/', '.', '_', and '-'",
    },
    {
      at,
      good: [[{ path: '/a/b' }]],
      bad: [[{ path: '/a//b' }], [{ path: '//a' }]],
      path: `${at}[0].path`,
      message: 'path must not contain consecutive forward slashes',
    },
    {
      at,
      good: [[{ path: `/${long(255)}` }]],
      bad: [[{ path: `/${long(256)}` }]],
      path: `${at}[0].path`,
      message: 'Too long',
    },
  ];
};

checkFields(
  containerRuntimeConfig,
  sampleOf(containerRuntimeConfig, { name: 'settings', spec: { containerRuntimeConfig: {} } }),
  [
    { at: 'spec.containerRuntimeConfig', good: [{}], bad: [undefined], message: 'Required value' },
    { at: settings('pidsLimit'), good: [0, 2048, -1], bad: ['2048'], message: 'must be of type integer' },
    { at: settings('logLevel'), good: ['debug', 'anything'], bad: [1], message: 'must be of type string' },
    {
      at: settings('logSizeMax'),
      good: ['8Ki', '-1', '1.5e3', 16384],
      bad: ['8 Ki', '8kB', ''],
      message: 'should match',
    },
    { at: settings('overlaySize'), good: ['8G', 0], bad: ['big'], message: 'should match' },
    {
      at: settings('defaultRuntime'),
      good: ['crun', 'runc'],
      bad: ['kata'],
      message: 'Unsupported value: "kata": supported values: "crun", "runc"',
    },
    ...storeRows('additionalArtifactStores', 10),
    ...storeRows('additionalImageStores', 10),
    ...storeRows('additionalLayerStores', 5),
  ],
);

const dns = {
  apiVersion: 'config.openshift.io/v1',
  kind: 'DNS',
  spec: { baseDomain: 'example.com', privateZone: { id: 'z' } },
};
const infra = {
  apiVersion: 'config.openshift.io/v1',
  kind: 'Infrastructure',
  spec: { platformSpec: { type: 'None' } },
  status: {
    apiServerInternalURI: 'https://api-int.example.com:6443',
    controlPlaneTopology: 'HighlyAvailable',
    platformStatus: { type: 'None', none: {} },
  },
};

checkFields(
  controllerConfig,
  sampleOf(controllerConfig, {
    name: 'machine-config-controller',
    spec: {
      clusterDNSIP: '10.96.0.10',
      cloudProviderConfig: '',
      ipFamilies: 'IPv4',
      kubeAPIServerServingCAData: 'Q0E=',
      rootCAData: 'Q0E=',
      cloudProviderCAData: null,
      additionalTrustBundle: null,
      images: { machineConfigOperator: 'a.b/c:d' },
      baseOSContainerImage: image,
      releaseImage: image,
      proxy: null,
      network: { mtuMigration: null },
      dns,
      infra,
    },
  }),
  [
    ...['cloudProviderCAData', 'additionalTrustBundle', 'proxy', 'network', 'dns', 'infra'].map((field) => ({
      at: `spec.${field}`,
      good: [null],
      bad: [undefined],
      message: 'Required value',
    })),
    { at: 'spec.images', good: [{}], bad: [null], message: 'must be of type object' },
    { at: 'spec.rootCAData', good: ['Q0E='], bad: ['', 'not base64!'], message: 'must be of type byte' },
    {
      at: 'spec.internalRegistryPullSecret',
      good: [undefined, null, 'e30='],
      bad: ['{}'],
      message: 'must be of type byte',
    },
    {
      at: 'spec.network',
      good: [{ mtuMigration: { machine: { from: 1500, to: 9000 } } }],
      bad: [{}],
      path: 'spec.network.mtuMigration',
      message: 'Required value',
    },
    {
      at: 'spec.network.mtuMigration',
      good: [{ network: { to: 0 } }],
      bad: [{ network: { to: -1 } }],
      path: 'spec.network.mtuMigration.network.to',
      message: 'should be greater than or equal to 0',
    },
    { at: 'spec.dns.spec', good: [{}], bad: [undefined], message: 'Required value' },
    { at: 'spec.infra.spec', good: [{}], bad: [undefined], message: 'Required value' },
    {
      at: 'spec.infra.status.platformStatus.type',
      good: ['', 'None', 'External', undefined],
      bad: ['none'],
      message: 'Unsupported value: "none"',
    },
    {
      at: 'spec.infra.status.controlPlaneTopology',
      good: ['HighlyAvailableArbiter', 'DualReplica', 'SingleReplica', 'External'],
      bad: [''],
      message: 'Unsupported value: ""',
    },
    {
      at: 'spec.infra.status.infrastructureTopology',
      good: ['SingleReplica'],
      bad: ['External'],
      message: 'Unsupported value: "External": supported values: "HighlyAvailable", "SingleReplica"',
    },
    {
      at: 'spec.infra.status.cpuPartitioning',
      good: ['None', 'AllNodes'],
      bad: ['Some'],
      message: 'Unsupported value: "Some": supported values: "None", "AllNodes"',
    },
    {
      at: 'spec.imageRegistryBundleData',
      good: [[{ file: 'a..5000', data: 'Q0E=' }]],
      bad: [[{ file: 'a..5000' }]],
      path: 'spec.imageRegistryBundleData[0].data',
      message: 'Required value',
    },
    {
      at: 'status.conditions',
      good: [[{ type: 'TemplateControllerRunning', status: 'True', lastTransitionTime: null }]],
      bad: [[{ type: 'TemplateControllerRunning', status: 'True' }]],
      path: 'status.conditions[0].lastTransitionTime',
      message: 'Required value',
    },
    {
      at: 'status.controllerCertificates',
      good: [[{ subject: 'a', signer: 'b', bundleFile: 'c', notAfter: '2025-01-01T10:00:00Z' }]],
      bad: [[{ subject: 'a', signer: 'b' }]],
      path: 'status.controllerCertificates[0].bundleFile',
      message: 'Required value',
    },
  ],
);
