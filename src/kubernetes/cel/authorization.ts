/**
 * The authorizer library: `authorizer.group('').resource('pods').check('create').allowed()`.
 *
 * The authorizer is a variable of the rules that have one. A check is built step by step; the caller of the rule
 * decides it.
 */
import { checkDnsLabel, checkDnsSubdomain } from '../meta/index.ts';
import { BOOL, STRING, type TypeOf } from './cel-type.ts';
import { type Cost, type Library, overload, sizeForCost } from './overloads.ts';
import { EvaluationError, noSuchOverload, type Opaque } from './values.ts';

/** A check of a rule: of a path, or else of a resource. */
type AccessCheck = {
  /** Absent: the user of the request. */
  readonly account?: Account;
  readonly verb: string;
} & (
  | { readonly path: string }
  | {
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
      readonly fieldSelector: string;
      readonly labelSelector: string;
    }
);

type Account = { readonly namespace: string; readonly name: string };

type AccessDecision = { readonly isAllowed: boolean; readonly reason: string; readonly error?: string };

export type Authorize = (question: AccessCheck) => AccessDecision;

/** The resource of `authorizer.requestResource`. */
export type RequestResource = {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
};

const PREFIX = 'kubernetes.authorization.';

/** Values that only have methods; the library cannot even compare two of them. */
class AuthorizationValue<Kind extends string, State> implements Opaque {
  readonly opaque: string;
  readonly state: State;
  constructor(kind: Kind, state: State) {
    this.opaque = PREFIX + kind;
    this.state = state;
  }
  equals(): boolean {
    throw noSuchOverload();
  }
}

type AuthorizerState = { readonly authorize: Authorize; readonly account?: Account };
type ResourceCheckState = AuthorizerState &
  RequestResource & { readonly fieldSelector: string; readonly labelSelector: string };
type Authorizer = AuthorizationValue<'Authorizer', AuthorizerState>;
type PathCheck = AuthorizationValue<'PathCheck', AuthorizerState & { readonly path: string }>;
type GroupCheck = AuthorizationValue<'GroupCheck', AuthorizerState & { readonly group: string }>;
type ResourceCheck = AuthorizationValue<'ResourceCheck', ResourceCheckState>;
type Decision = AuthorizationValue<'Decision', AccessDecision>;

export const AUTHORIZER: TypeOf<Authorizer> = { kind: 'opaque', name: `${PREFIX}Authorizer` };
export const RESOURCE_CHECK: TypeOf<ResourceCheck> = { kind: 'opaque', name: `${PREFIX}ResourceCheck` };
const PATH_CHECK: TypeOf<PathCheck> = { kind: 'opaque', name: `${PREFIX}PathCheck` };
const GROUP_CHECK: TypeOf<GroupCheck> = { kind: 'opaque', name: `${PREFIX}GroupCheck` };
const DECISION: TypeOf<Decision> = { kind: 'opaque', name: `${PREFIX}Decision` };

export function authorizerValue(authorize: Authorize): Authorizer {
  return new AuthorizationValue('Authorizer', { authorize });
}

export function resourceCheckValue(authorize: Authorize, about: RequestResource): ResourceCheck {
  return new AuthorizationValue('ResourceCheck', {
    authorize,
    ...about,
    fieldSelector: '',
    labelSelector: '',
  });
}

/** So expensive that an expression can have no more than two checks. */
const checkCost: Cost = () => 350_000;
/** Parsing a selector, and keeping its requirements. */
const selectorCost: Cost = ([, selector]) => {
  const chars = sizeForCost(selector);
  return 10 + Math.ceil(chars * 0.1) + Math.ceil(Math.ceil(chars * 0.5) * 50);
};

export const AUTHORIZATION: Library = {
  functions: {},
  methods: {
    path: [overload([AUTHORIZER, STRING], PATH_CHECK, pathCheck)],
    group: [
      overload([AUTHORIZER, STRING], GROUP_CHECK, ({ state }, group) => {
        return new AuthorizationValue('GroupCheck', { ...state, group });
      }),
    ],
    serviceAccount: [overload([AUTHORIZER, STRING, STRING], AUTHORIZER, forAccount)],
    resource: [overload([GROUP_CHECK, STRING], RESOURCE_CHECK, resourceCheck)],
    subresource: [narrowing((state, subresource) => ({ ...state, subresource }))],
    namespace: [narrowing((state, namespace) => ({ ...state, namespace }))],
    name: [narrowing((state, name) => ({ ...state, name }))],
    fieldSelector: [narrowing((state, fieldSelector) => ({ ...state, fieldSelector }), selectorCost)],
    labelSelector: [narrowing((state, labelSelector) => ({ ...state, labelSelector }), selectorCost)],
    check: [
      overload([PATH_CHECK, STRING], DECISION, ({ state }, verb) => decide(state, verb), checkCost),
      overload([RESOURCE_CHECK, STRING], DECISION, ({ state }, verb) => decide(state, verb), checkCost),
    ],
    allowed: [overload([DECISION], BOOL, ({ state }) => state.isAllowed)],
    reason: [overload([DECISION], STRING, ({ state }) => state.reason)],
    errored: [overload([DECISION], BOOL, ({ state }) => state.error !== undefined)],
    error: [overload([DECISION], STRING, ({ state }) => state.error ?? '')],
  },
};

function narrowing(narrow: (state: ResourceCheckState, text: string) => ResourceCheckState, cost?: Cost) {
  return overload(
    [RESOURCE_CHECK, STRING],
    RESOURCE_CHECK,
    ({ state }, text) => new AuthorizationValue('ResourceCheck', narrow(state, text)),
    cost,
  );
}

function pathCheck({ state }: Authorizer, path: string): PathCheck {
  if (path.trim() === '') throw new EvaluationError('path must not be empty');
  return new AuthorizationValue('PathCheck', { ...state, path });
}

function forAccount({ state }: Authorizer, namespace: string, name: string): Authorizer {
  if (checkDnsSubdomain(name).length > 0) throw new EvaluationError('Invalid service account name');
  if (checkDnsLabel(namespace).length > 0) throw new EvaluationError('Invalid service account namespace');
  return new AuthorizationValue('Authorizer', { authorize: state.authorize, account: { namespace, name } });
}

function resourceCheck({ state }: GroupCheck, resource: string): ResourceCheck {
  if (resource.trim() === '') throw new EvaluationError('resource must not be empty');
  const nothing = { subresource: '', namespace: '', name: '', fieldSelector: '', labelSelector: '' };
  return new AuthorizationValue('ResourceCheck', { ...state, resource, ...nothing });
}

function decide(state: PathCheck['state'] | ResourceCheck['state'], verb: string): Decision {
  const { authorize, ...question } = state;
  return new AuthorizationValue('Decision', authorize({ ...question, verb }));
}
