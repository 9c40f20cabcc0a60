import { type SESv2Client, SESv2ServiceException, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { bodyField, eachMessage } from 'pawl/sqs';
import { backoffSeconds, type Wiring } from './environment.ts';
import { Order } from './order.ts';

interface EmailWiring extends Wiring {
  readonly ses: Pick<SESv2Client, 'send'>;
  /** The address that mails come from. */
  readonly sender: string;
}

/** Sends one mail for each order. */
export function emailConsumer({ ses, sender, ...wiring }: EmailWiring) {
  return eachMessage(
    {
      ...wiring,
      operation: 'send-email',
      schema: Order,
      key: bodyField('orderId'),
      // SES cannot be asked whether it sent a mail, and a customer who gets two is worse off than one whose mail a person
      // looks into: never twice.
      onAbandoned: 'park',
      classify: refusedBySes,
      marksEffect: true,
      // One at a time: a worker that dies leaves one mail in doubt, and not its whole batch.
      concurrency: 1,
      backoffSeconds,
    },
    async ({ body: order }, claim) => {
      const mail = new SendEmailCommand({
        FromEmailAddress: sender,
        Destination: { ToAddresses: [order.customer.email] },
        EmailTags: [{ Name: 'orderId', Value: order.orderId }],
        Content: {
          Simple: {
            Subject: { Data: `Your order ${order.orderId}` },
            Body: { Text: { Data: `Dear ${order.customer.name},\n\nthank you for your order. It is on its way.\n` } },
          },
        },
      });
      await claim.effect(() => ses.send(mail, { abortSignal: claim.signal }));
    },
  );
}

/** A request that SES refused as the client's fault has sent nothing. All else (its own faults, time-outs) is unknown. */
function refusedBySes(error: unknown): 'retryable' | 'rejected' | 'unknown' {
  if (!(error instanceof SESv2ServiceException) || error.$fault !== 'client') return 'unknown';
  const forGood = error.name === 'MessageRejected' || error.name === 'BadRequestException';
  return forGood ? 'rejected' : 'retryable';
}
