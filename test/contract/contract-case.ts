/** A behaviour that every API server must have, named by a sentence and tested over HTTP. */
import { type Scene, withScene } from './scene.ts';
import type { Target } from './target.ts';

export type ContractCase = {
  readonly topic: string;
  readonly name: string;
  /** What the target must support for the case. */
  readonly needs: readonly Need[];
  /** Present if our server differs from kube-apiserver on purpose. */
  readonly differs?: Difference;
  readonly run: (target: Target) => Promise<void>;
};

export type Difference = {
  readonly verdict: 'different on purpose' | 'not served';
  /** The first column of its row in `docs/differences.md`. */
  readonly matter: string;
};

/** `users`: three with tokens. `expiry`: history can be made too old. `controllers`: something acts on objects. */
export type Need = 'users' | 'expiry' | 'controllers';

/** The cases of a topic, by name. */
export function topic(
  name: string,
  cases: Readonly<Record<string, (scene: Scene) => Promise<void>>>,
  needs: readonly Need[] = [],
): readonly ContractCase[] {
  return Object.entries(cases).map(([sentence, run]) => ({
    topic: name,
    name: sentence,
    needs,
    run: (target) => withScene(target, run),
  }));
}

/** Why a target cannot run a case; undefined if it can. */
export function missingNeed({ needs }: ContractCase, target: Target): string | undefined {
  const reasons: Readonly<Record<Need, string | undefined>> = {
    users: target.users.length < 3 ? 'the target has no users with tokens' : undefined,
    expiry: target.expireHistory === undefined ? 'the history of the target cannot be expired' : undefined,
    controllers: target.startControllers === undefined ? 'the target has no controllers to start' : undefined,
  };
  return needs.map((need) => reasons[need]).find((reason) => reason !== undefined);
}
