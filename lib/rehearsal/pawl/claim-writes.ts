import { list, record } from '../engine/app/template.ts';
import type { TapAnswer, TapCall } from '../engine/servers/tap.ts';

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

/** The ids of the claims of which a request writes what a run has come to that is only observed. Other records may have a field of that name. */
export function observedIn({ operation, body }: Pick<TapCall, 'operation' | 'body'>): ReadonlySet<string> {
  const request = record(JSON.parse(body));
  const item = record(request['Item']);
  if (operation === 'PutItem') return new Set('observed' in item && 'claimId' in item ? [text(item['id'])] : []);
  const statements = operation === 'BatchExecuteStatement' ? list(request['Statements']).map(record) : [];
  const observing = statements.filter(({ Statement }) => {
    const said = String(Statement);
    return /["']observed["'](?:=|:)\?/.test(said) && /["']claimId["']/.test(said);
  });
  return new Set(observing.map((statement) => statementWrite(statement).id));
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

/** Each `?` of a statement is the next of its parameters. What an update does not set stays as it is: in flight. */
function statementWrite({ Statement, Parameters }: Readonly<Record<string, unknown>>): SeenWrite {
  const given = list(Parameters).map(text);
  const named = String(Statement).matchAll(/["'](\w+)["'](?:=|:)\?/g);
  const values = Object.fromEntries([...named].reverse().map(([, name], index) => [name, given.at(-1 - index)]));
  return { id: values['id'] ?? '', status: values['status'] ?? 'in-flight' };
}

function text(attribute: unknown): string {
  return String(record(attribute)['S']);
}
