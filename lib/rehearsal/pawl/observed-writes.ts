import { list, record } from '../engine/app/template.ts';
import type { TapCall } from '../engine/servers/tap.ts';

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
  return new Set(observing.map((statement) => textsIn(statement)['id'] ?? ''));
}

/** The texts that a statement sets or asks for, by the names of their attributes: each `?` is the next of its parameters. */
export function textsIn({
  Statement,
  Parameters,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const given = list(Parameters).map(text);
  const named = String(Statement).matchAll(/["'](\w+)["'](?:=|:)\?/g);
  return Object.fromEntries([...named].reverse().map(([, name], index) => [name, given.at(-1 - index) ?? '']));
}

export function text(attribute: unknown): string {
  return String(record(attribute)['S']);
}
