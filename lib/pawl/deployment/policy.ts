import { type AskedOf, isMet, type LeadingKey, type Met, matches as matchesPattern, most } from './condition.ts';
import { type Problem, refusal, warned } from './wiring-problem.ts';

/*
 * What IAM's policies decide about one action on one resource. It imports no CDK: it decides about a template, and about what is deployed.
 * ARNs are texts. A part that is not known is in braces.
 */

/** As policies are written. */
export interface Statement {
  readonly Effect?: unknown;
  readonly Action?: unknown;
  readonly NotAction?: unknown;
  readonly Resource?: unknown;
  readonly NotResource?: unknown;
  readonly Principal?: unknown;
  readonly NotPrincipal?: unknown;
  readonly Condition?: unknown;
}

/** What one set of statements says about a request. `perhaps`: under a condition that is known only at run time. */
interface Said {
  readonly allows: Met;
  readonly denies: Met;
}

/** All statements that apply to a request of the function's role. */
export interface Policies {
  /** Those of the role. */
  readonly ofRole: readonly Statement[];
  /** Those of the resource, which name their principals. */
  readonly ofResource: readonly Statement[];
  /** Those of the role's permissions boundary; `'unseen'` when it is made elsewhere, undefined when there is none. */
  readonly boundary: readonly Statement[] | 'unseen' | undefined;
  readonly roleArn: string | undefined;
}

/** What becomes of an action. */
export type AccessDecision =
  | 'allowed'
  | 'allowed, perhaps'
  | 'missing'
  | 'other keys'
  | 'conditional'
  | 'denied'
  | 'outside the boundary'
  | 'denied by the resource';

/** @param leadingKeys the partition keys that the request names; `undefined`: not known, and a condition on them may be met */
export function decideAccess(
  policies: Policies,
  action: string,
  resource: string,
  leadingKeys?: readonly LeadingKey[],
): AccessDecision {
  const decision = decideKnown(policies, { action, leadingKeys }, resource);
  if (decision !== 'missing' || leadingKeys === undefined) return decision;
  // It is granted, and not for these keys.
  return decideKnown(policies, { action, leadingKeys: undefined }, resource) === 'missing' ? 'missing' : 'other keys';
}

function decideKnown(policies: Policies, request: AskedOf, resource: string): AccessDecision {
  const { ofRole, ofResource, boundary, roleArn } = policies;
  const role = said(ofRole, request, resource);
  const about = ofResource.filter((statement) => isAbout(statement, roleArn));
  const byResource = said(about, request, resource);
  const limit = Array.isArray(boundary) ? said(boundary, request, resource) : undefined;
  if (role.denies === 'always') return 'denied';
  if (byResource.denies === 'always') return 'denied by the resource';
  if (limit !== undefined && (limit.allows === 'never' || limit.denies === 'always')) return 'outside the boundary';
  // Within one account either policy is enough. Across accounts the role's own is needed, and the other account's may be out of sight.
  const isOther = isOtherAccount(roleArn, resource);
  const allows = isOther ? [role.allows] : [role.allows, byResource.allows];
  if (!allows.includes('always')) return allows.includes('perhaps') ? 'conditional' : 'missing';
  const isUncertain =
    boundary === 'unseen' ||
    limit?.allows === 'perhaps' ||
    [role, byResource, limit].some((one) => one?.denies === 'perhaps');
  return isUncertain ? 'allowed, perhaps' : 'allowed';
}

function isOtherAccount(roleArn: string | undefined, resource: string): boolean {
  const [one, other] = [roleArn, resource].map((arn) => arn?.split(':')[4]);
  return one !== undefined && other !== undefined && one !== other && !`${one}${other}`.includes('{');
}

function said(statements: readonly Statement[], request: AskedOf, resource: string): Said {
  const about = (effect: string) =>
    most(
      statements
        .filter((one) => one.Effect === effect && covers(one, request.action, resource))
        .map(({ Condition }) => isMet(Condition, request)),
    );
  return { allows: about('Allow'), denies: about('Deny') };
}

function covers(statement: Statement, action: string, resource: string): boolean {
  const { Action, NotAction, Resource, NotResource } = statement;
  const ofAction =
    NotAction === undefined
      ? any(Action, (one) => matches(one, action, 'i'))
      : !any(NotAction, (one) => matches(one, action, 'i'));
  const ofResource =
    NotResource === undefined
      ? any(Resource, (one) => matches(one, resource, ''))
      : !any(NotResource, (one) => matches(one, resource, ''));
  return ofAction && ofResource;
}

/** Whether a statement of a resource's policy applies to the role. */
function isAbout({ Principal, NotPrincipal }: Statement, roleArn: string | undefined): boolean {
  const names = (principal: unknown) => {
    if (principal === '*') return true;
    const aws = typeof principal === 'object' && principal !== null && 'AWS' in principal ? principal.AWS : undefined;
    const account = roleArn?.split(':')[4];
    return any(
      aws,
      (one) => one === '*' || one === roleArn || one === account || one === `arn:aws:iam::${account}:root`,
    );
  };
  return NotPrincipal === undefined ? names(Principal) : !names(NotPrincipal);
}

function any(given: unknown, test: (one: string) => boolean): boolean {
  return [given].flat().some((one) => typeof one === 'string' && test(one));
}

/** Case counts in resources only. The partition of a pattern does not. */
function matches(pattern: string, text: string, flags: 'i' | ''): boolean {
  return matchesPattern(pattern.replace(/^arn:aws[a-z-]*:/, 'arn:aws:'), text, flags);
}

/** The problem with these actions on that resource; none when they are allowed. `fix` is the advice for a missing grant. */
export function permissionProblem(
  decision: AccessDecision,
  actions: readonly string[],
  on: string,
  fix: string,
): readonly Problem[] {
  const may = `The function may not ${actions.join(', ')} on ${on}`;
  switch (decision) {
    case 'allowed':
      return [];
    case 'allowed, perhaps':
      return [
        warned(
          'permissionsUnseen',
          `Whether the function may ${actions.join(', ')} on ${on} is not certain: its role has a permissions boundary that is defined ` +
            'elsewhere, or a denial has a condition. Make sure that it may. Once it is deployed, pawl doctor asks IAM.',
        ),
      ];
    case 'missing':
      return [refusal('permissions', `${may}${fix}`)];
    case 'other keys':
      return [
        refusal(
          'permissions',
          `${may}: the permission has a condition on dynamodb:LeadingKeys, which only other keys meet. Name the operation in the grant: ` +
            "claims.grantClaims(fn, { operations: ['send-email'] }), or claimRights of the Consumer.",
        ),
      ];
    case 'conditional':
      return [
        refusal(
          'permissionsConditional',
          `${may} except under a condition, and only a request at run time shows whether it is met. Give the permission without the ` +
            'condition. If the condition is on dynamodb:LeadingKeys, name the operation (operation of the Consumer, --operation of pawl doctor): ' +
            'then pawl evaluates it. If the condition is always met, set externalPermissions: true instead.',
        ),
      ];
    case 'denied':
      return [
        refusal(
          'permissionsDenied',
          `${may}: a policy of its role denies it, and a denial overrides every grant. Remove the denial.`,
        ),
      ];
    case 'outside the boundary':
      return [
        refusal(
          'permissionsBoundary',
          `${may}: the permissions boundary of its role does not permit it, and no grant reaches beyond a boundary. Add it to the boundary.`,
        ),
      ];
    case 'denied by the resource':
      return [
        refusal(
          'resourcePolicy',
          `${may}: the policy of ${on} denies it, and a denial overrides every grant. Exempt the function's role from the denial.`,
        ),
      ];
  }
}
