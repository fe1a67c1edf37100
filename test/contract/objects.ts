/** Objects for cases: as small as a server accepts, and a case shows only what matters to it. */
export type Fields = { readonly [key: string]: unknown };

export function configMap(name: string, data: Fields = {}, metadata: Fields = {}): Fields {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export function pod(name: string, spec: Fields = {}, metadata: Fields = {}): Fields {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: {
      // The volume that holds a token has a random name.
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'example.com/main' }],
      ...spec,
    },
  };
}

export function node(name: string, spec: Fields = {}, metadata: Fields = {}): Fields {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, ...metadata }, spec };
}

export function deployment(name: string, spec: Fields = {}): Fields {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'example.com/main' }] },
      },
      ...spec,
    },
  };
}
