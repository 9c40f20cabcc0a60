import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { PlannedRepayment } from '../plan/plan.ts';
import {
  judgeRepayments,
  type RepaymentsStack,
  type RepaymentsVerdict,
  sendRepayments,
  sendRequests,
} from '../traffic/repayments.ts';
import { type Deployed, nameOf, type Part } from './part.ts';
import { thirdOf } from './plan.ts';

/** The repayments: requests over sets of debts that overlap, each sent twice. */
export interface RepaymentsPart extends Part {
  judge(): Promise<RepaymentsVerdict>;
}

export function repaymentsPart(deployed: Deployed, plan: readonly PlannedRepayment[]): RepaymentsPart {
  const { account, outputs } = deployed;
  const debtsTable = outputs['DebtsTableName'] ?? '';
  const url = outputs['RepayDebtsQueueUrl'] ?? '';
  const stack: RepaymentsStack = {
    dynamo: account.dynamo,
    sqs: account.sqs,
    repayments: {
      claimsTable: nameOf(deployed, 'AWS::DynamoDB::Table', 'Claims'),
      debtsTable,
      consumer: { queue: { url } },
    },
  };
  const client = DynamoDBDocumentClient.from(account.dynamo);
  return {
    deployed,
    queues: [url],
    async effects() {
      let repaid = 0;
      for await (const { Items = [] } of paginateScan({ client }, { TableName: debtsTable, ConsistentRead: true })) {
        for (const debt of Items) repaid += Number(debt['repaid'] ?? 0);
      }
      return repaid;
    },
    send: (third) => sendRepayments(stack, thirdOf(plan, third)),
    sendAgain: () => sendRequests(stack, plan),
    answered: async () => undefined,
    judge: () => judgeRepayments(stack, plan),
  };
}
