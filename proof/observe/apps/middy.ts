import middy from '@middy/core';
import sqsPartialBatchFailure from '@middy/sqs-partial-batch-failure';
import type { SQSEvent } from 'aws-lambda';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField } from '../../../lib/pawl/sqs/index.ts';
import { isObserved, ship, watching } from './order.ts';

/** A handler of Middy's, which settles a whole batch at once. */

const each = ({ Records }: SQSEvent) => Promise.allSettled(Records.map(async ({ body }) => ship(JSON.parse(body))));

const wrapped = middy(each, { timeoutEarlyInMillis: 0 }).use(sqsPartialBatchFailure());

export const handler = isObserved ? wrapped.use(sqsOnce({ ...watching('middy'), key: bodyField('orderId') })) : wrapped;
