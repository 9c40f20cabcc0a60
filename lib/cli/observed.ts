import { visible } from 'pawl/kernel';
import type { ObservedReport } from 'pawl/operate';
import type { Io, Line } from './command.ts';
import { withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { account as accountOptions } from './options.ts';
import { age, plural, printFacts, printJson, Table, time } from './output.ts';

interface ObservedGiven extends Values<typeof accountOptions> {
  readonly limit: number;
  readonly json: boolean;
}

/** `pawl observed`. @returns 1 unless the operation can be switched on with this key */
export async function observed({ names: [operation = ''], options }: Line<ObservedGiven>, io: Io): Promise<number> {
  return withAccount(options, { io }, async ({ operate }) => {
    const report = await operate.observed(operation, { most: options.limit });
    if (options.json) printJson(io, { kind: 'observed', ...report });
    else print(io, report);
    return report.advice === 'switch-on' ? 0 : 1;
  });
}

function print(io: Io, report: ObservedReport): void {
  const {
    operation,
    keys,
    hidden,
    deliveries,
    since,
    certain,
    perhaps,
    again,
    inDoubt,
    beside,
    unread,
    open,
    writeUnits,
  } = report;
  const happened = [certain > 0 && `${certain} certain`, perhaps > 0 && `${perhaps} perhaps`].filter(
    (part) => part !== false,
  );
  printFacts(io, {
    operation,
    since: time(since),
    deliveries,
    keys,
    'hidden keys': hidden === 0 ? undefined : `${hidden}: while their secret is changed, each counts under both`,
    'effects that happened again':
      happened.length === 0 ? 'none' : `${happened.join(', ')}, of ${plural(report.doubledKeys, 'key')}`,
    'how they came': Object.entries(again)
      .map(([way, count]) => `${count} ${way.replaceAll('-', ' ')}`)
      .join(', '),
    'keys for different payloads': report.wrongKeys,
    'in doubt':
      inDoubt === 0 ? undefined : `${plural(inDoubt, 'key')}: under 'park', each is parked at its next delivery`,
    'observed beside enforcement': beside === 0 ? undefined : `${plural(beside, 'key')}: these had no gate`,
    'not read': unread === 0 ? undefined : unread,
    'enforced, it would cost': priced(writeUnits.enforced),
    'observed, it has cost': priced(writeUnits.observed),
    'open claims': open.parked + open.others === 0 ? undefined : openClaims(open),
  });
  list(io, 'HAPPENED AGAIN', report.doubled, ({ id, certain: sure, perhaps: unsure, again: ways }) => [
    id,
    [sure > 0 ? `${sure} certain` : '', unsure > 0 ? `${unsure} perhaps` : ''].filter((part) => part !== '').join(', '),
    Object.keys(ways).join(', ').replaceAll('-', ' '),
  ]);
  list(io, 'DIFFERENT PAYLOADS', report.wrong, ({ id, others, differing }) => [
    id,
    plural(others, 'other'),
    differing.length === 0 ? '' : `in ${differing.join(', ')}`,
  ]);
  io.out.line('');
  io.out.line(visible(adviceOf(report)));
}

function list<T>(io: Io, title: string, all: readonly T[], cells: (one: T) => readonly string[]): void {
  if (all.length === 0) return;
  io.out.line('');
  const table = new Table(io, [
    [title, 40],
    ['TIMES', 22],
    ['HOW', 0],
  ]);
  for (const one of all) table.row(...cells(one));
}

/** What DynamoDB charges for a million write units, on demand in us-east-1, in US dollars. */
const dollarsPerMillion = 0.625;

function priced(writes: number): string {
  return `${plural(writes, 'write unit')}, about $${((writes / 1e6) * dollarsPerMillion).toFixed(2)} on demand`;
}

function openClaims({ parked, others }: ObservedReport['open']): string {
  return `${parked} parked, ${others} others: a lower share gives up their gate`;
}

/** What follows, in one sentence or two. */
function adviceOf({
  advice,
  operation,
  keys,
  deliveries,
  since,
  certain,
  perhaps,
  wrongKeys,
  differing,
  unread,
}: ObservedReport): string {
  switch (advice) {
    case 'observe-first':
      if (unread > 0)
        return `Nothing of ${operation} could be read: a later version of pawl wrote ${plural(unread, 'record')}, or they have expired. Run the command of that version.`;
      return `Nothing was observed of ${operation}. Deploy it with mode: 'observe' first.`;
    case 'correct-the-key': {
      const fields = Object.entries(differing)
        .toSorted(([, a], [, b]) => b - a)
        .map(([name]) => name);
      const differ = fields.length === 0 ? '' : ` They differ in ${fields.join(', ')}.`;
      return (
        `Do not switch on with this key: ${plural(wrongKeys, 'key')} of ${keys} stood for different payloads.${differ} ` +
        'If those payloads are different effects, put what tells them apart into the key. If they are one effect, leave the field out: fingerprint: { ignore: [...] }. Then observe again.'
      );
    }
    case 'switch-on': {
      const lasted = since === undefined ? '' : ` in ${age(Date.now() - since)}`;
      const prevented =
        certain + perhaps === 0
          ? 'nothing happened twice'
          : `it would have prevented ${certain} effects for certain, and perhaps ${perhaps} more`;
      const besides =
        unread === 0
          ? ''
          : ` ${plural(unread, 'key')} could not be read, and ${unread === 1 ? 'is' : 'are'} no part of this: a later version of pawl wrote the records, or they have expired.`;
      return `Switch on with this key: each of ${plural(keys, 'key')} stood for one payload, in ${plural(deliveries, 'delivery', 'deliveries')}${lasted}; ${prevented}.${besides}`;
    }
  }
}
