/** Recorded from kube-apiserver 1.33. Messages are compared without the examples at their end. */
import { describe, expect, it } from 'vitest';
import { created } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podStrategy } from './pod.ts';

const ROWS: readonly (readonly [what: string, spec: JsonObject, causes: readonly string[]])[] = [
  [
    'mounts',
    {
      containers: [
        {
          name: 'a',
          image: 'x',
          volumeMounts: [
            { name: 'none', mountPath: '/a' },
            { name: 'v', mountPath: '' },
            { name: 'v', mountPath: '/b' },
            { name: 'v', mountPath: '/b' },
            { name: '', mountPath: '/c' },
            { name: 'v', mountPath: '/d', subPath: '/x' },
            { name: 'v', mountPath: '/e', subPath: '../x' },
            { name: 'v', mountPath: '/f', subPath: 'a', subPathExpr: 'b' },
            { name: 'v', mountPath: '/g', mountPropagation: 'X' },
            { name: 'v', mountPath: '/h', mountPropagation: 'Bidirectional' },
            { name: 'v', mountPath: 'a:b' },
          ],
        },
      ],
      volumes: [{ name: 'v' }],
    },
    [
      'spec.containers[0].volumeMounts[0].name FieldValueNotFound: Not found: "none"',
      'spec.containers[0].volumeMounts[1].mountPath FieldValueRequired: Required value',
      'spec.containers[0].volumeMounts[3].mountPath FieldValueInvalid: Invalid value: "/b": must be unique',
      'spec.containers[0].volumeMounts[4].name FieldValueRequired: Required value',
      'spec.containers[0].volumeMounts[4].name FieldValueNotFound: Not found: ""',
      'spec.containers[0].volumeMounts.subPath FieldValueInvalid: Invalid value: "/x": must be a relative path',
      'spec.containers[0].volumeMounts.subPath FieldValueInvalid: Invalid value: "../x": must not contain \'..\'',
      'spec.containers[0].volumeMounts[7].subPathExpr FieldValueInvalid: Invalid value: "b": subPathExpr and subPath are mutually exclusive',
      'spec.containers[0].volumeMounts.mountPropagation FieldValueNotSupported: Unsupported value: "X": supported values: "Bidirectional", "HostToContainer", "None"',
      'spec.containers[0].volumeMounts.mountPropagation FieldValueForbidden: Forbidden: Bidirectional mount propagation is available only to privileged containers',
    ],
  ],
  [
    'volumes',
    {
      containers: [{ name: 'a', image: 'x' }],
      volumes: [
        {},
        { name: 'A' },
        { name: 'a' },
        { name: 'a' },
        { name: 'b', emptyDir: {}, hostPath: { path: '/x' } },
        { name: 'c', hostPath: { path: '' } },
        { name: 'd', hostPath: { path: '/a/../b', type: 'Foo' } },
        { name: 'e', configMap: {} },
        { name: 'f', secret: {} },
        {
          name: 'g',
          configMap: {
            name: 'x',
            items: [
              { key: '', path: '' },
              { key: 'a/b', path: '/x' },
              { key: 'c', path: '../x' },
              { key: 'd', path: '..x', mode: 9999 },
            ],
            defaultMode: -1,
          },
        },
        { name: 'h', nfs: {} },
        { name: 'i', persistentVolumeClaim: { claimName: '' } },
        { name: 'j', projected: { sources: [] } },
        { name: 'k', projected: { sources: [{}] } },
        { name: 'l', downwardAPI: { items: [{ path: '' }] } },
        { name: 'm', csi: { driver: '' } },
        { name: 'n', projected: { sources: [{ serviceAccountToken: { path: '', expirationSeconds: 5 } }] } },
        { name: 'o', emptyDir: { sizeLimit: '-1' } },
        { name: 'p', projected: { sources: [{ secret: { name: 'a' }, configMap: { name: 'b' } }] } },
        {
          name: 'q',
          downwardAPI: { items: [{ path: 'a' }, { path: 'b', fieldRef: { fieldPath: 'spec.nodeName' } }] },
        },
      ],
    },
    [
      'spec.volumes[0].name FieldValueRequired: Required value',
      'spec.volumes[1].name FieldValueInvalid: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
      'spec.volumes[3].name FieldValueDuplicate: Duplicate value: "a"',
      'spec.volumes[4].hostPath FieldValueForbidden: Forbidden: may not specify more than 1 volume type',
      'spec.volumes[5].hostPath.path FieldValueRequired: Required value',
      'spec.volumes[6].hostPath.path FieldValueInvalid: Invalid value: "/a/../b": must not contain \'..\'',
      'spec.volumes[6].hostPath.type FieldValueNotSupported: Unsupported value: "Foo": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      'spec.volumes[7].configMap.name FieldValueRequired: Required value',
      'spec.volumes[8].secret.secretName FieldValueRequired: Required value',
      'spec.volumes[9].configMap.defaultMode FieldValueInvalid: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive',
      'spec.volumes[9].configMap.items[0].key FieldValueRequired: Required value',
      'spec.volumes[9].configMap.items[0].path FieldValueRequired: Required value',
      'spec.volumes[9].configMap.items[1].path FieldValueInvalid: Invalid value: "/x": must be a relative path',
      'spec.volumes[9].configMap.items[2].path FieldValueInvalid: Invalid value: "../x": must not contain \'..\'',
      'spec.volumes[9].configMap.items[3].path FieldValueInvalid: Invalid value: "..x": must not start with \'..\'',
      'spec.volumes[9].configMap.items[3].mode FieldValueInvalid: Invalid value: 9999: must be a number between 0 and 0777 (octal), both inclusive',
      'spec.volumes[10].nfs.server FieldValueRequired: Required value',
      'spec.volumes[10].nfs.path FieldValueRequired: Required value',
      'spec.volumes[10].nfs.path FieldValueInvalid: Invalid value: "": must be an absolute path',
      'spec.volumes[11].persistentVolumeClaim.claimName FieldValueRequired: Required value',
      'spec.volumes[14].downwardAPI.path FieldValueRequired: Required value',
      'spec.volumes[14].downwardAPI FieldValueRequired: Required value: one of fieldRef and resourceFieldRef is required',
      'spec.volumes[15].csi.driver FieldValueRequired: Required value',
      "spec.volumes[15].csi.driver FieldValueInvalid: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.volumes[16].projected.sources[0].serviceAccountToken.expirationSeconds FieldValueInvalid: Invalid value: 5: may not specify a duration less than 10 minutes',
      'spec.volumes[16].projected.path FieldValueRequired: Required value',
      'spec.volumes[17].emptyDir.sizeLimit FieldValueForbidden: Forbidden: SizeLimit field must be a valid resource quantity',
      'spec.volumes[18].projected.sources[0] FieldValueForbidden: Forbidden: may not specify more than 1 volume type per source',
      'spec.volumes[19].downwardAPI FieldValueRequired: Required value: one of fieldRef and resourceFieldRef is required',
      'spec.volumes[19].downwardAPI.fieldRef.fieldPath FieldValueNotSupported: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
    ],
  ],
  [
    'a volume of files as a device',
    {
      containers: [{ name: 'a', image: 'x', volumeDevices: [{ name: 'v', devicePath: '/x' }] }],
      volumes: [{ name: 'v' }],
    },
    [
      'spec.containers[0].volumeDevices[0].name FieldValueInvalid: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
    ],
  ],
];

describe('the validation of volumes', () => {
  it.each(ROWS)('rejects with the messages of kube-apiserver: %s', (_, spec, causes) => {
    const found = created(podStrategy, { metadata: { name: 'a' }, spec });
    expect(found.causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''))).toEqual(causes);
  });
});
