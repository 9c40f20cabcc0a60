import { propertyOf } from './unknown.ts';

/** A bounded description of an error: enough to act on, never a payload, never a stack. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
}

const longestErrorText = 512;

/** Takes what was thrown, whatever it is, down to a bounded name and message. */
export function recordedError(thrown: unknown): RecordedError {
  // Cut between the halves of a character, or ill-formed from the start, it is a text that a table may refuse.
  const bounded = (text: unknown) => String(text).slice(0, longestErrorText).toWellFormed();
  try {
    const name = propertyOf(thrown, 'name') ?? 'Error';
    const message = propertyOf(thrown, 'message') ?? thrown;
    return { name: bounded(name), message: bounded(message) };
  } catch {
    // An error whose own getters or toString throw must not turn a settled claim into a lost one.
    return { name: 'Error', message: 'indescribable' };
  }
}

/** An error in one line. */
export function lineOf({ name, message }: RecordedError): string {
  return message === '' ? name : `${name}: ${message}`;
}
