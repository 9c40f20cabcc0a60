import { emit } from '../engine/engine.ts';
import { type Run, Watch } from '../engine/observe/observer.ts';
import { settleDoubt } from '../engine/settle-doubt.ts';
import type { Grant } from '../rules/grant.ts';
import { BatchRun, type Heard } from '../sqs/batch-run.ts';
import { claimMessage } from '../sqs/claim-message.ts';
import type { QueueDoor } from '../sqs/consumer.ts';
import type { Delivery, Invocation, Runnable } from '../sqs/delivery.ts';
import { type Disposition, dispositionOfRun, missedItsTurn, returned, returnedFor } from '../sqs/disposition.ts';
import type { InvocationContext, SqsEvent, SqsRecord } from '../sqs/event.ts';
import { copyOf, receiveCountOf } from '../sqs/message.ts';
import { deliveredAs, type WatchedBatch } from '../sqs/observe-message.ts';
import { receive } from '../sqs/receive.ts';
import { keepOpened } from './opened-message.ts';

/** A message of a batch, and what this request has claimed for it. */
export interface Claimed extends Delivery {
  /** The record as it is handed on: a handler that changes its event must not change which messages the batch response names. */
  readonly copy: SqsRecord;
  /** Its run, where its key is only observed. */
  run?: Run | undefined;
  /** Ends the renewing of its claim, where that is to be renewed while the handler runs. */
  stopKeeping?: (() => void) | undefined;
}

/** A message that the handler gets: with its claim, or only observed. */
export type HandedOn = Claimed & ({ readonly grant: Grant; readonly run?: undefined } | { readonly run: Run });

/** A message that the handler gets with its claim. */
export type ClaimedOn = Extract<HandedOn, { readonly grant: Grant }>;

/** A batch with what was claimed of it. */
export interface ClaimedBatch extends Invocation {
  /** All messages, in the order of the event. */
  readonly batch: readonly Claimed[];
  /** What watches those that are only observed, if there may be some. */
  readonly watch: Watch | undefined;
}

/** Between two messages that come back to run alone; long enough not to meet in one batch again. */
const suspectsApartMs = 2000;
/** How much of the invocation may go by in claiming. The handler, which has to do all that was claimed, needs the rest. */
const claimingShare = 0.5;

/** What of a batch is handed on to the handler, in the order of the event. */
export function handedOnOf(batch: readonly Claimed[]): readonly HandedOn[] {
  return batch.filter(isHandedOn);
}

function isHandedOn(one: Claimed): one is HandedOn {
  return (one.grant !== undefined || one.run !== undefined) && one.disposition === undefined;
}

export function isClaimed(one: HandedOn): one is ClaimedOn {
  return one.run === undefined;
}

/**
 * Claims what of a batch may run, before its handler does.
 *
 * Owns: which messages the handler gets. Does not own: which of them has its turn when (`BatchRun`), and what becomes of them (`record-batch.ts`).
 *
 * 1. All that is handed on is claimed before the handler starts, because a batch handler takes its messages together.
 * 2. Nothing is claimed in the second half of the invocation: the handler needs that time.
 * 3. What was running when a worker died is handed on only if nothing else is, and nothing is handed on beside it: it takes no other message along.
 */
export async function claimBatch<Body>(
  consumer: QueueDoor<Body>,
  event: SqsEvent,
  context: InvocationContext,
): Promise<ClaimedBatch> {
  const { engine, settings } = consumer;
  const { host } = settings;
  const received = receive(host, event, context);
  const { records, startedAt, deadline } = received;
  const claimUntil = startedAt + (deadline - startedAt) * claimingShare;
  const batch = records.map((record): Claimed => ({ record, copy: copyOf(record) }));
  const copies = new Map(batch.map(({ record, copy }) => [record, copy]));
  let suspects = 0;
  let isAlone = false;

  /** What is only observed is handed on as it is, also what pawl cannot read. */
  function watchedOf(observing: Watch): WatchedBatch<Body> {
    const handOn = ({ record }: Delivery, run: Run) => {
      const claimed = batch.find((one) => one.record === record);
      if (claimed !== undefined) claimed.run = run;
      return claimed;
    };
    const from = (record: SqsRecord) => ({ delivered: deliveredAs(record), deadline });
    return {
      watch: observing,
      invocation: received,
      async run(one, message, run) {
        const claimed = handOn(one, run);
        if (claimed !== undefined) keepOpened(claimed.copy, message);
        return undefined;
      },
      unread: (one) => void handOn(one, observing.begin(undefined, from(one.record))),
    };
  }

  async function claim(one: Runnable<Body>, mayTakeOver: boolean, { isNew }: Heard): Promise<Disposition | undefined> {
    const now = host.now();
    if (now >= claimUntil) {
      emit(engine, one.identity, { type: 'not-started', remainingMs: deadline - now });
      return missedItsTurn;
    }
    const attempt = await claimMessage(consumer, one, deadline, mayTakeOver, claimUntil);
    if (attempt.kind === 'refused') return attempt.disposition;
    isNew();
    const settled = await settleDoubt(engine, attempt.grant, one.message);
    if (settled !== undefined) return dispositionOfRun(settled);
    const copy = copies.get(one.record);
    if (copy !== undefined) keepOpened(copy, one.message);
    return undefined;
  }

  const watch = settings.enforcedShare && new Watch(engine);
  const watched = watch && watchedOf(watch);
  const turns = { batch, invocation: received, until: claimUntil, makeWayUntil: claimUntil, watched };
  await new BatchRun<Body>(
    consumer,
    async (_, one, __, isSuspect, heard) => {
      if (!isSuspect) {
        // Alone, if that is possible; but under steady traffic it must not wait until its receives are used up.
        return isAlone ? returned : claim(one, receiveCountOf(one.record) > 2, heard);
      }
      suspects++;
      if (handedOnOf(batch).some(isClaimed)) return returnedFor(suspects * suspectsApartMs);
      isAlone = true;
      const disposition = await claim(one, true, heard);
      isAlone = disposition === undefined;
      return disposition;
    },
    turns,
  ).run();
  return { batch, startedAt, deadline, watch };
}
