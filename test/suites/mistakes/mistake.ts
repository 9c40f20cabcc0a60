import { readFileSync } from 'node:fs';
import { expect, vi } from 'vitest';
import type { errorCodes } from '../../../lib/pawl/kernel/error-code.ts';

/** A mistake of a user who does not know pawl yet, most often without types. */
export interface Mistake {
  /** The mistake, as its author would describe it. */
  readonly mistake: string;
  /** Makes it, by a public door. It throws, rejects, or returns what is said in place of an error: a warning, an event. */
  readonly make: () => unknown;
  /** What is wrong. */
  readonly wrong: string;
  /** What was expected, or what would be right. */
  readonly expected: string;
  /** What to do. */
  readonly toDo: string;
  /** The heading of `docs/errors.md` with which the message ends. */
  readonly code: (typeof errorCodes)[number];
}

/** Options and arguments as a program without types gives them. */
export const untyped = (value: unknown): never => value as never;

/** What is said about a mistake. */
async function saidOf(make: Mistake['make']): Promise<string> {
  try {
    const returned = await make();
    return typeof returned === 'string' ? returned : `nothing was said; it returned ${String(returned)}`;
  } catch (error) {
    return error instanceof Error ? error.message : `no error was thrown, but ${String(error)}`;
  }
}

/** What goes to the console's warnings meanwhile. */
export async function warnedBy(work: () => unknown): Promise<string> {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  try {
    await work();
    return warn.mock.calls.map(([line]) => String(line)).join('\n');
  } finally {
    warn.mockRestore();
  }
}

const headings = Array.from(
  readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8').matchAll(/^### (.+)$/gm),
  ([, heading]) => heading,
);

/** The law of every mistake: the message says what is wrong, what was expected and what to do, and ends with the place that explains it. */
export async function expectAdvice({ make, wrong, expected, toDo, code }: Mistake): Promise<void> {
  const said = await saidOf(make);
  expect(said).toContain(wrong);
  expect(said).toContain(expected);
  expect(said).toContain(toDo);
  expect(said).toMatch(new RegExp(` See (\\S+ and )?node_modules/pawl/docs/errors\\.md#${code}$`));
  expect(headings).toContain(code);
}
