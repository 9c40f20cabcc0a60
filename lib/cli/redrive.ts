import { userInfo } from 'node:os';
import type { Operator, RedrivePlan, RedriveResult } from 'pawl/operate';
import { type Io, type Line, UsageError } from './command.ts';
import { confirmed } from './confirm.ts';
import { isWanted, lookAt } from './dead-letters.ts';
import { openAccount } from './open-account.ts';
import { plural, printJson, progress, Table } from './output.ts';

/** `pawl redrive`. @returns 1 if a message stays */
export async function redrive(line: Line, io: Io): Promise<number> {
  if (line.positionals.length > 0) throw new UsageError('pawl redrive takes no names. Name a queue with --queue.');
  const acted = { by: line.text('by') ?? userInfo().username, note: line.text('note') ?? '' };
  // The command prints its results itself.
  const account = await openAccount(line, { io, onEvent: () => undefined });
  try {
    const { operate } = account;
    const plans: RedrivePlan[] = [];
    for (const { deadLetterUrl, queueUrl } of await account.deadLetters()) {
      const { letters } = await lookAt(line, io, operate, deadLetterUrl);
      const wanted = letters.filter((letter) => isWanted(line, letter));
      if (wanted.length === 0) continue;
      plans.push(await operate.planRedrive({ from: deadLetterUrl, to: queueUrl, letters: wanted, ...acted }));
    }
    return await carryOut(line, io, operate, plans);
  } finally {
    account.close();
  }
}

async function carryOut(line: Line, io: Io, operate: Operator, plans: readonly RedrivePlan[]): Promise<number> {
  const isJson = line.flag('json');
  for (const plan of plans) printPlan(io, isJson, plan);
  const count = plans.reduce((sum, plan) => sum + plan.count, 0);
  const stay = plans.reduce((sum, plan) => sum + plan.items.length, 0) - count;
  if (line.flag('dry-run') || count === 0) {
    if (isJson) printJson(io, { kind: 'summary', planned: count, stay });
    else io.out.line(`${plural(count, 'message')} would be redriven, ${stay} would stay.`);
    return stay > 0 ? 1 : 0;
  }
  if (!(await confirmed(line, io, `Redrive ${plural(count, 'message')}?`))) {
    io.error.line('Nothing was changed.');
    return 1;
  }
  const counting = progress(io, 'redriven');
  let ended = 0;
  let redriven = 0;
  const said = () => `${plural(redriven, 'message')} redriven, ${count + stay - redriven} not.`;
  const left = () =>
    'Of those under way, each is redriven or stays; those that stay are hidden for two minutes at most. Start it again: a copy that is sent twice runs once.';
  try {
    await io.ending.during({ done: () => (ended > 0 ? said() : undefined), left }, async (signal) => {
      for (const plan of plans) {
        for await (const result of operate.redrive(plan, { signal })) {
          counting.at(++ended, count);
          if (result.outcome === 'redriven' || result.outcome === 'deleted') redriven++;
          printResult(io, isJson, result);
        }
      }
    });
  } finally {
    counting.end();
  }
  const not = count + stay - redriven;
  if (isJson) printJson(io, { kind: 'summary', redriven, stay: not });
  else io.out.line(said());
  return not > 0 ? 1 : 0;
}

function printPlan(io: Io, isJson: boolean, { from, to, isSource, items }: RedrivePlan): void {
  if (isSource === false) {
    io.error.line(
      `${to} does not feed ${from}: its redrive policy does not name it. Its consumer may not be the one that the messages are for.`,
    );
  }
  if (isJson) {
    for (const item of items) printJson(io, { kind: 'plan', from, to, isSource, ...item });
    return;
  }
  io.out.line(`From ${from}`);
  io.out.line(`  to ${to}`);
  const table = new Table(io, [
    ['WILL', 18],
    ['REASON', 16],
    ['MESSAGE', 36],
    ['CLAIM', 0],
  ]);
  for (const item of items) {
    const will = item.will === 'stay' ? `stay: ${item.whyNot}` : item.will;
    table.row(will, item.reason ?? '(moved by SQS)', item.messageId, item.claimId ?? '?');
  }
}

function printResult(io: Io, isJson: boolean, result: RedriveResult): void {
  if (isJson) {
    printJson(io, { kind: 'result', ...result });
    return;
  }
  if (result.outcome === 'redriven') return;
  if (result.outcome === 'deleted') {
    io.out.line(`Deleted, as its effect is confirmed: ${result.messageId}`);
    return;
  }
  const why = result.outcome === 'stays' ? `: ${result.whyNot}` : 'error' in result ? `: ${result.error.message}` : '';
  io.out.line(`Not redriven: ${result.messageId}: ${result.outcome}${why}`);
}
