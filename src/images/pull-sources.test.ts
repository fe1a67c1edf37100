import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { referenceText } from './image-reference.ts';
import { pullSources } from './pull-sources.ts';
import { type MergedRegistriesConf, mergeRegistriesConf } from './registries-conf.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

function conf(text: string): MergedRegistriesConf {
  const outcome = mergeRegistriesConf([{ path: '/etc/containers/registries.conf', text }]);
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
  return outcome.value;
}

/** `mirror! source#blocked-by`, candidates separated by bars. */
function shown(text: string, name: string): string {
  const outcome = pullSources(conf(text), name);
  if (outcome.kind === 'invalid') return outcome.problems.map(({ message }) => message).join('; ');
  const candidates = outcome.value.map(({ sources }) =>
    sources.map(({ reference, isInsecure, blockedBy }) => {
      const blocked = blockedBy === undefined ? '' : `#${blockedBy}`;
      return `${referenceText(reference)}${isInsecure ? '!' : ''}${blocked}`;
    }),
  );
  return candidates.map((sources) => sources.join(' ')).join(' | ');
}

const HUB = `
[[registry]]
prefix = "docker.io"
location = "docker.io"
[[registry.mirror]]
location = "mirror.internal.example.com/docker-hub"
`;
const BOTH = `
[[registry]]
prefix = ""
location = "quay.io/team"
[[registry.mirror]]
location = "digests.io/team"
pull-from-mirror = "digest-only"
[[registry.mirror]]
location = "tags.io/team"
insecure = true
pull-from-mirror = "tag-only"
[[registry.mirror]]
location = "all.io"
pull-from-mirror = "all"
`;
const SEARCH = 'unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]\n';

describe('pullSources rejects, with the reason,', () => {
  // biome-ignore format: a table.
  test.each<[string, string, string]>([
    ['', 'quay.io/A', '"quay.io/A": invalid reference format: repository name must be lowercase'],
    ['', '', 'short-name "" did not resolve to an alias and no unqualified-search registries are defined in "/etc/containers/registries.conf"'],
    ['', 'nginx', 'short-name "nginx" did not resolve to an alias and no unqualified-search registries are defined in "/etc/containers/registries.conf"'],
    [SEARCH, 'a b', '"registry.access.redhat.com/a b": invalid reference format: the repository is invalid'],
    ['[[registry]]\nprefix = "a.io"\nlocation = "docker.io"', 'a.io/x', 'rewriting reference: "docker.io/x:latest": repository name must be canonical'],
    ['[[registry]]\nprefix = "a.io"\nlocation = "team"', 'a.io/x', 'rewriting reference: "team/x:latest": repository name must be canonical'],
    ['[[registry]]\nprefix = "a.io"\nlocation = "B.io/Team"', 'a.io/x', 'rewriting reference: "B.io/Team/x:latest": invalid reference format: repository name must be lowercase'],
    ['[[registry]]\nprefix = "a.io"\nlocation = "b.io/c"', 'a.io:5000/x:1', 'rewriting reference: "b.io/c:5000/x:1": invalid reference format: the tag is invalid'],
    ['[[registry]]\nprefix = "a.io/x"\nlocation = "b.io"', 'a.io/x:1', 'rewriting reference: "b.io:1": repository name must be canonical'],
  ])('%j, %s', (text, name, why) => {
    expect(shown(text, name)).toBe(why);
  });

  test('a short name without any configuration', () => {
    const none = mergeRegistriesConf([]);
    if (none.kind === 'invalid') throw new Error('it is valid');
    expect(pullSources(none.value, 'nginx')).toMatchObject({
      problems: [
        {
          message:
            'short-name "nginx" did not resolve to an alias and no containers-registries.conf(5) was found',
        },
      ],
    });
  });
});

describe('pullSources returns the mirrors in order, then the named location', () => {
  const team = (fields: string) => `[[registry]]\nlocation = "quay.io/team"\n${fields}\n`;
  // biome-ignore format: a table.
  test.each<[string, string, string, string]>([
    ['an empty config', '', 'quay.io/a:1', 'quay.io/a:1'],
    ['no tag is the latest', '', 'quay.io/a', 'quay.io/a:latest'],
    ['the seed’s mirror of Docker Hub', SEARCH + HUB, 'docker.io/library/nginx:1.25', 'mirror.internal.example.com/docker-hub/library/nginx:1.25 docker.io/library/nginx:1.25'],
    ['names of Docker Hub are completed first', HUB, 'docker.io/nginx', 'mirror.internal.example.com/docker-hub/library/nginx:latest docker.io/library/nginx:latest'],
    ['a tag', BOTH, 'quay.io/team/app:1', 'tags.io/team/app:1! all.io/app:1 quay.io/team/app:1'],
    ['a digest', BOTH, `quay.io/team/app@${DIGEST}`, `digests.io/team/app@${DIGEST} all.io/app@${DIGEST} quay.io/team/app@${DIGEST}`],
    ['a tag next to a digest is ignored', BOTH, `quay.io/team/app:1@${DIGEST}`, `digests.io/team/app@${DIGEST} all.io/app@${DIGEST} quay.io/team/app@${DIGEST}`],
    ['mirrors by digest only: a tag', team('mirror-by-digest-only = true\n[[registry.mirror]]\nlocation = "m.io"'), 'quay.io/team/a', 'quay.io/team/a:latest'],
    ['mirrors by digest only: a digest', team('mirror-by-digest-only = true\n[[registry.mirror]]\nlocation = "m.io"'), `quay.io/team/a@${DIGEST}`, `m.io/a@${DIGEST} quay.io/team/a@${DIGEST}`],
    ['the prefix itself', '[[registry]]\nlocation = "quay.io/team/app"\n[[registry.mirror]]\nlocation = "m.io/app"', 'quay.io/team/app:1', 'm.io/app:1 quay.io/team/app:1'],
    ['a prefix ends where a name ends', BOTH, 'quay.io/teamwork/app:1', 'quay.io/teamwork/app:1'],
    ['a host matches all its ports', '[[registry]]\nlocation = "a.io"\ninsecure = true', 'a.io:5000/x:1', 'a.io:5000/x:1!'],
    ['one name for another', '[[registry]]\nprefix = "a.io/x"\nlocation = "b.io/y"', 'a.io/x/z:1', 'b.io/y/z:1'],
    ['the longest prefix', `${HUB}[[registry]]\nlocation = "docker.io/library"\n`, 'docker.io/library/nginx:1', 'docker.io/library/nginx:1'],
    ['subdomains with a port', '[[registry]]\nprefix = "*.example.com"\n[[registry.mirror]]\nlocation = "m.io"', 'a.b.example.com:5000/x:1', 'm.io:5000/x:1 a.b.example.com:5000/x:1'],
    ['subdomains', '[[registry]]\nprefix = "*.example.com"\n[[registry.mirror]]\nlocation = "m.io/w"', 'a.example.com/x:1', 'm.io/w/x:1 a.example.com/x:1'],
    ['subdomains with a place of their own', '[[registry]]\nprefix = "*.example.com"\nlocation = "b.io"', 'a.example.com/x:1', 'b.io/x:1'],
    ['the domain is not below itself', '[[registry]]\nprefix = "*.example.com"\nlocation = "b.io"', 'example.com/x:1', 'example.com/x:1'],
    ['a path is no host', '[[registry]]\nprefix = "*.example.com"\nlocation = "b.io"', 'c.io/a.example.com/x:1', 'c.io/a.example.com/x:1'],
    ['the longer of a wildcard and a name', '[[registry]]\nprefix = "*.example.com"\nlocation = "b.io"\n[[registry]]\nprefix = "a.example.com/x"\nlocation = "c.io"', 'a.example.com/x/y:1', 'c.io/y:1'],
  ])('%s', (_, text, name, expected) => {
    expect(shown(text, name)).toBe(expected);
  });
});

describe('pullSources, of blocked registries', () => {
  const text = `${HUB.replace('location = "docker.io"', 'location = "docker.io"\nblocked = true')}
[[registry]]
location = "mirror.internal.example.com/docker-hub/secret"
blocked = true
`;
  test('blocks the location, and not its mirrors', () => {
    expect(shown(text, 'docker.io/library/nginx:1')).toBe(
      'mirror.internal.example.com/docker-hub/library/nginx:1 docker.io/library/nginx:1#docker.io',
    );
  });

  test('blocks a mirror by its own entry', () => {
    expect(shown(text, 'docker.io/secret/x:1')).toBe(
      'mirror.internal.example.com/docker-hub/secret/x:1#mirror.internal.example.com/docker-hub/secret docker.io/secret/x:1#docker.io',
    );
  });

  test('blocks everything below the prefix', () => {
    expect(shown('[[registry]]\nlocation = "a.io"\nblocked = true', 'a.io/x/y:1')).toBe('a.io/x/y:1#a.io');
  });
});

describe('pullSources, of a short name', () => {
  // biome-ignore format: a table.
  test.each<[string, string, string]>([
    [SEARCH, 'nginx:1.25', 'registry.access.redhat.com/nginx:1.25 | docker.io/library/nginx:1.25'],
    [SEARCH, `team/app@${DIGEST}`, `registry.access.redhat.com/team/app@${DIGEST} | docker.io/team/app@${DIGEST}`],
    [SEARCH + HUB, 'nginx', 'registry.access.redhat.com/nginx:latest | mirror.internal.example.com/docker-hub/library/nginx:latest docker.io/library/nginx:latest'],
    [`${SEARCH}[aliases]\nnginx = "quay.io/nginx/nginx"`, 'nginx:1', 'quay.io/nginx/nginx:1'],
    [SEARCH, 'localhost/x', 'localhost/x:latest'],
    [SEARCH, 'a.io/x', 'a.io/x:latest'],
  ])('%j, %s', (text, name, expected) => {
    expect(shown(text, name)).toBe(expected);
  });
});

test('pullSources does not throw for any name', () => {
  const known = conf(SEARCH + HUB + BOTH);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `docker.io/${text}`),
      ),
      (name) => {
        const outcome = pullSources(known, name);
        if (outcome.kind === 'ok')
          expect(outcome.value.every(({ sources }) => sources.length > 0)).toBe(true);
      },
    ),
  );
});
