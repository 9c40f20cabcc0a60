import { visible } from 'pawl/kernel';

/** A text of a record or a message, as the page may show it. */
export function shown(text: string | undefined): string {
  return text === undefined ? '' : visible(text);
}

/** A body: the same, with its line ends and tabs. */
export function shownBody(text: string): string {
  return visible(text, '\n\t');
}

/** A length of time in its largest unit. */
export function age(ms: number): string {
  if (ms >= 86_400_000) return `${Math.floor(ms / 86_400_000)} d`;
  if (ms >= 3_600_000) return `${Math.floor(ms / 3_600_000)} h`;
  if (ms >= 60_000) return `${Math.floor(ms / 60_000)} min`;
  return `${Math.max(0, Math.floor(ms / 1000))} s`;
}

/** To the second, in UTC, as every log has it. */
export function time(at: number): string {
  return Number.isFinite(at) ? `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC` : '';
}

export function count(n: number, word: string, words = `${word}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? word : words}`;
}

export function bytes(n: number): string {
  return n < 1024 ? `${n} B` : `${(n / 1024).toFixed(n < 10_240 ? 1 : 0)} KB`;
}
