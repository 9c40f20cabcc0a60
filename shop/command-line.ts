import { parseArgs } from 'node:util';
import type { Protection, Store } from './protection/changed-bundle.ts';

/** What `npm start` was asked to do. */
export interface CommandLine {
  readonly orders: number;
  readonly payments: number;
  readonly repayments: number;
  readonly killShare: number;
  readonly seed: number;
  readonly json: boolean;
  readonly protection: Protection;
  /** Where the functions keep claims, locks and data. */
  readonly store: Store;
  readonly verbose: boolean;
  /** Changes of accounts through the FIFO queue, instead of orders, payments and repayments. */
  readonly fifo: boolean;
  /** Serves the console over the shop, and keeps it up until Ctrl-C. */
  readonly console: boolean;
  /** An order, a payment or a debt whose story is told, whatever became of it. */
  readonly story: string | undefined;
}

export const defaults = { orders: 300, payments: 100, repayments: 12, killShare: 0.08, seed: 20_260_101 } as const;

export const help = `Runs the whole app on this machine, under every kind of trouble, and counts the effects that really happened.

Usage: npm start -- [options]

  --orders <n>     how many orders, each with one email and one gift card   (${defaults.orders})
  --payments <n>   how many payments, each with two callbacks at once       (${defaults.payments})
  --repayments <n> how many requests to repay debts, over overlapping sets  (${defaults.repayments})
  --kill <share>   share of orders whose sandbox is killed, from 0 to 1     (${defaults.killShare})
  --seed <n>       decides what goes wrong where; the same seed gives the   (${defaults.seed})
                   same troubles
  --store <where>  'dynamodb', or 'postgres': claims, locks, ledger, debts and outbox    (dynamodb)
                   in a PostgreSQL that is started for it
  --fifo           instead: 300 changes of 40 accounts through a FIFO queue, where order counts too
  --retry          the same under the policy 'retry', which runs an effect in doubt again: right
                   if the provider honours effect keys, as the gift card provider does
  --split-commit   the same with a mistake: the messages of a payment go into the outbox after its commit,
                   and not in it
  --unprotected    the same functions and the same troubles, without pawl
  --story <id>     tells what happened to an order, a payment or a debt, such as order-00017
  --console        serves the console over it, and keeps everything up afterwards, until Ctrl-C
  --incident       instead: 20 kept locks, 3 interrupted works, 15 parked claims and 12 findings, for you
                   to settle with the commands or in the console; see docs/guides/incident.md
  --json           only one line of JSON on the standard output
  --verbose        also what the functions print, on the standard error
  --help           this text

Needs Java 17 for DynamoDB Local. Needs no AWS account, and no network.
Exits with 0 if no effect was lost and none happened twice, with 1 if one was, and with 2 if there is no
verdict: it could not run, or the machine was too slow. With --retry, an email, a receipt or points may happen
twice: their providers have no effect keys. With --incident: with 0 if all is settled, and the bank's list and
the ledger agree.`;

/** The arguments make no sense. The message says which one, and what it should have been. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @returns `incident`: an incident for an operator to settle, instead of a run. @throws UsageError */
export function readCommandLine(args: readonly string[]): CommandLine | 'help' | 'incident' {
  const values = parse(args);
  if (values.help === true) return 'help';
  if (values.incident === true) {
    const other = Object.keys(values).find((name) => name !== 'incident');
    if (other !== undefined) throw new UsageError(`--incident and --${other} exclude each other.`);
    return 'incident';
  }
  return {
    orders: number('orders', values.orders, defaults.orders, { from: 1, to: 100_000, whole: true }),
    payments: number('payments', values.payments, defaults.payments, { from: 0, to: 100_000, whole: true }),
    repayments: number('repayments', values.repayments, defaults.repayments, { from: 0, to: 10_000, whole: true }),
    killShare: number('kill', values.kill, defaults.killShare, { from: 0, to: 1, whole: false }),
    seed: number('seed', values.seed, defaults.seed, { from: 0, to: 4_294_967_295, whole: true }),
    json: values.json === true,
    protection: protectionOf(values),
    store: storeOf(values.store),
    verbose: values.verbose === true,
    fifo: values.fifo === true,
    console: consoleOf(values),
    story: storyOf(values),
  };
}

function protectionOf({
  retry = false,
  unprotected = false,
  'split-commit': split = false,
}: {
  readonly retry?: boolean;
  readonly unprotected?: boolean;
  readonly 'split-commit'?: boolean;
}): Protection {
  const asked = { retry, split, none: unprotected } as const;
  const chosen = (['retry', 'split', 'none'] as const).filter((one) => asked[one]);
  if (chosen.length > 1) {
    throw new UsageError('--retry, --split-commit and --unprotected exclude each other: choose one of them.');
  }
  return chosen[0] ?? 'as-written';
}

const stores: readonly Store[] = ['dynamodb', 'postgres'];

function storeOf(given = 'dynamodb'): Store {
  const store = stores.find((one) => one === given);
  if (store !== undefined) return store;
  throw new UsageError(`--store should be ${stores.join(' or ')}, and is '${given}'.`);
}

function consoleOf({
  console = false,
  fifo = false,
  store,
}: {
  readonly console?: boolean;
  readonly fifo?: boolean;
  readonly store?: string;
}): boolean {
  if (console && store === 'postgres')
    throw new UsageError('--console and --store postgres exclude each other: it would look at tables that are empty.');
  if (console && fifo)
    throw new UsageError('--console and --fifo exclude each other: the console is about the orders.');
  return console;
}

function storyOf({ story, fifo = false }: { readonly story?: string; readonly fifo?: boolean }): string | undefined {
  if (story !== undefined && fifo)
    throw new UsageError('--story and --fifo exclude each other: the stories are about the orders.');
  return story;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        orders: { type: 'string' },
        payments: { type: 'string' },
        repayments: { type: 'string' },
        kill: { type: 'string' },
        seed: { type: 'string' },
        store: { type: 'string' },
        json: { type: 'boolean' },
        retry: { type: 'boolean' },
        'split-commit': { type: 'boolean' },
        unprotected: { type: 'boolean' },
        verbose: { type: 'boolean' },
        fifo: { type: 'boolean' },
        console: { type: 'boolean' },
        incident: { type: 'boolean' },
        story: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function number(
  name: string,
  given: string | undefined,
  otherwise: number,
  { from, to, whole }: { readonly from: number; readonly to: number; readonly whole: boolean },
): number {
  if (given === undefined) return otherwise;
  const value = given.trim() === '' ? Number.NaN : Number(given);
  if (value >= from && value <= to && (!whole || Number.isInteger(value))) return value;
  throw new UsageError(
    `--${name} should be a ${whole ? 'whole ' : ''}number from ${from} to ${to}, and is '${given}'.`,
  );
}
