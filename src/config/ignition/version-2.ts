/**
 * The fields of Ignition 2.2 that we support. 2.0 and 2.1 are subsets of it: `since` marks what they lack.
 */
import { flag, identity, integer, sequence, since, struct, text, type ValueOf } from './shape.ts';

const verification = struct({ hash: text });
const reference = struct({ source: text, verification });
const owner = struct({ id: integer, name: since(1, text) });
const node = { filesystem: text, path: identity, user: owner, group: owner, overwrite: since(2, flag) };

const file = struct({
  ...node,
  append: since(2, flag),
  contents: struct({ source: text, compression: text, verification }),
  mode: integer,
});

const unit = struct({
  name: identity,
  enable: flag,
  enabled: since(1, flag),
  mask: flag,
  contents: text,
  dropins: sequence(struct({ name: identity, contents: text })),
});

const user = struct({
  name: identity,
  passwordHash: text,
  sshAuthorizedKeys: sequence(text),
  uid: since(1, integer),
  gecos: since(1, text),
  homeDir: since(1, text),
  noCreateHome: since(1, flag),
  primaryGroup: since(1, text),
  groups: since(1, sequence(text)),
  noUserGroup: since(1, flag),
  noLogInit: since(1, flag),
  shell: since(1, text),
  system: since(1, flag),
});

export const version2Shape = struct({
  ignition: struct({
    version: identity,
    config: struct({ append: sequence(reference), replace: reference }),
    timeouts: since(1, struct({ httpResponseHeaders: integer, httpTotal: integer })),
    security: since(2, struct({ tls: struct({ certificateAuthorities: sequence(reference) }) })),
  }),
  networkd: struct({ units: sequence(struct({ name: identity, contents: text })) }),
  passwd: struct({
    users: sequence(user),
    groups: sequence(struct({ name: identity, gid: integer, passwordHash: text, system: flag })),
  }),
  storage: struct({
    disks: sequence(struct({ device: identity, wipeTable: flag, partitions: sequence(struct({})) })),
    raid: sequence(
      struct({
        name: identity,
        level: text,
        devices: sequence(text),
        spares: integer,
        options: since(2, sequence(text)),
      }),
    ),
    filesystems: sequence(struct({ name: text })),
    files: sequence(file),
    directories: since(1, sequence(struct({ ...node, mode: integer }))),
    links: since(1, sequence(struct({ ...node, target: text, hard: flag }))),
  }),
  systemd: struct({ units: sequence(unit) }),
});

export type Version2Config = ValueOf<typeof version2Shape>;
export type Version2File = ValueOf<typeof file>;
export type Version2Unit = ValueOf<typeof unit>;
export type Version2User = ValueOf<typeof user>;
export type Version2Reference = ValueOf<typeof reference>;
