import type { LawTest } from '../../../lib/testing/index.ts';

interface Collected {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** What became of the laws: their names, and the messages of those that failed. */
export interface LawReport {
  readonly passed: readonly string[];
  readonly failed: ReadonlyMap<string, string>;
  readonly skipped: readonly string[];
}

/** Runs laws as a test framework does, one after the other, and says which of them fail. @param isWanted by the name of a law */
export async function runLaws(
  register: (test: LawTest) => void,
  isWanted: (name: string) => boolean = () => true,
): Promise<LawReport> {
  const laws: Collected[] = [];
  const skipped: string[] = [];
  const test: LawTest = Object.assign((name: string, run: () => Promise<void>) => laws.push({ name, run }), {
    skip: (name: string) => skipped.push(name),
  });
  register(test);
  const passed: string[] = [];
  const failed = new Map<string, string>();
  for (const { name, run } of laws.filter((law) => isWanted(law.name))) {
    try {
      await run();
      passed.push(name);
    } catch (error) {
      failed.set(name, error instanceof Error ? error.message : String(error));
    }
  }
  return { passed, failed, skipped };
}
