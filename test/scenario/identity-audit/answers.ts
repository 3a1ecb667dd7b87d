/**
 * What each route of identity answers to the findings of the audit (docs/findings.md). Most follows from the row; what does not stands here, a line for each
 * route, so that a new route without its answers is a compile error. Either a finding applies, and identity-audit.test.ts proves its mend on a real node, or
 * a reason says why it does not.
 */
import { routes } from '#actors/identity/routes.ts';
import type { RouteRow } from '#actors/protocol/route.ts';

export type RouteName = keyof typeof routes;

export const FINDINGS = {
  I1: 'a bearer of another customer’s tenant, a superadmin’s too, does nothing here',
  I2: 'the event names actor, target and address',
  I4: 'callers of one /64 share a bucket',
  I4a: 'guesses at one account, and mails to one address, are bounded whatever the callers’ addresses are',
  I7: 'tabs that refresh at once stay logged in',
  I8: 'a key changes no factor, login or account of a person',
  I9: 'a body that is read before a credential counts is small, and its route has a rate',
  I11: 'tokens of before the tenant was made anew, and of before a demotion, do not count',
  I12: 'unknown members are refused',
  I13: 'a tenant that is not active is a declared refusal, no fault of the server',
  I15: 'strangers learn no more of tenants than a login tells',
} as const;
export type Finding = keyof typeof FINDINGS;

/** A reason why a finding does not apply; null: it applies. */
type Why = string | null;

interface Line {
  /** I2: `event`, or why there is none. */
  readonly event: Why;
  /** I4: what is bounded for one account or address, or why nothing is. */
  readonly bounded: 'passwords' | 'mails' | { readonly why: string };
  /** I12; absent where the row has no body. */
  readonly members?: Why;
}

const READS = 'it reads what its caller may read, and changes nothing';
const NO_SECRET = { why: 'it takes no password and mails nothing' } as const;
const ONE_TIME = { why: 'a link’s secret has 256 bits: it is not guessed' } as const;
const ISSUED = { why: 'a token or key has 256 bits: it is not guessed' } as const;
const BY_SIX = { why: 'codes are counted for each holder: test/actors/identity/mfa/wrong-codes.test.ts' } as const;
const AS_LOGINS =
  'its clients are many, and a member that does nothing here does no harm (docs/decisions/identity.md ID-78)';
const CONTRACT = 'the body is of the contract’s first version, which ignores what it does not know';
const RFC = 'RFC 7662 §2.1 and RFC 7009 §2.1: unknown parameters are ignored';
const OPERATORS = { why: 'its callers are operators with a credential, and no password is checked' } as const;

export const LINES: Readonly<Record<RouteName, Line>> = {
  bootstrap: { event: null, bounded: ISSUED, members: CONTRACT },
  issueKey: { event: null, bounded: NO_SECRET, members: CONTRACT },
  revokeKey: { event: null, bounded: NO_SECRET },
  revokeNothing: { event: null, bounded: NO_SECRET },
  revokeEmpty: { event: null, bounded: NO_SECRET },
  exchangeKey: { event: null, bounded: ISSUED },
  jwks: { event: 'public keys, the same for everybody', bounded: NO_SECRET },
  setupTotp: { event: null, bounded: NO_SECRET },
  enableTotp: { event: null, bounded: BY_SIX, members: CONTRACT },
  disableTotp: { event: null, bounded: BY_SIX, members: CONTRACT },
  renewRecoveryCodes: { event: null, bounded: BY_SIX, members: AS_LOGINS },
  registerTenant: { event: null, bounded: OPERATORS, members: null },
  provisionTenant: { event: null, bounded: OPERATORS, members: null },
  impersonate: { event: null, bounded: OPERATORS, members: CONTRACT },
  nodeBuckets: { event: null, bounded: OPERATORS },
  nodeCluster: { event: null, bounded: OPERATORS },
  nodeVault: { event: null, bounded: OPERATORS },
  nodeFigures: { event: null, bounded: OPERATORS },
  nodeHealth: { event: null, bounded: OPERATORS },
  nodeConfiguration: { event: null, bounded: OPERATORS },
  nodeLogs: { event: null, bounded: OPERATORS },
  nodeLoad: { event: null, bounded: OPERATORS },
  makeTenantPlan: { event: null, bounded: OPERATORS, members: null },
  showTenantPlan: { event: null, bounded: OPERATORS },
  applyTenantPlan: { event: null, bounded: OPERATORS, members: null },
  tenantLocks: { event: null, bounded: OPERATORS },
  releaseTenantLock: { event: null, bounded: OPERATORS },
  tenantSeeds: { event: null, bounded: OPERATORS },
  runTenantSeeds: { event: null, bounded: OPERATORS, members: null },
  tenantRetention: { event: null, bounded: OPERATORS },
  previewTenantRetention: { event: null, bounded: OPERATORS },
  runTenantRetention: { event: null, bounded: OPERATORS, members: null },
  nodeTenants: { event: null, bounded: OPERATORS },
  nodeSlow: { event: null, bounded: OPERATORS },
  deployTenants: { event: null, bounded: OPERATORS },
  deployRevision: { event: null, bounded: OPERATORS },
  deployPlan: { event: null, bounded: OPERATORS, members: null },
  deployApply: { event: null, bounded: OPERATORS, members: null },
  login: { event: null, bounded: 'passwords', members: CONTRACT },
  refresh: { event: null, bounded: ISSUED, members: CONTRACT },
  logout: { event: null, bounded: ISSUED, members: CONTRACT },
  requestReset: { event: null, bounded: 'mails', members: CONTRACT },
  confirmReset: { event: null, bounded: ONE_TIME, members: CONTRACT },
  confirmPassword: { event: null, bounded: ONE_TIME, members: CONTRACT },
  requestMagicLink: { event: null, bounded: 'mails', members: CONTRACT },
  consumeMagicLink: { event: null, bounded: ONE_TIME, members: CONTRACT },
  requestCode: { event: null, bounded: 'mails', members: AS_LOGINS },
  consumeCode: {
    event: null,
    bounded: { why: 'wrong codes are counted for each address: test/actors/identity/code/consume-code.test.ts' },
    members: AS_LOGINS,
  },
  introspect: { event: READS, bounded: ISSUED, members: RFC },
  revoke: { event: null, bounded: ISSUED, members: RFC },
  discover: { event: 'what everybody may know of a position', bounded: NO_SECRET },
  startOauth: { event: null, bounded: NO_SECRET },
  finishOauth: { event: null, bounded: ISSUED },
  webauthnBegin: { event: null, bounded: NO_SECRET },
  webauthnFinish: { event: null, bounded: NO_SECRET, members: null },
  webauthnLoginBegin: { event: null, bounded: NO_SECRET },
  webauthnLoginFinish: {
    event: null,
    bounded: { why: 'a user logs in 20 times at once, then every 5 s: test/actors/identity/passkey/login.test.ts' },
    members: null,
  },
  listPasskeys: { event: null, bounded: NO_SECRET },
  changePasskey: { event: null, bounded: NO_SECRET, members: null },
  removePasskey: { event: null, bounded: NO_SECRET },
  listSessions: { event: null, bounded: NO_SECRET, members: CONTRACT },
  revokeSession: { event: null, bounded: NO_SECRET, members: CONTRACT },
  rotateSession: { event: null, bounded: NO_SECRET, members: CONTRACT },
  listUsers: { event: null, bounded: NO_SECRET },
  listRoles: { event: null, bounded: NO_SECRET },
  showUser: { event: null, bounded: NO_SECRET },
  addUser: { event: null, bounded: { why: 'an administrator names it, and its address gets one mail' }, members: null },
  changeUser: { event: null, bounded: NO_SECRET, members: null },
  removeUser: { event: null, bounded: NO_SECRET },
  resetSecondFactor: { event: null, bounded: NO_SECRET },
  sendReset: { event: null, bounded: 'mails' },
  listUserSessions: { event: null, bounded: NO_SECRET },
  endUserSessions: { event: null, bounded: NO_SECRET },
  endUserSession: { event: null, bounded: NO_SECRET },
  unlinkProvider: { event: null, bounded: NO_SECRET },
  importUsers: {
    event: null,
    bounded: { why: 'an administrator names them, and none of them is mailed' },
    members: 'its body is rows, each with an answer of its own: test/scenario/user-import.test.ts',
  },
  exportUser: { event: null, bounded: NO_SECRET },
  eraseUser: { event: null, bounded: NO_SECRET },
  listErasures: { event: null, bounded: NO_SECRET },
  listAdminKeys: { event: null, bounded: NO_SECRET },
  makeAdminKey: { event: null, bounded: NO_SECRET, members: null },
  changeAdminKey: { event: null, bounded: NO_SECRET, members: null },
  revokeAdminKey: { event: null, bounded: NO_SECRET },
  revokeAdminKeys: { event: null, bounded: NO_SECRET, members: null },
  signUp: { event: null, bounded: 'mails', members: AS_LOGINS },
  confirmAccount: { event: null, bounded: ONE_TIME, members: null },
  createInvitation: { event: null, bounded: 'mails', members: null },
  listInvitations: { event: null, bounded: NO_SECRET },
  deleteInvitation: { event: null, bounded: NO_SECRET },
  captchaChallenge: { event: 'it writes nothing, and counts only when it is shown', bounded: NO_SECRET },
  createGuest: {
    event: null,
    bounded: { why: 'each makes a user of its own, and accounts.guests.max bounds them' },
    members: null,
  },
  upgradeGuest: { event: null, bounded: 'mails', members: null },
  showMe: { event: 'a page asks at each view (docs/contract/identity-users.md §8.5)', bounded: NO_SECRET },
  changeMe: { event: null, bounded: NO_SECRET, members: null },
  deleteMe: { event: null, bounded: 'passwords', members: null },
  changePassword: { event: null, bounded: 'passwords', members: null },
  changeEmail: { event: null, bounded: 'passwords', members: null },
  confirmEmail: { event: null, bounded: ONE_TIME, members: null },
  exportMe: { event: null, bounded: NO_SECRET },
  listIdentities: { event: null, bounded: NO_SECRET },
  startLink: { event: null, bounded: NO_SECRET, members: null },
  finishLink: {
    event: null,
    bounded: ISSUED,
    members: 'providers add parameters of their own, which the product’s page passes on (RFC 6749 §4.1.2)',
  },
  removeIdentity: { event: null, bounded: NO_SECRET },
  beginProof: { event: 'it writes nothing, and counts only when it is answered', bounded: NO_SECRET },
  giveProof: { event: null, bounded: 'passwords', members: null },
  listOwnSessions: { event: null, bounded: NO_SECRET },
  endOwnSession: { event: null, bounded: NO_SECRET },
};

/** Routes that the contract's tables of errors name: a tenant that is not active is their 500 (docs/contract/identity.md §6). */
const OF_THE_TABLES = /^\/(?:auth\/(?:apikey|token|mfa)|internal|superadmin)(?:\/|$)/;
/** Routes that change how a person logs in, or the person's account. */
const PERSONAL = /^\/auth\/(?:mfa|webauthn|me)(?:\/|$)/;

export const rowOf = (name: RouteName): RouteRow => routes[name];

/** Null where the finding applies to the route. */
export function whyNot(name: RouteName, finding: Finding): Why {
  const row = rowOf(name);
  const { auth } = row.callers;
  const { event, bounded, members } = LINES[name];
  switch (finding) {
    case 'I1':
    case 'I11':
      return auth === 'none' ? 'it reads no credential' : null;
    case 'I2':
      return event;
    case 'I4':
      return row.rate === undefined ? 'it wants a credential, and its callers have the rates of their tenant' : null;
    case 'I4a':
      return typeof bounded === 'string' ? null : bounded.why;
    case 'I7':
      return name === 'refresh' ? null : 'it rotates no refresh token';
    case 'I8':
      if (!PERSONAL.test(row.path)) return 'it changes no factor and no account of a person';
      return row.callers.keys === null
        ? null
        : 'the contract lets a key enrol (docs/contract/identity-users.md §3.1); docs/findings.md I8 says what bounds it';
    case 'I9':
      return row.body === 'none'
        ? 'it has no body'
        : auth === 'required' && row.bodyBytesMax === undefined
          ? 'a credential is read first'
          : null;
    case 'I12':
      return row.request === undefined ? 'it has no body' : members!;
    case 'I13':
      if (row.position === 'none') return 'it belongs to no tenant';
      return OF_THE_TABLES.test(row.path)
        ? 'the contract states 500 `engine_unavailable` (docs/decisions/identity.md ID-77)'
        : null;
    case 'I15':
      if (auth !== 'none') return 'it wants a credential';
      return row.position === 'none' ? 'it belongs to no tenant' : null;
  }
}
