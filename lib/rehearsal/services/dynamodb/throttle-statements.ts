import { list, record } from '../../engine/app/template.ts';
import type { Rewrite } from '../../engine/servers/tap.ts';

/** A batch without these of its statements, and with a response that says that they were throttled. */
export function throttleStatements(request: Readonly<Record<string, unknown>>, taken: ReadonlySet<unknown>): Rewrite {
  const all = list(request['Statements']);
  const left = all.filter((statement) => !taken.has(statement));
  return {
    body: left.length > 0 ? JSON.stringify({ ...request, Statements: left }) : undefined,
    answer(given = '{}') {
      const answer = record(JSON.parse(given));
      const answers = list(answer['Responses']).values();
      const throttled = { Error: { Code: 'ThrottlingError', Message: 'throttled by the rehearsal' } };
      const Responses = all.map((statement) => (taken.has(statement) ? throttled : answers.next().value));
      return JSON.stringify({ ...answer, Responses });
    },
  };
}
