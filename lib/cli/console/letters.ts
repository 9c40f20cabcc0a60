import type { DeadLetter, DeadLettersQuery, Operator } from 'pawl/operate';
import type { Body, LettersList } from './api.ts';

/** The characters of a body that the console keeps: enough to recognise a message. */
const longestBody = 65_536;

/** What the last look at each dead-letter queue has seen. A look receives every message, so the console looks only when the operator asks. */
export function letterBox({ deadLetters }: Pick<Operator, 'deadLetters'>, now: () => number, signal: AbortSignal) {
  const seen = new Map<string, LettersList>();
  const bodies = new Map<string, ReadonlyMap<string, Body>>();
  return {
    /** @param finder finds the claims of messages that do not name theirs */
    async look(queueUrl: string, finder: LetterFinder | undefined): Promise<LettersList> {
      const { letters, ...queue } = await deadLetters({ queueUrl, ...finder, bodies: true, signal });
      bodies.set(queueUrl, new Map(letters.map((letter) => [letter.messageId, bodyOf(letter)])));
      const list = { ...queue, at: now(), letters: letters.map(({ body: _, ...letter }) => letter) };
      seen.set(queueUrl, list);
      return list;
    },
    /** The last look, if there was one. */
    last: (queueUrl: string): LettersList | undefined => seen.get(queueUrl),
    body: (queueUrl: string, messageId: string): Body | undefined => bodies.get(queueUrl)?.get(messageId),
    /** These are gone. */
    forget(queueUrl: string, messageIds: ReadonlySet<string>): void {
      const list = seen.get(queueUrl);
      if (list === undefined) return;
      seen.set(queueUrl, { ...list, letters: list.letters.filter(({ messageId }) => !messageIds.has(messageId)) });
    },
  };
}

/** The operation of a consumer, and its key. */
export type LetterFinder = Required<Pick<DeadLettersQuery, 'operation' | 'key'>>;

export type LetterBox = ReturnType<typeof letterBox>;

function bodyOf({ body = '' }: DeadLetter): Body {
  return { body: body.slice(0, longestBody), cut: body.length > longestBody };
}
