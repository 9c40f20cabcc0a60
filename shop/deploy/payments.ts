import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { constructOf, operationOfChain } from '../app/app-functions.ts';
import { messagesInOutbox } from '../app/records.ts';
import { chainEffects } from '../plan/chain-plan.ts';
import { planMisstatements } from '../plan/misstatements.ts';
import type { PlannedPayment } from '../plan/plan.ts';
import { type Callbacks, together } from '../providers/callbacks.ts';
import type { Processor } from '../providers/processor.ts';
import { judgePayments, type PaymentsVerdict } from '../traffic/payments.ts';
import { type Deployed, nameOf, type Part } from './part.ts';
import { thirdOf } from './plan.ts';

/** How long the processor calls again, from each time that it starts to report. */
const reportMs = 150_000;
/** Between two payments, in milliseconds: each invocation that is under way is a process of this machine. */
const apartMs = 400;
/** How many callbacks are handled at once. The processor calls again after a throttled one. */
const callbacksAtOnce = 3;

/** The payments, which the processor reports to the HTTP API. */
export interface PaymentsPart extends Part {
  /** Where the processor calls. */
  readonly callbackUrl: string;
  /** How many messages lie in the outbox. */
  outboxLeft(): Promise<number>;
  judge(): Promise<PaymentsVerdict>;
}

export async function paymentsPart(
  deployed: Deployed,
  plan: readonly PlannedPayment[],
  { processor, certificate }: { readonly processor: Processor; readonly certificate: string },
): Promise<PaymentsPart> {
  const { account, outputs } = deployed;
  const callbackUrl = account.reachable(outputs['CallbackUrl'] ?? '');
  const callback = nameOf(deployed, 'AWS::Lambda::Function', constructOf['payment-callback']);
  await account.limitConcurrency(callback, callbacksAtOnce);
  const queue = nameOf(deployed, 'AWS::SQS::Queue', `${constructOf['post-payment']}Queue`);
  // What follows from a payment.
  const behind = chainEffects.map((effect) =>
    nameOf(deployed, 'AWS::SQS::Queue', `${constructOf[operationOfChain[effect]]}Queue`),
  );
  const client = DynamoDBDocumentClient.from(account.dynamo);
  const misstatements = planMisstatements(plan);
  processor.misstate(misstatements);
  const reports: Promise<Callbacks>[] = [];
  const report = (payments: readonly PlannedPayment[]) => {
    const reporting = processor.report(callbackUrl, payments, Date.now() + reportMs, {
      certificate,
      apartMs: apartMs,
    });
    // It is waited for at the end. Until then its rejection must not end the process.
    reporting.catch(() => undefined);
    reports.push(reporting);
  };
  return {
    deployed,
    callbackUrl,
    queues: [queue, ...behind],
    outboxLeft: () => messagesInOutbox(account.dynamo, outputs['OutboxTableName'] ?? ''),
    async effects() {
      let entries = 0;
      const TableName = outputs['LedgerTableName'];
      for await (const { Count = 0 } of paginateScan({ client }, { TableName, ConsistentRead: true })) entries += Count;
      return entries / 2;
    },
    async send(third) {
      report(thirdOf(plan, third));
    },
    async sendAgain() {
      report(plan.map(({ payment }) => ({ payment, flawedCalls: 0, kill: undefined, outage: undefined })));
      for (let start = 0; start < plan.length; start += 10) {
        const Entries = plan.slice(start, start + 10).map(({ payment }, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify(payment),
        }));
        const { Failed = [] } = await account.sqs.client.send(
          new SendMessageBatchCommand({ QueueUrl: queue, Entries }),
        );
        if (Failed.length > 0) throw new Error(`SQS refused ${Failed.length} messages: ${Failed[0]?.Message}`);
      }
    },
    answered: () => Promise.all(reports),
    async judge() {
      const drift = outputs['LedgerDriftFunction'] ?? '';
      const findDrift = async () => ({ kind: 'response', value: await account.invoke(drift, {}) }) as const;
      return judgePayments({ findDrift }, plan, together(await Promise.all(reports)), misstatements.toBeFound);
    },
  };
}
