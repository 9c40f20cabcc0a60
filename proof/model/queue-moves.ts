import { renewalOf } from './heartbeat-moves.ts';
import { answered, canFail, failing, type Move, name, stepOf, trailed } from './move.ts';
import { checkAcknowledged } from './promises.ts';
import { onItsWayTo } from './store-moves.ts';
import { ms, times, unitMs, units } from './time.ts';
import { begin, keyOf, nobody, toBury } from './worker.ts';
import { at, type Message, type Model, replaced, type Worker, type World, without } from './world.ts';

/** What SQS may do: deliver, deliver once more, and move to the dead-letter queue what was received too often. */
export function queueMoves(model: Model, world: World): Move[] {
  const { config } = model;
  const moves: Move[] = [];
  const isVisible = ({ status, visibleFrom }: Message) => status === 'queued' && visibleFrom <= world.now;
  for (const [index, message] of world.messages.entries()) {
    const { status, receives } = message;
    if (status === 'dead' && world.redrivesLeft > 0) moves.push(redrive(world, index));
    if (config.fifo && !isNext(world, index)) continue;
    const usedUp = receives >= config.deliveries;
    if (isVisible(message) && usedUp) {
      moves.push({
        says: () => `the queue moves message ${index + 1} to the dead-letter queue after ${receives} receives`,
        fair: true,
        go: () => withMessage(world, index, { ...dead, redriven: message.redriven }),
      });
    } else if (isVisible(message)) {
      moves.push(...deliveries(model, world, [index], true));
      const next = world.messages[index + 1];
      const both = config.fifo && next && isVisible(next) && next.receives < config.deliveries;
      if (both) moves.push(...deliveries(model, world, [index, index + 1], true));
    } else if (config.duplicates && receives > 0 && !usedUp && status !== 'dead') {
      moves.push(...deliveries(model, world, [index], false));
    }
  }
  return moves;
}

/** Of a message group only the first that is left is delivered, and not while anything of the group is in flight. */
function isNext(world: World, index: number): boolean {
  return world.messages.every(
    ({ status, visibleFrom }, other) => status !== 'queued' || (other >= index && visibleFrom <= world.now),
  );
}

function redrive(world: World, index: number): Move {
  const { redriven } = at(world.messages, index);
  const fresh: Message = { ...dead, status: 'queued', visibleFrom: world.now, redriven: redriven + 1 };
  return {
    says: () => `an operator redrives message ${index + 1}`,
    fair: false,
    go: () => ({ ...withMessage(world, index, fresh), redrivesLeft: world.redrivesLeft - 1, calm: false }),
  };
}

/** @param due whether SQS promises this delivery, or makes it although it need not */
function deliveries(model: Model, world: World, batch: readonly number[], due: boolean): Move[] {
  if (world.workers.length === model.config.workers) return [];
  const offsets = model.config.skewed ? [0, times.skew] : [0];
  return offsets.map((offset) => ({
    says: () => {
      const clock = offset === 0 ? '' : `, whose clock is ahead by ${offset}`;
      const what = batch.map((index) => `message ${index + 1}`).join(' and ');
      return `${what} ${due ? 'is delivered' : 'is delivered once more'} to ${name(world.workers.length)}${clock}`;
    },
    fair: due,
    go: () => {
      const messages = world.messages.map((message, index) => {
        if (!batch.includes(index)) return message;
        return { ...message, receives: message.receives + 1, visibleFrom: world.now + model.visibility };
      });
      const now = ms(world.now + offset);
      const fresh: Worker = {
        ...nobody,
        batch: batch.map((message) => {
          const { receives, redriven } = at(messages, message);
          return { message, receives, redriven };
        }),
        policy: world.deployed,
        offset,
        endsAt: world.now + model.invocation,
        deadline: ms(world.now + offset + model.invocation),
      };
      const { step } = stepOf(model, world, now);
      const worker = trailed(begin(step, fresh), undefined, step, {
        is: 'begins',
        batch: fresh.batch,
        policy: fresh.policy,
        deadline: fresh.deadline,
      });
      const workers = [...world.workers, worker];
      return { ...world, messages, workers, claimIds: world.claimIds + 1, calm: world.calm && due };
    },
  }));
}

const dead: Message = { status: 'dead', receives: 0, copied: false, visibleFrom: 0, redriven: 0 };

function withMessage(world: World, index: number, message: Message): World {
  return { ...world, messages: replaced(world.messages, index, message) };
}

/** A consumer sends a message to the dead-letter queue. */
export function deadLetters(model: Model, world: World, index: number, worker: Worker): Move[] {
  const dead = toBury(worker);
  const { message } = at(worker.batch, dead);
  const there = at(world.messages, message);
  const same = at(worker.batch, dead).redriven === there.redriven;
  const copied = same ? withMessage(world, message, { ...there, copied: true }) : world;
  const moves: Move[] = [
    {
      says: () => `${name(index)} puts message ${message + 1} into the dead-letter queue`,
      fair: true,
      go: () => answered(copied, index, worker, { is: 'returned' }),
    },
  ];
  if (!canFail(model, world, 'queue-fails')) return moves;
  const fails = (after: World, how: string): Move => ({
    says: () => `the dead-letter queue answers ${name(index)} with an error, and ${how} message ${message + 1}`,
    fair: false,
    go: () => answered(failing(after), index, worker, { is: 'failed' }),
  });
  return [...moves, fails(world, 'does not have'), fails(copied, 'has')];
}

/** A consumer answers Lambda, and with that is through. */
export function ends(model: Model, world: World, index: number, worker: Worker): Move[] {
  const dispositions = worker.dispositions.map(({ kind }) => kind).join(', ');
  const tells = worker.waits.for === 'end' && worker.waits.tells;
  const moves: Move[] = [
    {
      says: () => `${name(index)} answers Lambda (${dispositions})`,
      fair: true,
      go: () => acknowledged(model, world, index, tells),
    },
  ];
  if (tells && canFail(model, world, 'queue-fails') && worker.dispositions.some(({ kind }) => kind === 'returned')) {
    moves.push({
      says: () => `${name(index)} cannot set the visibility of its messages, and answers Lambda (${dispositions})`,
      fair: false,
      go: () => acknowledged(model, failing(world), index, false),
    });
  }
  return moves;
}

/**
 * What Lambda makes of a consumer's answer: messages that are not named in it are deleted. As `conclude` in
 * `lib/pawl/sqs/consumer.ts`, with the least that chance may add to a wait.
 * @param heard whether SQS has carried out what the consumer asked for about visibility
 */
function acknowledged(model: Model, world: World, index: number, heard: boolean): World {
  const worker = at(world.workers, index);
  const { batch, dispositions, buried } = worker;
  let after: World = { ...world, workers: without(world.workers, index) };
  // A renewal that nobody waited for may still arrive.
  for (const one of renewalOf(model, index, worker)) after = onItsWayTo(after, keyOf(model, worker), one);
  for (const [which, { message, redriven }] of batch.entries()) {
    const disposition = at(dispositions, which);
    const before = at(after.messages, message);
    // What it was given has gone to the dead-letter queue, and what came back from there is another message to SQS.
    if (before.redriven !== redriven) continue;
    if (disposition.kind === 'acknowledged' || buried.includes(which)) {
      checkAcknowledged(model, after, message);
      const gone: Message =
        disposition.kind === 'acknowledged' ? { ...dead, status: 'done', receives: before.receives } : dead;
      // The queue may have moved it to its dead-letter queue meanwhile, and there it stays.
      if (before.status === 'queued') after = withMessage(after, message, { ...gone, redriven });
    } else if (disposition.kind === 'returned' && heard && before.status === 'queued') {
      const wait = disposition.delayMs ?? Math.max(times.backoff * unitMs, disposition.atLeastMs ?? 0);
      after = withMessage(after, message, { ...before, visibleFrom: world.now + units(wait) });
    }
  }
  return after;
}
