import type { ClaimsTable, Consumer } from '@pawl/cdk';
import type { Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Claim, ClaimRecord, OnceFunction } from 'pawl';
import type { Aws, DynamoStore } from 'pawl/dynamodb';
import type { DynamoLockStore, Locks, WorkingLock } from 'pawl/locks';
import type { Operator } from 'pawl/operate';
import type { BodySchema, Message, SqsHandler } from 'pawl/sqs';
import type { TransactionalStore } from 'pawl/transactions';
import type { NamedWorkflow } from 'pawl/workflows';

/**
 * What the examples in docstrings use without declaring it: an application in ten names. A reader understands each by its name. Add to it only what many
 * examples share; an example declares the rest itself, and imports what another entry or package exports.
 */
declare global {
  interface Order {
    readonly id: string;
    readonly customer: string;
    readonly email: string;
    readonly amountCents: number;
  }

  interface Payment {
    readonly id: string;
    readonly customer: string;
    readonly amountCents: number;
    /** The debts that it repays. */
    readonly debts: readonly string[];
  }

  /** The idempotency key for a provider, and the signal that ends a call in time. */
  interface Call {
    readonly idempotencyKey: string;
    readonly signal?: AbortSignal;
  }

  /** Its schema, of a library such as Valibot or Zod. */
  const Order: BodySchema<Order>;

  const order: Order;
  const payment: Payment;

  /** The claims table, from any of the functions that open it. */
  const store: TransactionalStore & DynamoStore;
  const aws: Aws;
  /** What a handler gets beside its message. */
  const claim: Claim;
  /** What a claims table holds. */
  const record: ClaimRecord;
  const message: Message<Order>;
  /** A function that `once` made. */
  const refund: OnceFunction<Payment, { readonly id: string }>;
  /** A function that `eachMessage` made. */
  const handler: SqsHandler;
  /** What `resourceLocks` returned, the store below it, and a lock of its `withLock`. */
  const locks: Locks;
  const lockStore: DynamoLockStore;
  const lock: WorkingLock;
  /** What `operator` returned. */
  const operate: Operator;

  /** The executions of a state machine. */
  const workflow: NamedWorkflow;

  /** Sends mail, and honours no key. */
  const mailer: {
    send(order: Order): Promise<{ readonly messageId: string }>;
  };
  /** Moves money, honours a key, and can be asked. */
  const bank: {
    charge(order: Order, call: Call): Promise<{ readonly id: string }>;
    refund(payment: Payment, call: Call): Promise<{ readonly id: string }>;
    find(idempotencyKey: string): Promise<{ readonly id: string } | undefined>;
  };

  const stack: Stack;
  /** What the stack has already. */
  const claims: ClaimsTable;
  const sendEmail: Consumer;
  const existingFunction: LambdaFunction;
}
