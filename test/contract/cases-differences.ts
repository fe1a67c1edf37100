/**
 * Deliberate differences: both responses are recorded, and `docs/differences.md` states the reasons.
 *
 * Each topic is one row of that file; a test of this folder looks for it there.
 */
import { defineWidgets } from './custom-resources.ts';
import type { Loose } from './loose.ts';
import { configMap, deployment, pod } from './objects.ts';
import { recorded } from './recorded.ts';

const purpose = (matter: string) => ({ differs: { verdict: 'different on purpose' as const, matter } });
const unserved = (matter: string) => ({ differs: { verdict: 'not served' as const, matter } });
const judgement = (): string => 'accepted';
const container = { name: 'main', image: 'x' };

async function judgedPod(
  { ask, space }: Parameters<Parameters<typeof recorded>[1][string]>[0],
  spec: object,
): Promise<void> {
  const body = {
    metadata: { name: 'a' },
    spec: { automountServiceAccountToken: false, containers: [container], ...spec },
  };
  await ask('POST', `/api/v1/namespaces/${space}/pods?dryRun=All`, { body, pick: judgement });
}

export const differenceCases = [
  ...recorded(
    'kinds that are not served',
    {
      'their paths lead nowhere': async ({ ask, space }) => {
        for (const path of [
          '/apis/scheduling.k8s.io/v1/priorityclasses',
          '/apis/storage.k8s.io/v1/storageclasses',
          `/apis/networking.k8s.io/v1/namespaces/${space}/ingresses`,
          `/apis/autoscaling/v2/namespaces/${space}/horizontalpodautoscalers`,
          `/apis/discovery.k8s.io/v1/namespaces/${space}/endpointslices`,
          `/apis/apps/v1/namespaces/${space}/statefulsets`,
          `/apis/batch/v1/namespaces/${space}/cronjobs`,
          `/api/v1/namespaces/${space}/resourcequotas`,
          `/api/v1/namespaces/${space}/persistentvolumeclaims`,
        ]) {
          await ask('GET', path, { pick: ({ kind }) => kind });
        }
      },
    },
    unserved('kinds'),
  ),
  ...recorded(
    'webhooks and aggregated servers',
    {
      'their kinds are not there': async ({ ask }) => {
        for (const path of [
          '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
          '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps',
        ]) {
          await ask('GET', path, { pick: ({ kind }) => kind });
        }
      },
    },
    unserved('webhooks, aggregated API servers, conversion by webhook'),
  ),
  ...recorded(
    'doors into pods',
    {
      'nothing runs behind them': async ({ ask, space, make }) => {
        const pods = `/api/v1/namespaces/${space}/pods`;
        await make(pods, pod('a', { nodeName: 'none' }));
        const status = ({ kind }: Loose): unknown => kind;
        for (const subresource of ['exec?command=x', 'attach', 'portforward?ports=1', 'proxy']) {
          const { status: code } = await ask('GET', `${pods}/a/${subresource}`, { pick: status });
          if (code < 400) throw new Error(subresource);
        }
        await ask('GET', `${pods}/a/resize`, { pick: status });
        await ask('GET', `${pods}/a/ephemeralcontainers`, { pick: status });
      },
    },
    unserved(
      '`exec`, `attach`, `port-forward`, `proxy` of pods and services, ephemeral containers, resizing of pods',
    ),
  ),
  ...recorded(
    'applied scales',
    {
      'are refused': async ({ ask, space, make }) => {
        const path = `/apis/apps/v1/namespaces/${space}/deployments`;
        await make(path, deployment('web'));
        const body = {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'web' },
          spec: { replicas: 9 },
        };
        const contentType = 'application/apply-patch+yaml';
        const query = '?fieldManager=me&force=true';
        await ask('PATCH', `${path}/web/scale${query}`, { contentType, body, pick: ({ spec }) => spec });
      },
    },
    unserved('apply to `/scale`'),
  ),
  ...recorded(
    'keys given twice',
    {
      'hold the last value, whole': async ({ ask, space }) => {
        const body = '{"metadata":{"name":"a"},"data":{"a":"1"},"data":{"b":"2"}}';
        const path = `/api/v1/namespaces/${space}/configmaps`;
        await ask('POST', path, { body, pick: ({ data }) => data });
      },
    },
    purpose('a key that the body of a built-in kind holds twice, both times with an object'),
  ),
  ...recorded(
    'patches in messages',
    {
      'show the object in its own order': async ({ ask, space, make }) => {
        const path = `/api/v1/namespaces/${space}/configmaps`;
        await make(path, configMap('a', { k: 'v' }));
        const contentType = 'application/merge-patch+json';
        await ask('PATCH', `${path}/a?fieldValidation=Strict`, { contentType, body: { nope: 1 } });
      },
    },
    purpose('the object that a message about a patch quotes'),
  ),
  ...recorded(
    'media types with a star',
    {
      'are understood': async ({ ask, space }) => {
        const path = `/api/v1/namespaces/${space}/serviceaccounts/default`;
        await ask('GET', path, { accept: 'application/*', pick: ({ kind }) => kind });
      },
    },
    purpose('`Accept: application/*`'),
  ),
  ...recorded(
    'metadata of one custom object as a list',
    {
      'is a mistake of the client': async (story) => {
        const widgets = await defineWidgets(story);
        await story.make(widgets.collection(), widgets.object('a'));
        const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
        await story.ask('GET', `${widgets.collection()}/a`, { accept });
      },
    },
    purpose('the metadata of one custom object, asked for as a list'),
  ),
  ...recorded(
    'what few pods say',
    {
      'is kept as it comes': async (story) => {
        const iscsi = { targetPortal: '', iqn: 'x', lun: 999 };
        await judgedPod(story, { volumes: [{ name: 'a', iscsi }] });
        await judgedPod(story, { volumes: [{ name: 'a', azureDisk: { diskName: 'd', diskURI: 'u' } }] });
        await judgedPod(story, {
          volumes: [{ name: 'a', ephemeral: { volumeClaimTemplate: { spec: {} } } }],
        });
        await judgedPod(story, { os: { name: 'windows' }, securityContext: { runAsUser: 1 } });
        await judgedPod(story, { overhead: { cpu: '1' } });
      },
    },
    purpose('volumes of storage systems, Windows, overhead of pods'),
  ),
  ...recorded(
    'services in a dry run',
    {
      'are judged as they would be': async ({ ask, space }) => {
        const path = `/api/v1/namespaces/${space}/services?dryRun=All`;
        const spec = { type: 'NodePort', ports: [{ port: 1, nodePort: 80 }] };
        await ask('POST', path, { body: { metadata: { name: 'a' }, spec }, pick: judgement });
      },
    },
    purpose('a Service in a dry run whose port or address cannot be had'),
  ),
  ...recorded(
    'keys for tokens',
    {
      'are not published': async ({ ask }) => {
        const issuer = ({ issuer: found }: Loose): unknown => found;
        await ask('GET', '/.well-known/openid-configuration', { pick: issuer });
      },
    },
    purpose('service-account tokens'),
  ),
  ...recorded(
    'discovery in protobuf',
    {
      'is not offered': async ({ ask }) => {
        const accept = 'application/vnd.kubernetes.protobuf';
        const { status } = await ask('GET', '/apis/apps', {
          accept,
          pick: judgement,
          headers: { range: 'none' },
        });
        if (status !== 200 && status !== 406) throw new Error(String(status));
      },
    },
    purpose('answers in protobuf'),
  ),
];
