/**
 * The kinds outside the machine configuration group: their names, and every field with its limits.
 */
import { describe, expect, test } from 'vitest';
import type { StructuralSchema } from '../kubernetes/schema/index.ts';
import { clusterImagePolicy } from './cluster-image-policy.ts';
import { image } from './image.ts';
import { imageContentSourcePolicy } from './image-content-source-policy.ts';
import { imageDigestMirrorSet } from './image-digest-mirror-set.ts';
import { imagePolicy } from './image-policy.ts';
import { imageTagMirrorSet } from './image-tag-mirror-set.ts';
import { machineConfiguration } from './machine-configuration.ts';

describe('names', () => {
  test.each([
    [
      imageTagMirrorSet,
      'config.openshift.io/v1',
      'imagetagmirrorsets/imagetagmirrorset',
      ['itms'],
      'Cluster',
    ],
    [
      imageDigestMirrorSet,
      'config.openshift.io/v1',
      'imagedigestmirrorsets/imagedigestmirrorset',
      ['idms'],
      'Cluster',
    ],
    [image, 'config.openshift.io/v1', 'images/image', [], 'Cluster'],
    [clusterImagePolicy, 'config.openshift.io/v1', 'clusterimagepolicies/clusterimagepolicy', [], 'Cluster'],
    [imagePolicy, 'config.openshift.io/v1', 'imagepolicies/imagepolicy', [], 'Namespaced'],
    [
      imageContentSourcePolicy,
      'operator.openshift.io/v1alpha1',
      'imagecontentsourcepolicies/imagecontentsourcepolicy',
      [],
      'Cluster',
    ],
    [
      machineConfiguration,
      'operator.openshift.io/v1',
      'machineconfigurations/machineconfiguration',
      [],
      'Cluster',
    ],
  ] as const)('$0.kind has upstream’s names', (kind, apiVersion, names, shortNames, scope) => {
    expect(`${kind.group}/${kind.version}`).toBe(apiVersion);
    expect(`${kind.plural}/${kind.singular}`).toBe(names);
    expect(kind.shortNames).toEqual(shortNames);
    expect(kind.scope).toBe(scope);
    expect(kind.hasStatus).toBe(true);
    expect(kind.columns).toEqual([]);
    expect(kind.crdLabels).toEqual({});
  });

  test('the two image policies differ in scope only', () => {
    expect(imagePolicy.schema.properties?.spec).toBe(clusterImagePolicy.schema.properties?.spec);
    expect(imagePolicy.schema.properties?.status).toBe(clusterImagePolicy.schema.properties?.status);
  });
});

const mirrorOutline = (list: string) => [
  'spec: R object',
  `${list}: array atomic`,
  `${list}[]: object`,
  `${list}[].source: R string pattern`,
  `${list}[].mirrors: array set`,
  `${list}[].mirrors[]: string pattern`,
  `${list}[].mirrorSourcePolicy: string NeverContactSource|AllowContactingSource`,
  'status: object',
];
const registryList = (name: string) => [
  `spec.registrySources.${name}: array atomic maxItems=1024`,
  `spec.registrySources.${name}[]: string minLength=1 maxLength=256 rules=1`,
];

describe('schemas', () => {
  test.each([
    [imageTagMirrorSet, mirrorOutline('spec.imageTagMirrors')],
    [imageDigestMirrorSet, mirrorOutline('spec.imageDigestMirrors')],
    [
      imageContentSourcePolicy,
      [
        'spec: R object',
        'spec.repositoryDigestMirrors: array',
        'spec.repositoryDigestMirrors[]: object',
        'spec.repositoryDigestMirrors[].source: R string',
        'spec.repositoryDigestMirrors[].mirrors: array',
        'spec.repositoryDigestMirrors[].mirrors[]: string',
        'status: object',
      ],
    ],
    [
      image,
      [
        'spec: R object',
        'spec.registrySources: object rules=1',
        ...registryList('insecureRegistries'),
        ...registryList('blockedRegistries'),
        ...registryList('allowedRegistries'),
        'spec.registrySources.containerRuntimeSearchRegistries: array hostname set minItems=1',
        'spec.registrySources.containerRuntimeSearchRegistries[]: string',
        'spec.additionalTrustedCA: object',
        'spec.additionalTrustedCA.name: R string',
        'spec.allowedRegistriesForImport: array atomic',
        'spec.allowedRegistriesForImport[]: object',
        'spec.allowedRegistriesForImport[].domainName: string',
        'spec.allowedRegistriesForImport[].insecure: boolean',
        'spec.externalRegistryHostnames: array atomic',
        'spec.externalRegistryHostnames[]: string',
        'spec.imageStreamImportMode: string |Legacy|PreserveOriginal',
        'status: object',
        'status.externalRegistryHostnames: array atomic',
        'status.externalRegistryHostnames[]: string',
        'status.internalRegistryHostname: string',
        'status.imageStreamImportMode: string |Legacy|PreserveOriginal',
      ],
    ],
    [clusterImagePolicy, policyOutline()],
    [machineConfiguration, configurationOutline()],
  ] as const)('$0.kind has exactly upstream’s fields', (kind, outline) => {
    expect(outlineOf(kind.schema)).toEqual(outline);
  });
});

/** The fields of a schema in their order: R for required, then type, format, list type, limits, values. */
function outlineOf(root: StructuralSchema): readonly string[] {
  const lines: string[] = [];
  const visit = (schema: StructuralSchema, path: string, isRequired: boolean): void => {
    if (path !== '') lines.push(`${path}: ${isRequired ? 'R ' : ''}${marksOf(schema)}`);
    if (schema.items !== undefined) visit(schema.items, `${path}[]`, false);
    // Conditions and selectors are shared shapes, with tests of their own.
    if (path.endsWith('onditions[]') || path.endsWith('Selector')) return;
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (path === '' && name !== 'spec' && name !== 'status') continue;
      visit(field, path === '' ? name : `${path}.${name}`, schema.required?.includes(name) ?? false);
    }
  };
  visit(root, '', false);
  return lines;
}

function marksOf(schema: StructuralSchema): string {
  const keys = schema['x-kubernetes-list-map-keys'];
  const limits = (['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'default'] as const)
    .filter((name) => schema[name] !== undefined)
    .map((name) => `${name}=${schema[name]}`);
  return [
    schema.type,
    schema.format,
    keys === undefined ? schema['x-kubernetes-list-type'] : `map<${keys.join()}>`,
    schema.nullable === true ? 'nullable' : undefined,
    schema['x-kubernetes-preserve-unknown-fields'] === true ? 'open' : undefined,
    schema.pattern === undefined ? undefined : 'pattern',
    schema.enum?.join('|'),
    ...limits,
    schema['x-kubernetes-validations'] && `rules=${schema['x-kubernetes-validations'].length}`,
  ]
    .filter((mark) => mark !== undefined)
    .join(' ');
}

function policyOutline(): readonly string[] {
  const trust = 'spec.policy.rootOfTrust';
  const identity = 'spec.policy.signedIdentity';
  return [
    'spec: R object',
    'spec.scopes: R array set maxItems=256',
    'spec.scopes[]: string maxLength=512 rules=3',
    'spec.policy: R object',
    `${trust}: R object rules=3`,
    `${trust}.policyType: R string PublicKey|FulcioCAWithRekor|PKI`,
    `${trust}.publicKey: object`,
    `${trust}.publicKey.keyData: R string byte minLength=68 maxLength=8192 rules=2`,
    `${trust}.publicKey.rekorKeyData: string byte maxLength=8192 rules=2`,
    `${trust}.fulcioCAWithRekor: object`,
    `${trust}.fulcioCAWithRekor.fulcioCAData: R string byte maxLength=8192 rules=2`,
    `${trust}.fulcioCAWithRekor.rekorKeyData: R string byte maxLength=8192 rules=2`,
    `${trust}.fulcioCAWithRekor.fulcioSubject: R object`,
    `${trust}.fulcioCAWithRekor.fulcioSubject.oidcIssuer: R string maxLength=2048 rules=1`,
    `${trust}.fulcioCAWithRekor.fulcioSubject.signedEmail: R string maxLength=320 rules=1`,
    `${trust}.pki: object`,
    `${trust}.pki.caRootsData: R string byte minLength=72 maxLength=8192 rules=3`,
    `${trust}.pki.caIntermediatesData: string byte minLength=72 maxLength=8192 rules=3`,
    `${trust}.pki.pkiCertificateSubject: R object rules=1`,
    `${trust}.pki.pkiCertificateSubject.email: string maxLength=320 rules=1`,
    `${trust}.pki.pkiCertificateSubject.hostname: string maxLength=253 rules=1`,
    `${identity}: object rules=2`,
    `${identity}.matchPolicy: R string MatchRepoDigestOrExact|MatchRepository|ExactRepository|RemapIdentity`,
    `${identity}.exactRepository: object`,
    `${identity}.exactRepository.repository: R string maxLength=512 rules=2`,
    `${identity}.remapIdentity: object`,
    `${identity}.remapIdentity.prefix: R string maxLength=512 rules=2`,
    `${identity}.remapIdentity.signedPrefix: R string maxLength=512 rules=2`,
    'status: object',
    'status.conditions: array map<type> minItems=1 maxItems=8',
    'status.conditions[]: object',
  ];
}

function configurationOutline(): readonly string[] {
  const versions = (at: string) => [
    `${at}.ocpVersion: string minLength=5 maxLength=10 rules=1`,
    `${at}.rhcosVersion: string minLength=14 maxLength=21 rules=1`,
  ];
  const manual = (at: string) => [
    `${at}.manual: object rules=2`,
    `${at}.manual.mode: R string OCPVersion|RHCOSVersion`,
    ...versions(`${at}.manual`),
  ];
  const bootImages = (at: string) => [
    `${at}: object`,
    `${at}.machineManagers: array map<resource,apiGroup> maxItems=5`,
    `${at}.machineManagers[]: object rules=1`,
    `${at}.machineManagers[].resource: R string machinesets|controlplanemachinesets`,
    `${at}.machineManagers[].apiGroup: R string machine.openshift.io`,
    `${at}.machineManagers[].selection: R object rules=1`,
    `${at}.machineManagers[].selection.mode: R string All|Partial|None`,
    `${at}.machineManagers[].selection.partial: object`,
    `${at}.machineManagers[].selection.partial.machineResourceSelector: R object`,
  ];
  const actions = (at: string, types: string) => [
    `${at}.actions: R array atomic maxItems=10 rules=2`,
    `${at}.actions[]: object rules=2`,
    `${at}.actions[].type: R string ${types}`,
    `${at}.actions[].reload: object`,
    `${at}.actions[].reload.serviceName: R string maxLength=255 rules=2`,
    `${at}.actions[].restart: object`,
    `${at}.actions[].restart.serviceName: R string maxLength=255 rules=2`,
  ];
  const policies = (at: string, types: string, maxItems: number) => [
    `${at}: object`,
    `${at}.files: array map<path> maxItems=${maxItems}`,
    `${at}.files[]: object`,
    `${at}.files[].path: R string`,
    ...actions(`${at}.files[]`, types),
    `${at}.units: array map<name> maxItems=${maxItems}`,
    `${at}.units[]: object`,
    `${at}.units[].name: R string maxLength=255 rules=2`,
    ...actions(`${at}.units[]`, types),
    `${at}.sshkey: object`,
    ...actions(`${at}.sshkey`, types),
  ];
  const types = 'Reboot|Drain|Reload|Restart|DaemonReload|None';
  return [
    'spec: R object',
    'spec.managementState: string pattern',
    'spec.logLevel: string |Normal|Debug|Trace|TraceAll default=Normal',
    'spec.operatorLogLevel: string |Normal|Debug|Trace|TraceAll default=Normal',
    'spec.unsupportedConfigOverrides: object nullable open',
    'spec.observedConfig: object nullable open',
    'spec.forceRedeploymentReason: string',
    'spec.failedRevisionLimit: integer int32',
    'spec.succeededRevisionLimit: integer int32',
    ...policies('spec.nodeDisruptionPolicy', types, 50),
    ...bootImages('spec.managedBootImages'),
    'spec.bootImageSkewEnforcement: object rules=1',
    'spec.bootImageSkewEnforcement.mode: R string Manual|None',
    ...manual('spec.bootImageSkewEnforcement'),
    'spec.irreconcilableValidationOverrides: object minProperties=1',
    'spec.irreconcilableValidationOverrides.storage: array set minItems=1 maxItems=3',
    'spec.irreconcilableValidationOverrides.storage[]: string Disks|FileSystems|Raid',
    'status: object',
    'status.observedGeneration: integer int64',
    'status.conditions: array map<type>',
    'status.conditions[]: object',
    'status.nodeDisruptionPolicyStatus: object',
    ...policies('status.nodeDisruptionPolicyStatus.clusterPolicies', `${types}|Special`, 100),
    ...bootImages('status.managedBootImagesStatus'),
    'status.bootImageSkewEnforcementStatus: object rules=2',
    'status.bootImageSkewEnforcementStatus.mode: R string Automatic|Manual|None',
    'status.bootImageSkewEnforcementStatus.automatic: object minProperties=1 rules=1',
    ...versions('status.bootImageSkewEnforcementStatus.automatic'),
    ...manual('status.bootImageSkewEnforcementStatus'),
  ];
}
