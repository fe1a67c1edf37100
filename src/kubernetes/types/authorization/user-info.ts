/**
 * Who somebody is, as the server found out.
 */
import { list, mapOf, named, string, struct } from '../../schema/index.ts';
import { strings } from '../fields.ts';

/** What identity providers say beyond names and groups. The lists carry no list type of their own. */
export const extraOf = (goType: string, description: string) =>
  mapOf(description, named(goType, list('The values of one key.', string('A value.'))));

export const userInfo = struct('authentication.UserInfo', 'Who it is.', {
  username: string('The name.'),
  uid: string('The identity, where the provider has one.'),
  groups: strings('The groups.', 'A group.'),
  extra: extraOf('authentication.ExtraValue', 'What else the provider says.'),
});
