import { type Checkpoint, checkpointsOf } from '../../lib/pawl/rules/checkpoints.ts';
import { appliesWithCompletion, type ClaimRecord } from '../../lib/pawl/rules/record.ts';
import type { ClaimWrite, WriteResult } from '../../lib/pawl/rules/store.ts';
import { ms, unitMs } from './time.ts';
import { type Answer, at, type Model, type Waits, type Worker, type World } from './world.ts';

/**
 * A text that two states share exactly when what may happen next is the same in both. Nothing of a state is left out but what
 * nothing depends on; times are counted from now, claim ids are named in the order in which they come up, and workers, as
 * messages with one intent, are put in an order of their own. So a state is met once, however it came about, whoever is who in
 * it, and whenever it is.
 */
export function fold(model: Model, world: World): string {
  const [first = '', ...others] = orders(model, world).map((order) => textOf(model, world, order));
  return others.reduce((least, text) => (text < least ? text : least), first);
}

/** The orders of the messages that make no difference to what they are. */
function orders({ config }: Model, world: World): readonly (readonly number[])[] {
  const [a, b] = config.messages;
  if (config.messages.length !== 2 || config.fifo || a?.intent !== b?.intent) return [config.messages.map((_, n) => n)];
  const [one, two] = world.messages;
  const differ =
    one && two && (one.visibleFrom - two.visibleFrom || one.receives - two.receives || rank(one) - rank(two));
  if (differ) return differ < 0 ? [[0, 1]] : [[1, 0]];
  return [
    [0, 1],
    [1, 0],
  ];
}

const statuses = ['queued', 'done', 'dead'];
const rank = ({ status, copied }: World['messages'][number]) => statuses.indexOf(status) * 2 + Number(copied);

type NameOf = (claimId: string) => string;

/** @param order the message that counts as the first, the second, … */
function textOf(model: Model, world: World, order: readonly number[]): string {
  const { config } = model;
  const base = ms(world.now);
  const time = (epochMs: number) => {
    const units = (epochMs - base) / unitMs;
    const whole = Math.ceil(units);
    // Only a protocol that is broken on purpose gives away less than a unit.
    return whole === units ? char(whole + 80) : `${char(whole + 80)}~${Math.round((whole - units) * unitMs)}`;
  };
  const aged = config.retention !== Infinity || config.retryWindow !== Infinity;
  const separate = world.keys.length > 1;
  const keys = separate ? order.map((message) => at(config.messages, message).key) : [0];

  const names: string[] = [];
  const nameOf: NameOf = (claimId) => {
    const known = names.indexOf(claimId);
    return char(200 + (known >= 0 ? known : names.push(claimId) - 1));
  };

  /** When and under which fence a step got somewhere only matters as far as it is the same. */
  const moments: string[] = [];
  const momentOf = ({ at: when, fence }: Checkpoint) => {
    const moment = `${when} ${fence}`;
    const known = moments.indexOf(moment);
    return char(200 + (known >= 0 ? known : moments.push(moment) - 1));
  };

  let text = `${char(world.faultsLeft * 8 + (world.beyond ? 4 : 0) + (world.calm ? 2 : 0))}${char(
    world.resolvesLeft * 16 + world.redrivesLeft * 4 + world.deployed,
  )}`;
  for (const message of order) {
    const { status, receives, copied, visibleFrom } = at(world.messages, message);
    text += statuses.indexOf(status) + (copied ? '+' : '-') + receives;
    if (status === 'queued') text += char(Math.max(0, visibleFrom - world.now) + 80);
  }
  for (const index of keys) {
    const { record, applied, steps, forgotten, seenFrom, told, intent, policy } = at(world.keys, index);
    const unseen = Math.max(0, seenFrom - world.now);
    if (steps.length > 0) text += steps.join('');
    text += char(applied * 32 + forgotten * 8 + unseen * 2 + (told ? 1 : 0)) + (intent ?? '-') + policy;
    text += recordText(record, nameOf);
  }
  // Sorted by what they are but for the names of claims, and named only then.
  for (const worker of sorted(world.workers, maskOf)) text += `W${workerText(worker, nameOf)}`;
  for (const late of sorted(world.lateWrites, (one) => lateText(one, () => '?'))) text += `L${lateText(late, nameOf)}`;
  if (world.lateEffects.length > 0) {
    const effects = world.lateEffects.map((one) => `E${keys.indexOf(one.key)}${one.step}${one.until - world.now}`);
    text += effects.sort().join('');
  }
  if (world.resolving) text += `R${keys.indexOf(world.resolving.key)}${writeText(world.resolving.write, nameOf)}`;
  return text;

  function maskOf(worker: Worker): string {
    const current = world.keys.map(({ record }) => record?.claimId);
    return workerText(worker, (id) => (id === worker.claimId ? '@' : current.includes(id) ? '!' : '?'));
  }

  function workerText(worker: Worker, name: NameOf): string {
    const { batch, dispositions, policy, offset, endsAt, deadline, outlives, mayTakeOver, grant, step, found } = worker;
    let part = '';
    for (const { message, receives, redriven } of batch) {
      const old = redriven !== at(world.messages, message).redriven;
      part += `${order.indexOf(message)}${receives > 1 ? 'r' : 'f'}${old ? 'o' : ''}`;
    }
    for (const [index, disposition] of dispositions.entries())
      part += worker.buried.includes(index) ? 'B' : dispositionText(disposition);
    const flags =
      (outlives ? 1 : 0) +
      (mayTakeOver ? 2 : 0) +
      (worker.onRecord ? 4 : 0) +
      (worker.aborted ? 8 : 0) +
      (worker.heardAt === world.now ? 64 : 0);
    part += char(flags) + policy + char(offset + 80) + char(endsAt - world.now + 80) + time(deadline);
    part += name(worker.claimId);
    if (grant) part += relation(grant.record) + recordText(grant.record, name);
    if (config.steps > 0) part += step + checkpointsText(found);
    part += waitsText(worker.waits, name) + answerText(worker.answer, name);
    if (worker.beat) {
      const { dueAt, write, answer, stopped } = worker.beat;
      part += stopped ? 'b' : `B${time(dueAt)}`;
      if (write) part += writeText(write, name);
      if (answer) part += answer === 'failed' ? 'x' : writtenText(answer, name);
    }
    return part;
  }

  function dispositionText(disposition: Worker['dispositions'][number]): string {
    if (disposition.kind !== 'returned') return disposition.kind === 'acknowledged' ? 'd' : 'l';
    const { delayMs, atLeastMs = 0 } = disposition;
    return delayMs === undefined ? `b${char(atLeastMs / unitMs + 80)}` : `a${char(delayMs / unitMs + 80)}`;
  }

  function waitsText(waits: Waits, name: NameOf): string {
    switch (waits.for) {
      case 'claim': {
        return `c${waits.decided.kind.charAt(0)}${writeText(waits.write, name)}`;
      }
      case 'read':
        return waits.aheadAt === undefined ? 're' : `ra${time(waits.aheadAt)}`;
      case 'ask':
        return `q${char(waits.retryAfterMs / unitMs + 80)}`;
      case 'checkpoint': {
        const { checkpoint, until, error, write } = waits;
        const its = checkpoint.state.charAt(0) + momentOf(checkpoint) + time(until) + (error?.name ?? '').slice(0, 3);
        return `p${its}${writeText(write, name)}`;
      }
      case 'end':
        return waits.tells ? 'e+' : 'e-';
      case 'record': {
        const { outcome, ran, write } = waits;
        const more =
          outcome.status === 'released'
            ? outcome.unknown
              ? 'u'
              : outcome.inconclusive
                ? 'i'
                : outcome.unstarted
                  ? 'n'
                  : '.'
            : outcome.status;
        const after = char(('retryAfterMs' in ran ? ran.retryAfterMs : 0) / unitMs + 80);
        const isApplied = 'applied' in ran ? ran.applied : 'value' in ran;
        return `w${more}${ran.kind.charAt(0)}${isApplied ? '+' : '-'}${after}${writeText(write, name)}`;
      }
      default:
        return waits.for.charAt(0) + waits.for.charAt(1);
    }
  }

  function answerText(answer: Answer | undefined, name: NameOf): string {
    if (answer === undefined) return '_';
    switch (answer.is) {
      case 'found':
        return `f${relation(answer.found)}${recordText(answer.found, name)}`;
      case 'written':
        return writtenText(answer.written, name);
      case 'verdict':
        return `v${answer.verdict.charAt(0)}`;
      case 'thrown':
        return `t${answer.error.name.charAt(1)}${answer.error.name.charAt(2)}`;
      default:
        return answer.is.charAt(0);
    }
  }

  function writtenText(result: WriteResult, name: NameOf): string {
    return result.applied ? 'y' : `n${relation(result.found)}${recordText(result.found, name)}`;
  }

  function writeText({ next, seen }: ClaimWrite, name: NameOf): string {
    return relation(seen) + recordText(seen, name) + recordText(next, name);
  }

  function lateText({ write, key, by, until }: World['lateWrites'][number], name: NameOf): string {
    return `${keys.indexOf(key)}${by.why}${name(by.claimId ?? '')}${until - world.now}${writeText(write, name)}`;
  }

  /** Of a revision nothing matters but whether it is that of the record that is there: an older one never comes back. */
  function relation(record: ClaimRecord | undefined): string {
    if (record === undefined) return '';
    const current = world.keys.find((one) => one.record?.id === record.id)?.record;
    return current?.rev === record.rev && current?.claimId === record.claimId ? '=' : '<';
  }

  function checkpointsText(text: string | undefined): string {
    if (text === undefined) return '_';
    const states = checkpointsOf({ checkpoints: text }).map((one) => (one ? one.state.charAt(0) + momentOf(one) : '.'));
    return `[${states.join('')}]`;
  }

  function recordText(record: ClaimRecord | undefined, name: NameOf): string {
    if (record === undefined) return '_';
    const { status, claimId, leaseUntil, fence, attempts, abandoned, unknownAt, fingerprint, resolution, checkpoints } =
      record;
    let part = status.charAt(2) + name(claimId) + time(leaseUntil) + char(fence) + char(attempts * 8 + abandoned);
    part += unknownAt === undefined ? '-' : time(unknownAt);
    if (record.unstarted) part += `n${record.unstarted}`;
    if (appliesWithCompletion(record)) part += 'a';
    if (fingerprint !== undefined) part += fingerprint;
    if (checkpoints !== undefined) part += checkpointsText(checkpoints);
    if (resolution !== undefined) part += resolution.verdict.charAt(0) + resolution.by.charAt(0);
    // Where retention and retry window outlast every run, nothing depends on these.
    if (aged) part += time(record.firstSeenAt) + (record.expiresAt ? time(record.expiresAt * 1000) : '-');
    return part;
  }
}

function sorted<T>(list: readonly T[], textOf: (one: T) => string): readonly T[] {
  if (list.length < 2) return list;
  const texts = list.map((one) => ({ one, text: textOf(one) }));
  return texts.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)).map(({ one }) => one);
}

/** One character of one byte: the texts of a million states are built and hashed. */
function char(code: number): string {
  return String.fromCharCode(code);
}
