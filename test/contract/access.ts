/** The users with tokens that a target knows. */
import type { Credentials } from '../kubernetes/kubeconfig.ts';
import type { Scene } from './scene.ts';

export function userNamed({ target }: Scene, name: string): Credentials {
  const user = target.users.find((one) => one.name === name);
  if (user === undefined) throw new Error(`the target has no user ${name}`);
  return user;
}
