import type { CfnResource } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  decideAccess,
  type LeadingKey,
  listIn,
  type Policies,
  type Problem,
  partOf,
  permissionProblem,
  type Statement,
  withoutPartition,
} from 'pawl/deployment';
import { arnOf, rendered, resolvedIn, resourceBehind, resourcesOf } from './rendered.ts';

/** What a function needs of one resource. */
export interface Need {
  readonly actions: readonly string[];
  /** With its references evaluated. */
  readonly resourceArn: string;
  /** What the resource is, for the message. */
  readonly of: string;
  /** The partition keys that the requests name, if that is known. */
  readonly leadingKeys?: readonly LeadingKey[] | undefined;
}

/**
 * What keeps the function's role from what it needs.
 *
 * A grant cannot be trusted to have done anything: for a role that was imported as immutable, and for a function that was
 * imported without its role, CDK drops it and reports success. So what counts is what the template's policies say.
 */
export function permissionProblems(aFunction: IFunction, needs: readonly Need[]): readonly Problem[] {
  const roleArn = roleArnOf(aFunction);
  const fix =
    roleArn === undefined
      ? 'Import the function with its role (Function.fromFunctionAttributes), or give the permissions where the role is made'
      : 'Import the role as mutable, or give the permissions where it is made';
  const ofRole = roleArn === undefined ? undefined : policiesOf(aFunction, roleArn);
  return needs.flatMap(({ actions, resourceArn, of, leadingKeys }) => {
    const policies: Policies = {
      ofRole: ofRole?.statements ?? [],
      boundary: ofRole?.boundary,
      ofResource: resourcePolicies(aFunction, resourceArn),
      roleArn,
    };
    const decisions = Map.groupBy(actions, (action) => decideAccess(policies, action, resourceArn, leadingKeys));
    return [...decisions].flatMap(([decision, those]) =>
      permissionProblem(
        decision,
        those,
        of,
        `, and its role takes no grants. ${fix} and set externalPermissions: true.`,
      ),
    );
  });
}

/** The role that the function is deployed with; undefined when it was imported without. */
function roleArnOf(aFunction: IFunction): string | undefined {
  const made = resourceBehind(aFunction, 'AWS::Lambda::Function');
  const arn = made === undefined ? undefined : rendered(made)?.properties['Role'];
  if (typeof arn === 'string') return withoutPartition(arn);
  const imported = aFunction.role === undefined ? undefined : resolvedIn(aFunction, aFunction.role.roleArn);
  return typeof imported === 'string' ? withoutPartition(imported) : undefined;
}

const policies = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::RolePolicy'] as const;

/** What the policies in the app permit a role, whether they are inline, attached, or managed, and what limits it. */
function policiesOf(
  aFunction: IFunction,
  roleArn: string,
): { statements: readonly Statement[]; boundary: Policies['boundary'] } {
  const name = roleArn.split('/').at(-1);
  const role = resourcesOf(aFunction, 'AWS::IAM::Role').find((one) => arnOf(one) === roleArn);
  const own = role === undefined ? {} : (rendered(role)?.properties ?? {});
  const managed = listIn(own['ManagedPolicyArns']);
  const statements = listIn(own['Policies']).flatMap((policy) => statementsIn(partOf(policy)['PolicyDocument']));
  for (const policy of resourcesOf(aFunction, ...policies)) {
    const { Roles, RoleName, PolicyDocument } = rendered(policy)?.properties ?? {};
    const applies = [RoleName, ...listIn(Roles)].includes(name) || managed.includes(arnOf(policy) ?? '');
    if (applies) statements.push(...statementsIn(PolicyDocument));
  }
  return { statements, boundary: boundaryOf(aFunction, own['PermissionsBoundary']) };
}

function boundaryOf(aFunction: IFunction, arn: unknown): Policies['boundary'] {
  if (arn === undefined) return undefined;
  const policy = resourcesOf(aFunction, 'AWS::IAM::ManagedPolicy').find((one) => arnOf(one) === arn);
  return policy === undefined ? 'unseen' : statementsIn(rendered(policy)?.properties['PolicyDocument']);
}

/** The policies that stand at a queue or a table. */
function resourcePolicies(aFunction: IFunction, arn: string): readonly Statement[] {
  const [, , service, region, account, name] = arn.split(':');
  if (service === 'sqs') {
    const url = `https://sqs.${region}.amazonaws.com/${account}/${name}`;
    return resourcesOf(aFunction, 'AWS::SQS::QueuePolicy', 'AWS::SQS::QueueInlinePolicy').flatMap((policy) => {
      const { Queues, Queue, PolicyDocument } = rendered(policy)?.properties ?? {};
      return [Queue, ...listIn(Queues)].includes(url) ? statementsIn(PolicyDocument) : [];
    });
  }
  const tables = resourcesOf(aFunction, 'AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable');
  return tables.filter((table) => arnOf(table) === arn).flatMap(tablePolicies);
}

function tablePolicies(table: CfnResource): readonly Statement[] {
  const { ResourcePolicy, Replicas } = rendered(table)?.properties ?? {};
  const all = [ResourcePolicy, ...listIn(Replicas).map((replica) => partOf(replica)['ResourcePolicy'])];
  return all.flatMap((policy) => statementsIn(partOf(policy)['PolicyDocument']));
}

function statementsIn(document: unknown): Statement[] {
  return [partOf(document)['Statement']].flat().map(partOf);
}
