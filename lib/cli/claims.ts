import { pageAt } from 'pawl/kernel';
import type { ClaimName, ClaimView, OpenClaimsQuery, OpenClaimView } from 'pawl/operate';
import { type Io, type Line, UsageError } from './command.ts';
import { perhapsHidden } from './hidden-keys.ts';
import { withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { account as accountOptions, filters } from './options.ts';
import {
  age,
  type Columns,
  openLine,
  plural,
  printer,
  printFacts,
  printJson,
  progress,
  Table,
  time,
} from './output.ts';

interface ClaimsGiven extends Values<typeof accountOptions>, Values<typeof filters> {
  readonly limit: number | undefined;
  readonly json: boolean;
}

/** `pawl claims`. @returns 1 if a claim is open */
export async function claims({ options }: Line<ClaimsGiven>, io: Io): Promise<number> {
  const query = queryOf(options);
  const most = options.limit ?? Number.POSITIVE_INFINITY;
  let [count, foreign] = [0, 0];
  await withAccount(options, { io }, async ({ operate }) => {
    const counting = progress(io, 'claims');
    const print = printer(io, options, 'claim', columns, rowOf);
    try {
      for await (const page of operate.openClaims(query)) {
        foreign += page.foreign?.length ?? 0;
        for (const claim of page.claims.slice(0, most - count)) print(claim);
        count += Math.min(page.claims.length, most - count);
        if (!io.out.isTTY) counting.at(count);
        if (count >= most) break;
      }
    } finally {
      counting.end();
    }
  });
  if (options.json) printJson(io, { kind: 'summary', open: count });
  else io.out.line(openLine(count, 'claim', isFiltered(query)));
  if (foreign > 0) {
    const what = plural(foreign, 'record');
    io.error.line(`${what} in the list: a number is none. Left alone: see ${pageAt('docs/errors.md#foreign-item')}`);
  }
  return count > 0 ? 1 : 0;
}

/** What the filters of a command line ask for. @throws UsageError */
export function queryOf(
  options: Values<typeof filters> & Pick<Values<typeof accountOptions>, 'key-secret'>,
): OpenClaimsQuery {
  const { operation, prefix: keyPrefix, status: state, reason } = options;
  if (keyPrefix !== undefined && operation === undefined) throw new UsageError('--prefix needs --operation.');
  if (keyPrefix !== undefined && options['key-secret'] !== undefined)
    throw new UsageError('--prefix finds no hidden key: the hash of a key does not begin as the key does.');
  const [olderThanMs, doubtOlderThanMs] = [options['older-than'], options['doubt-older-than']];
  return { operation, keyPrefix, state, reason, olderThanMs, doubtOlderThanMs };
}

const columns: Columns = [
  ['STATUS', 9],
  ['AGE', 6],
  ['ATTEMPTS', 8],
  ['REASON', 20],
  ['CLAIM', 32],
  ['ERROR', 0],
];

function rowOf({ id, state, reason, firstSeenAt, attempts, error }: OpenClaimView): readonly unknown[] {
  return [state, age(Date.now() - firstSeenAt), attempts, reason, id, error?.message];
}

function isFiltered(query: OpenClaimsQuery): boolean {
  return Object.values(query).some((value) => value !== undefined);
}

/** The name of a claim: its id, or with `--operation` its key. @throws UsageError */
export function claimName(
  key: string,
  {
    operation,
    'key-secret': secret,
  }: Pick<Values<typeof accountOptions>, 'key-secret'> & Pick<ClaimGiven, 'operation'>,
): ClaimName {
  if (operation !== undefined) return { operation, key };
  // An id is taken as it is: of a key that is not hashed, none has it.
  if (secret !== undefined && key.indexOf('#') > 0 && !key.includes('#hmac:'))
    throw new UsageError(
      '--key-secret: give the key as the handler has it, and --operation. For a claim that hides no key, such as one of an execution, leave --key-secret out.',
    );
  if (key.indexOf('#') > 0) return { id: key };
  throw new UsageError(`'${key}' is no id of a claim, as in 'send-email#order-17'. For a key alone, add --operation.`);
}

interface ClaimGiven extends Values<typeof accountOptions> {
  readonly operation: string | undefined;
  readonly results: boolean;
  readonly json: boolean;
}

/** `pawl claim`. @returns 1 if the claim is open, or there is none */
export async function claim({ names: [key = ''], options }: Line<ClaimGiven>, io: Io): Promise<number> {
  const name = claimName(key, options);
  return withAccount(options, { io }, async ({ operate, tableName }) => {
    const found = await operate.readClaim(name, { results: options.results });
    if (found === undefined) {
      io.error.line(`The table ${tableName} has no claim ${key}. ${perhapsHidden(options)}`);
      return 1;
    }
    if (options.json) printJson(io, { kind: 'claim', ...found });
    else printClaim(io, found);
    return found.state === undefined ? 0 : 1;
  });
}

function printClaim(io: Io, claim: ClaimView): void {
  const { resolution, discarded, forgotten, error } = claim;
  printFacts(io, {
    claim: claim.id,
    status: claim.state === undefined ? claim.status : `${claim.status}, open: ${claim.state}`,
    reason: claim.reason,
    error: error?.message,
    execution: claim.execution?.execution,
    'execution in the console': claim.execution?.consoleUrl,
    'effect key': claim.effectKey,
    'first seen': time(claim.firstSeenAt),
    'in doubt since': time(claim.inDoubtSince),
    'looked at after': claim.state === 'waiting' ? time(claim.leaseUntil) : undefined,
    'lease until': claim.status === 'in-flight' && claim.state !== 'waiting' ? time(claim.leaseUntil) : undefined,
    attempts: claim.attempts,
    abandoned: claim.abandoned,
    fence: claim.fence,
    fingerprint: claim.fingerprint,
    attributes: claim.attributes && JSON.stringify(claim.attributes),
    message: claim.source,
    resolution: resolution && `${resolution.verdict} by ${resolution.by} at ${resolution.at}: ${resolution.note}`,
    forgotten: forgotten && `by ${forgotten.by} at ${forgotten.at}: ${forgotten.note}`,
    discarded: discarded && `message ${discarded.messageId} by ${discarded.by} at ${discarded.at}: ${discarded.note}`,
    'kept until': time(claim.expiresAt),
    result: claim.result ?? (claim.hasResult ? 'recorded; show it with --results' : undefined),
  });
  if (claim.steps.length === 0) return;
  io.out.line('');
  const table = new Table(io, [
    ['STEP', 24],
    ['STATE', 10],
    ['SINCE', 34],
    ['FENCE', 5],
    ['RESULT', 0],
  ]);
  for (const { name, state, at, fence, hasResult, result } of claim.steps) {
    table.row(name, state === 'started' ? 'in doubt' : state, time(at), fence, result ?? (hasResult ? 'recorded' : ''));
  }
}
