import { list, record } from '../../lib/rehearsal/engine/app/template.ts';
import type { TapAnswer, TapCall } from '../../lib/rehearsal/engine/servers/tap.ts';
import { text, textsIn } from '../../lib/rehearsal/pawl/observed-writes.ts';

/** A write of a claim on its way to DynamoDB. */
export interface SeenWrite {
  readonly id: string;
  /** What the claim becomes: `in-flight` is a grant, or its renewal. */
  readonly status: string;
}

/**
 * The writes of claims in a request.
 * @param answer the response to the request. With it, only the writes that were applied are returned: DynamoDB may refuse each statement of a batch on its own
 */
export function claimWrites(
  { operation, body }: Pick<TapCall, 'operation' | 'body'>,
  answer?: TapAnswer,
): readonly SeenWrite[] {
  if (answer !== undefined && answer.status !== 200) return [];
  const request = record(JSON.parse(body));
  if (operation === 'TransactWriteItems') {
    // The claim is the first of them. The others are the application's.
    const item = record(record(record(list(request['TransactItems'])[0])['Put'])['Item']);
    return [{ id: text(item['id']), status: text(item['status']) }];
  }
  if (operation === 'PutItem') {
    const item = record(request['Item']);
    return [{ id: text(item['id']), status: text(item['status']) }];
  }
  if (operation !== 'BatchExecuteStatement') return [];
  const answers = answer && list(record(JSON.parse(answer.body))['Responses']);
  return list(request['Statements'])
    .filter((_, index) => answers === undefined || record(answers[index])['Error'] === undefined)
    .map((statement) => statementWrite(record(statement)));
}

/** The claims that a request takes. With its response, those that it took. @param writesIn reads the requests of another database */
export function claimsIn(call: TapCall, answer?: TapAnswer, writesIn = claimWrites): readonly string[] {
  return idsWith('in-flight', writesIn(call, answer));
}

/** The claims that a request completes. With its response, those that it completed. @param writesIn reads the requests of another database */
export function completionsIn(call: TapCall, answer?: TapAnswer, writesIn = claimWrites): readonly string[] {
  return idsWith('completed', writesIn(call, answer));
}

function idsWith(wanted: string, writes: readonly SeenWrite[]): readonly string[] {
  return writes.filter(({ status }) => status === wanted).map(({ id }) => id);
}

/** What an update does not set stays as it is: in flight. */
function statementWrite(statement: Readonly<Record<string, unknown>>): SeenWrite {
  const { id = '', status = 'in-flight' } = textsIn(statement);
  return { id, status };
}
