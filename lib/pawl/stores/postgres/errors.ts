import { errorKind } from '../../kernel/error-kind.ts';
import { SetupError } from '../../kernel/errors.ts';
import { recordedError } from '../../kernel/recorded-error.ts';
import { propertyOf } from '../../kernel/unknown.ts';

/**
 * What PostgreSQL's errors mean. They are told apart by their SQLSTATE, as PostgreSQL documents it: an `instanceof` fails where an application has two copies
 * of the driver.
 *
 * | SQLSTATE | what | the same write again |
 * | --- | --- | --- |
 * | 42…, 28…, 3D000, 3F000 | table, permission or credentials are not as pawl needs them | no: an operator has to act |
 * | 22…, 23…, 54… | what the statement holds is refused | no; of a shared statement, each half by itself |
 * | 40001, 40P01 | it met another transaction, and was undone | yes |
 * | 25006, 57P01, 57P02, 57P03, 53…, 08… | the server fails over, ends, starts, or is full | yes, on another connection |
 * | none: the error is the driver's | the connection died: it may have been applied | yes: the condition refuses the copy of an applied write |
 */

/** The SQLSTATE, if the error is the server's. Node's errors have a `code` too, and `EPIPE` looks like one. */
export function sqlState(error: unknown): string | undefined {
  const code = propertyOf(error, 'code');
  return typeof code === 'string' && typeof propertyOf(error, 'severity') === 'string' ? code : undefined;
}

/** The first two characters of a SQLSTATE: what kind of error it is. */
function stateClass(error: unknown): string | undefined {
  return sqlState(error)?.slice(0, 2);
}

const ofContents: readonly unknown[] = ['22', '23', '54'];
const ofSetup: readonly unknown[] = ['42', '3D', '3F'];
const ofConnections: readonly unknown[] = [undefined, '08', '57'];

/** Whether a statement was refused for what it holds. */
export function isAboutContents(error: unknown): boolean {
  return ofContents.includes(stateClass(error));
}

/** Whether no repetition helps. */
export function isHopeless(error: unknown): boolean {
  const kind = errorKind(error);
  return kind === undefined ? isAboutContents(error) : kind !== 'no-answer';
}

/** Whether the connection is not to be used again: it is dead, or it leads to a server that is going away, or to one that is a standby by now. */
export function endsConnection(error: unknown): boolean {
  return sqlState(error) === '25006' || ofConnections.includes(stateClass(error));
}

/** The error of the server's in an error: libraries put it into one of their own, as its cause. */
export function stated(error: unknown): unknown {
  for (let cause = error, depth = 0; depth < 5 && cause !== undefined; cause = propertyOf(cause, 'cause'), depth++) {
    if (sqlState(cause) !== undefined) return cause;
  }
  return error;
}

/** Whether a transaction is to be made again: it met another one, or its server goes away. It was undone. */
export function isToRepeat(error: unknown): boolean {
  const state = sqlState(stated(error));
  return state === '40001' || state === '40P01' || (state !== undefined && endsConnection(stated(error)));
}

/** The statement's own division by zero: a write of several records that has to be undone. */
export function isUndone(error: unknown): boolean {
  return sqlState(error) === '22012';
}

/** @returns a SetupError, if an operator has to act; or the error as it is, which may pass by itself */
export function setupErrorOf(error: unknown, table: string, needs = 'SELECT, INSERT and UPDATE'): unknown {
  const { message } = recordedError(error);
  const said = `PostgreSQL says: ${message}`;
  const options = { cause: error };
  if (sqlState(error) === '42501') {
    const advice = `Grant it ${needs} on the table`;
    return new SetupError(`the role may not use the table '${table}'. ${said}. ${advice}`, 'access-denied', options);
  }
  if (ofSetup.includes(stateClass(error))) {
    const advice = 'Apply the migration of pawl/postgres to this database, or correct table or the pool';
    const wrong = `the table '${table}' is not there, or not as pawl needs it`;
    return new SetupError(`${wrong}. ${said}. ${advice}`, 'missing-table', options);
  }
  if (stateClass(error) === '28') {
    const advice = 'Correct the user or the password of the pool';
    return new SetupError(`the table '${table}' was not reached. ${said}. ${advice}`, 'credentials', options);
  }
  return error;
}
