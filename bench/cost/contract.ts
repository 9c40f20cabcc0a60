import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Aws } from '../../lib/pawl/aws/aws.ts';
import type { Delivery } from './scenarios.ts';

/** What a contender is given: all get the same client, a table of their own, and the effect to have once per message. */
export interface World {
  readonly client: DynamoDBClient;
  /** Of the lean contender, in place of the client. */
  readonly lean: Aws;
  readonly tableName: string;
  /** How many effects pawl runs at once. @default its own */
  readonly concurrency?: number | undefined;
  /** The effect of one message. It throws where it fails, and takes no time unless its run says so. */
  readonly effect: (messageId: string) => void | Promise<void>;
}

/**
 * Answers, for a batch, the invocation that is timed. What it answers is a batch response, or nothing. Whatever is done
 * before the invocation is not timed: only the floor makes use of that.
 */
export type Contender = (world: World) => (delivery: Delivery) => () => Promise<unknown>;
