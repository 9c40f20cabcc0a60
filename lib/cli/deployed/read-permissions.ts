import {
  type EvaluationResult,
  type IAMClient,
  paginateSimulatePrincipalPolicy,
  type SimulatePrincipalPolicyRequest,
} from '@aws-sdk/client-iam';
import {
  type AccessDecision,
  decideAccess,
  type LeadingKey,
  leadingKeysCondition,
  type Permission,
  type Statement,
} from 'pawl/deployment';
import { orUndefined } from './or-undefined.ts';

/** What a function needs of one resource. */
export interface Need {
  readonly actions: readonly string[];
  /** `undefined`: the resource is not known, so nothing is asked. */
  readonly arn: string | undefined;
  readonly on: string;
  /** The partition keys that the requests name, if that is known. */
  readonly leadingKeys?: readonly LeadingKey[] | undefined;
  /** What the resource's own policy says, which IAM does not simulate for a role. */
  readonly policy: readonly Statement[];
}

/** Asks IAM what the role may do, by its policies and its permissions boundary. */
export async function readPermissions(
  iam: IAMClient,
  role: string | undefined,
  needs: readonly Need[],
): Promise<readonly Permission[] | undefined> {
  if (role === undefined) return undefined;
  return orUndefined(async () => {
    const found: Permission[] = [];
    for (const { actions, arn, on, policy, leadingKeys } of needs) {
      if (arn === undefined) continue;
      const question = { PolicySourceArn: role, ResourceArns: [arn], ...contextOf(leadingKeys) };
      for await (const page of paginateSimulatePrincipalPolicy(
        { client: iam },
        { ...question, ActionNames: [...actions] },
      )) {
        for (const result of page.EvaluationResults ?? []) {
          const action = result.EvalActionName ?? '';
          found.push({ action, on, decision: withPolicy(decisionOf(result), { role, action, arn, policy }) });
        }
      }
    }
    return found;
  });
}

/** What a simulated request names. IAM simulates no beginnings, so a key is made up. */
function contextOf(
  leadingKeys: readonly LeadingKey[] | undefined,
): Pick<SimulatePrincipalPolicyRequest, 'ContextEntries'> {
  if (leadingKeys === undefined) return {};
  const ContextKeyValues = leadingKeys.map((key) => (typeof key === 'string' ? key : `${key.startsWith}pawl-doctor`));
  return { ContextEntries: [{ ContextKeyName: leadingKeysCondition, ContextKeyType: 'stringList', ContextKeyValues }] };
}

function decisionOf(result: EvaluationResult): AccessDecision {
  if (result.EvalDecision === 'allowed') return 'allowed';
  if (result.PermissionsBoundaryDecisionDetail?.AllowedByPermissionsBoundary === false) return 'outside the boundary';
  if (result.EvalDecision === 'explicitDeny') return 'denied';
  return (result.MissingContextValues?.length ?? 0) > 0 ? 'conditional' : 'missing';
}

interface Question {
  readonly role: string;
  readonly action: string;
  readonly arn: string;
  readonly policy: readonly Statement[];
}

/** The policy of the resource may deny what the role's policies permit. Within one account, it may also permit what they do not. */
function withPolicy(byRole: AccessDecision, { role, action, arn, policy }: Question): AccessDecision {
  if (byRole !== 'allowed' && byRole !== 'missing') return byRole;
  const ofRole = byRole === 'allowed' ? [{ Effect: 'Allow', Action: action, Resource: '*' }] : [];
  return decideAccess({ ofRole, ofResource: policy, boundary: undefined, roleArn: role }, action, arn);
}
