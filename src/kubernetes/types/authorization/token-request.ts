/**
 * TokenRequest: requests a token of a service account. Created as the subresource `serviceaccounts/token`.
 */
import { int64, named, nullable, pointer, required, string, struct, value } from '../../schema/index.ts';
import { defineBody } from '../builtin.ts';
import { always, nullableTime, strings } from '../fields.ts';

const spec = struct('authentication.TokenRequestSpec', 'What the token is for.', {
  audiences: nullable(strings('Who accepts the token; the API server where none is given.', 'A party.')),
  expirationSeconds: nullable(pointer(int64('How long it is to live; an hour unless given.'))),
  boundObjectRef: nullable(
    struct('authentication.BoundObjectReference', 'An object with which the token ends.', {
      apiVersion: string('Its group and version.'),
      kind: string('Pod, Secret or Node.'),
      name: string('Its name.'),
      uid: named('types.UID', string('Its identity.')),
    }),
  ),
});

const status = struct('authentication.TokenRequestStatus', 'The token.', {
  token: required(string('The token itself.')),
  expirationTimestamp: required(nullableTime('When it ends.')),
});

export const tokenRequest = defineBody({
  group: 'authentication.k8s.io',
  kind: 'TokenRequest',
  description: 'Asks for a token of a service account.',
  fields: { spec: always(spec), status: value(status) },
});
