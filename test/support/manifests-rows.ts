/**
 * A request, and whether the permissions and policies of `manifests/` allow it.
 */
import type { User } from '../../src/embedded/rbac/index.ts';

export type Row = {
  readonly who: string;
  readonly user: User;
  /** `PATCH /api/v1/nodes/a`. */
  readonly request: string;
  readonly body: object | undefined;
  /** A part of the message; absent if allowed. */
  readonly refusal: string | undefined;
};

/** Allowed without a denial. */
export type Asked = readonly [request: string, body?: object];
export type Refused = readonly [request: string, refusal: string, body?: object];

export const rowsOf = (
  who: string,
  user: User,
  allowed: readonly Asked[],
  refused: readonly Refused[],
): readonly Row[] => [
  ...allowed.map(([request, body]): Row => ({ who, user, request, body, refusal: undefined })),
  ...refused.map(([request, refusal, body]): Row => ({ who, user, request, body, refusal })),
];

/** An object that must exist first, and who creates it if not an administrator. */
export type SceneObject = readonly [collection: string, object: object, creator?: User];
