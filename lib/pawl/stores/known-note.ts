import { explainedError } from '../kernel/errors.ts';
import { wrongNumberIn } from '../kernel/stored-numbers.ts';
import { type Note, noteSchema } from '../rules/notes.ts';

const needed = { counts: ['rev'], times: [] };
const optional = { counts: [], times: ['firstSeenAt', 'expiresAt'] };

/** Lets through what this version understands. @throws Error when what a store has read is no note that this version knows */
export function knownNote(found: object): Note {
  const note = found as Note;
  const schema: unknown = note.v;
  if (schema !== noteSchema)
    throw leftAlone(`expected a note of schema ${noteSchema}, found schema ${schema ?? 'none'}`);
  const wrong = wrongNumberIn<string>({ ...note }, needed, optional);
  if (wrong !== undefined) throw leftAlone(`its ${wrong} is no number that pawl writes there`);
  return note;
}

function leftAlone(why: string): Error {
  return explainedError(Error, `the item under this id is left alone: ${why}`, 'foreign-item');
}
