/**
 * Who somebody is, as the server found out.
 */
import { list, mapOf, object, string } from '../../schema/index.ts';
import { strings } from '../fields.ts';

/** What identity providers say beyond names and groups. The lists carry no list type of their own. */
export const extraOf = (description: string) =>
  mapOf(description, list('The values of one key.', string('A value.')));

export const userInfo = object('Who it is.', {
  username: string('The name.'),
  uid: string('The identity, where the provider has one.'),
  groups: strings('The groups.', 'A group.'),
  extra: extraOf('What else the provider says.'),
});
