import { itemsOf, timesRepaidIn } from '../app/records.ts';
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
      debtsTable,
      consumer: { queue: { url } },
    },
  };
  const timesRepaid = async () => timesRepaidIn(await itemsOf(account.dynamo, debtsTable));
  const locks = () => itemsOf(account.dynamo, nameOf(deployed, 'AWS::DynamoDB::Table', 'Claims'));
  return {
    deployed,
    queues: [url],
    effects: async () => [...(await timesRepaid()).values()].reduce((sum, times) => sum + times, 0),
    send: (third) => sendRepayments(stack, thirdOf(plan, third)),
    sendAgain: () => sendRequests(stack, plan),
    answered: async () => undefined,
    judge: () => judgeRepayments({ timesRepaid, locks }, plan),
  };
}
