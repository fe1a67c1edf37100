/**
 * The fields of Ignition 3.5.0: the only description of the format.
 */
import {
  flag,
  identity,
  integer,
  keyedList,
  listBy,
  sequence,
  since,
  struct,
  text,
  textSet,
  type ValueOf,
} from './shape.ts';

export const IGNITION_VERSION = '3.5.0';

const resource = struct({
  source: text,
  compression: text,
  verification: struct({ hash: text }),
  httpHeaders: since(1, listBy('name', struct({ name: identity, value: text }), { removedWithout: 'value' })),
});

const owner = struct({ id: integer, name: text });
const node = { path: identity, overwrite: flag, user: owner, group: owner };

const file = struct({ ...node, contents: resource, append: sequence(resource), mode: integer });
const directory = struct({ ...node, mode: integer });
const link = struct({ ...node, target: text, hard: flag });

const unit = struct({
  name: identity,
  enabled: flag,
  mask: flag,
  contents: text,
  dropins: listBy('name', struct({ name: identity, contents: text })),
});

const user = struct({
  name: identity,
  passwordHash: text,
  sshAuthorizedKeys: textSet,
  uid: integer,
  gecos: text,
  homeDir: text,
  noCreateHome: flag,
  primaryGroup: text,
  groups: textSet,
  noUserGroup: flag,
  noLogInit: flag,
  shell: text,
  shouldExist: since(2, flag),
  system: flag,
});

const group = struct({
  name: identity,
  gid: integer,
  passwordHash: text,
  shouldExist: since(2, flag),
  system: flag,
});

const partition = struct({
  number: integer,
  label: text,
  sizeMiB: integer,
  startMiB: integer,
  typeGuid: text,
  guid: text,
  wipePartitionEntry: flag,
  shouldExist: flag,
  resize: since(2, flag),
});

const disk = struct({
  device: identity,
  wipeTable: flag,
  // A partition without a number is identified by its label; the prefix keeps label "1" apart from number 1.
  partitions: keyedList(partition, (item) => {
    const { number, label } = item as Partition;
    return number === undefined || number === 0 ? `label ${label ?? ''}` : `number ${number}`;
  }),
});

const raid = struct({
  name: identity,
  level: text,
  devices: textSet,
  spares: integer,
  options: sequence(text),
});

const filesystem = struct({
  device: identity,
  path: text,
  format: text,
  wipeFilesystem: flag,
  label: text,
  uuid: text,
  options: sequence(text),
  mountOptions: since(1, sequence(text)),
});

const luks = struct({
  name: identity,
  device: text,
  label: text,
  uuid: text,
  keyFile: resource,
  options: sequence(text),
  openOptions: since(4, textSet),
  discard: since(4, flag),
  wipeVolume: flag,
  cex: since(5, struct({ enabled: flag })),
  clevis: struct({
    tpm2: flag,
    threshold: integer,
    tang: listBy('url', struct({ url: identity, thumbprint: text, advertisement: since(4, text) })),
    custom: struct({ pin: text, config: text, needsNetwork: flag }),
  }),
});

const keyBySource = (item: unknown) => (item as Resource).source ?? '';

export const configShape = struct({
  ignition: struct({
    version: identity,
    config: struct({ merge: keyedList(resource, keyBySource), replace: resource }),
    proxy: since(1, struct({ httpProxy: text, httpsProxy: text, noProxy: textSet })),
    security: struct({ tls: struct({ certificateAuthorities: keyedList(resource, keyBySource) }) }),
    timeouts: struct({ httpResponseHeaders: integer, httpTotal: integer }),
  }),
  kernelArguments: since(
    3,
    struct(
      { shouldExist: textSet, shouldNotExist: textSet },
      { sharedKeys: [['shouldExist', 'shouldNotExist']] },
    ),
  ),
  passwd: struct({ users: listBy('name', user), groups: listBy('name', group) }),
  storage: struct(
    {
      files: listBy('path', file),
      directories: listBy('path', directory),
      links: listBy('path', link),
      disks: listBy('device', disk),
      raid: listBy('name', raid),
      filesystems: listBy('device', filesystem),
      luks: since(2, listBy('name', luks)),
    },
    { sharedKeys: [['directories', 'files', 'links']] },
  ),
  systemd: struct({ units: listBy('name', unit) }),
});

type Shaped = ValueOf<typeof configShape>;
export type IgnitionConfig = Shaped & { readonly ignition: NonNullable<Shaped['ignition']> };
export type Resource = ValueOf<typeof resource>;
export type File = ValueOf<typeof file>;
export type Directory = ValueOf<typeof directory>;
export type Link = ValueOf<typeof link>;
export type Unit = ValueOf<typeof unit>;
export type User = ValueOf<typeof user>;
export type Disk = ValueOf<typeof disk>;
export type Partition = ValueOf<typeof partition>;
export type Raid = ValueOf<typeof raid>;
export type Filesystem = ValueOf<typeof filesystem>;
export type Luks = ValueOf<typeof luks>;
export type Storage = NonNullable<IgnitionConfig['storage']>;

/** An empty config. */
export const emptyConfig: IgnitionConfig = { ignition: { version: IGNITION_VERSION } };
