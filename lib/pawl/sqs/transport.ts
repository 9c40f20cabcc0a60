import type { SQSClient } from '@aws-sdk/client-sqs';

/** What pawl asks of SQS, by the names of its API. */
export type SqsOperation = 'ChangeMessageVisibilityBatch' | 'GetQueueAttributes' | 'SendMessage';

/**
 * Carries requests of pawl to SQS: `leanSqs()`, or the AWS SDK's client inside. It is for pawl's own requests, and no client for an application.
 *
 * @example
 * import { leanSqs } from 'pawl/sqs/lean';
 *
 * const sqsClient: SqsTransport = leanSqs();
 */
export interface SqsTransport {
  /** Tells it from the AWS SDK's client. */
  readonly kind: 'sqs-transport';
  /**
   * Sends a request, and again as often as its policy allows.
   *
   * @param input as SQS's API has it
   * @param options `abortSignal` gives the request up. It may have been applied
   * @returns SQS's response
   * @throws an error with the name of SQS's
   */
  call(operation: SqsOperation, input: object, options?: { readonly abortSignal?: AbortSignal }): Promise<object>;
}

/**
 * The way to SQS of a door, from the client that its author may have given: that of the AWS SDK, or the lean one.
 *
 * @throws OptionError when the client is of the wrong kind
 */
export type WayToSqs = (client: SQSClient | SqsTransport | undefined) => SqsTransport;

export function isSqsTransport(client: unknown): client is SqsTransport {
  return typeof client === 'object' && client !== null && 'kind' in client && client.kind === 'sqs-transport';
}
