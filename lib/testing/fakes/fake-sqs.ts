import type { SqsTransport } from 'pawl/internal';

/** A message that was sent. */
export interface SentMessage {
  readonly queueUrl: string;
  readonly body: string;
  /** Of a dead letter: why it is there, such as `invalid-message`. */
  readonly reason: string | undefined;
  /** Of a dead letter: the error that it came with. */
  readonly error: string | undefined;
}

/** A message that was hidden before it comes again. */
export interface HiddenMessage {
  readonly receiptHandle: string;
  readonly seconds: number;
}

interface Input {
  readonly QueueUrl?: string;
  readonly MessageBody?: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>;
  readonly Entries?: readonly {
    readonly Id?: string;
    readonly ReceiptHandle?: string;
    readonly VisibilityTimeout?: number;
  }[];
}

/** An SQS that takes whatever it is sent, and remembers it. */
export function fakeSqs(): SqsTransport & {
  sent(): readonly SentMessage[];
  hidden(): readonly HiddenMessage[];
  reset(): void;
} {
  let sent: SentMessage[] = [];
  let hidden: HiddenMessage[] = [];
  return {
    async call(operation, input: Input) {
      const { QueueUrl = '', MessageBody = '', MessageAttributes = {}, Entries = [] } = input;
      switch (operation) {
        case 'SendMessage': {
          const said = (name: string) => MessageAttributes[name]?.StringValue;
          sent.push({ queueUrl: QueueUrl, body: MessageBody, reason: said('pawl-reason'), error: said('pawl-error') });
          return { MessageId: `sent-${sent.length}` };
        }
        case 'ChangeMessageVisibilityBatch':
          for (const { ReceiptHandle = '', VisibilityTimeout = 0 } of Entries)
            hidden.push({ receiptHandle: ReceiptHandle, seconds: VisibilityTimeout });
          return { Successful: Entries.map(({ Id }) => ({ Id })), Failed: [] };
        case 'GetQueueAttributes':
          return { Attributes: { RedrivePolicy: JSON.stringify({ maxReceiveCount: 5 }) } };
        default:
          return {};
      }
    },
    sent: () => sent,
    hidden: () => hidden,
    reset() {
      sent = [];
      hidden = [];
    },
  };
}
