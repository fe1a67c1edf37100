/**
 * UserInfo: an authenticated user.
 */
import { list, mapOf, named, string, struct } from '../../schema/index.ts';
import { strings } from '../fields.ts';

/** Additional attributes from the identity provider. The lists have no list type. */
export const extraOf = (goType: string, description: string) =>
  mapOf(description, named(goType, list('The values of one key.', string('A value.'))));

export const userInfo = struct('authentication.UserInfo', 'Who it is.', {
  username: string('The name.'),
  uid: string('The identity, where the provider has one.'),
  groups: strings('The groups.', 'A group.'),
  extra: extraOf('authentication.ExtraValue', 'Additional attributes from the provider.'),
});
