import { expect, it } from 'vitest';
import { ago, anObject, found, needs, texts } from '../../../../test/support/doctor-facts.ts';
import { servingCertificate } from './serving-certificate.ts';

const request = (name: string, age: number, status: object = {}, spec: object = {}) =>
  anObject(
    'CertificateSigningRequest',
    name,
    {
      spec: {
        ...{ signerName: 'kubernetes.io/kubelet-serving', username: 'system:node:worker-0' },
        ...{ groups: ['system:nodes'], ...spec },
      },
      status,
    },
    { creationTimestamp: ago(age) },
  );

it('is found after a minute, once for each kubelet, with the reason that was given', () => {
  const event = anObject('Event', 'e', {
    reason: 'ServingCertificateNotApproved',
    message:
      'The serving certificate is not approved: "x" is not among the addresses of the Node. Should it be right all the same: …',
    involvedObject: { name: 'csr-2' },
  });
  expect(found(servingCertificate, [request('csr-1', 59)])).toEqual([]);
  expect(texts(found(servingCertificate, [request('csr-1', 900), request('csr-2', 60), event]))).toEqual([
    'ServingCertificatePending: the serving certificate of the kubelet of node worker-0 is not approved: "x" is not among the addresses of the Node',
  ]);
});

it('is not asserted of requests that were decided, or are of others', () => {
  const approved = request('csr-1', 900, { conditions: [{ type: 'Approved', status: 'True' }] });
  const foreign = request('csr-2', 900, {}, { signerName: 'kubernetes.io/kube-apiserver-client' });
  expect(found(servingCertificate, [approved, foreign])).toEqual([]);
});

it('has its events read only where one is pending', () => {
  expect(needs(servingCertificate, [request('csr-1', 900)])).toMatchObject([
    { fieldSelector: 'involvedObject.kind=CertificateSigningRequest,involvedObject.name=csr-1' },
  ]);
  expect(needs(servingCertificate, [])).toEqual([]);
});
