import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { type Claim, failOpen, memoryStore, once, reconcile, renewedLease } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, snsEnvelope } from '../../../lib/pawl/sqs/index.ts';
import { eachTransaction, type TransactionHandler } from '../../../lib/pawl/transactions/index.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { add, operation } from './outside.ts';

interface Body {
  readonly payment: string;
}

const common = { operation, key: bodyField('payment') };
const forBatch = { ...common, onAbandoned: 'retry', store: memoryStore() } as const;
const forOnce = { operation, store: memoryStore(), key: ({ payment }: Body) => payment, onAbandoned: 'retry' } as const;
const forHttp = { operation, store: memoryStore(), caller: 'anyone', onAbandoned: 'retry' } as const;
const forTransactions = { ...common, store: memoryTransactions(memoryStore()).store };
const asks = reconcile<unknown>({ ask: () => ({ verdict: 'inconclusive' }), settleMs: 1000 });
const writes: TransactionHandler<Body> = ({ body }) => [add(body.payment)];

/** Compiled, and never called: what the matrix refuses cannot be written with types. */
export function doesNotCompile(): unknown[] {
  const withClaim = (_: unknown, claim: Claim) => claim.effect(() => []);
  const batchWithClaim = (_: SQSEvent, __: Context, claim: Claim) => claim.effect(() => undefined);
  return [
    // @ts-expect-error a batch handler holds all its claims for the rest of the invocation
    sqsOnce<Body>({ ...forBatch, lease: renewedLease(6000) }),
    // @ts-expect-error as above
    sqsOnce<Body>({ ...forBatch, timeoutMs: 1000 }),
    // @ts-expect-error a batch handler is handed no claim
    sqsOnce<Body>({ ...forBatch, marksEffect: true }),
    // @ts-expect-error a batch handler is handed no claim
    middy(batchWithClaim).use(sqsOnce<Body>(forBatch)),
    // @ts-expect-error nothing can be in doubt
    eachTransaction<Body>({ ...forTransactions, onAbandoned: 'park' }, writes),
    // @ts-expect-error nothing can be in doubt
    eachTransaction<Body>({ ...forTransactions, onAbandoned: asks }, writes),
    // @ts-expect-error nothing can be in doubt
    eachTransaction<Body>({ ...forTransactions, lease: renewedLease(6000) }, writes),
    // @ts-expect-error nothing can be in doubt
    eachTransaction<Body>({ ...forTransactions, marksEffect: true }, writes),
    // @ts-expect-error what fails open cannot commit
    eachTransaction<Body>({ ...forTransactions, store: failOpen(memoryStore(), () => undefined) }, writes),
    // @ts-expect-error it is an option of consumers of SQS
    once<Body, void>({ ...forOnce, envelope: snsEnvelope() }, () => undefined),
    // @ts-expect-error as above
    onceOverHttp({ ...forHttp, envelope: snsEnvelope() }, () => ({ statusCode: 200 })),
    // @ts-expect-error as above
    httpOnce({ ...forHttp, envelope: snsEnvelope() }),
    // @ts-expect-error its function is given no claim
    eachTransaction<Body>(forTransactions, withClaim),
  ];
}
