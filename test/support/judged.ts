import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { User } from 'aws-cdk-lib/aws-iam';
import type { LeadingKey } from '../../lib/pawl/deployment/condition.ts';
import { type AccessDecision, decideAccess, type Statement } from '../../lib/pawl/deployment/policy.ts';
import { actionsOf, type TableAction } from './actions.ts';
import { localClient } from './tables.ts';

const arnOf = (table: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${table}`;

/** What these grants permit, as the template has it; on any resource. */
export function grantedBy(grant: (table: ITable, grantee: User) => void): readonly Statement[] {
  const stack = new Stack(new App(), 'Shop');
  grant(Table.fromTableName(stack, 'Claims', 'claims'), new User(stack, 'Team'));
  const policies = Object.values(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
  return policies.flatMap((policy): Statement[] =>
    policy['Properties'].PolicyDocument.Statement.map((one: Statement) => ({ ...one, Resource: '*' })),
  );
}

/** What becomes of one thing that a request asks for, under these statements. */
export function judge(ofRole: readonly Statement[], { action, table, leadingKeys }: TableAction): AccessDecision {
  const keys: readonly LeadingKey[] = leadingKeys;
  const policies = { ofRole, ofResource: [], boundary: undefined, roleArn: undefined };
  return decideAccess(policies, action, arnOf(table), keys);
}

export interface Judged extends TableAction {
  readonly decision: AccessDecision;
}

/** A client whose requests are refused as AWS would refuse them, unless all that they ask for is allowed. */
export function judgedClient(
  endpoint: string,
  statements: readonly Statement[],
): { readonly client: DynamoDBClient; readonly asked: Judged[] } {
  const client = localClient(endpoint, { maxAttempts: 1 });
  const asked: Judged[] = [];
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        const those = actionsOf(commandName.replace('Command', ''), args.input).map((one) => ({
          ...one,
          decision: judge(statements, one),
        }));
        asked.push(...those);
        const refused = those.find(({ decision }) => decision !== 'allowed');
        if (refused === undefined) return next(args);
        const message = `User: arn:aws:sts::000000000000:assumed-role/team is not authorized to perform: ${refused.action} on resource: ${arnOf(refused.table)}`;
        throw Object.assign(new Error(message), {
          name: 'AccessDeniedException',
          $fault: 'client',
          $metadata: { httpStatusCode: 400 },
        });
      },
    { step: 'initialize', name: 'judge', priority: 'low' },
  );
  return { client, asked };
}
