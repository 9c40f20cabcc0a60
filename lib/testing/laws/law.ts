/**
 * Registers one test: `test` of Vitest, of Jest or of `node:test`, or `it` of Mocha.
 *
 * The laws use nothing else of a test framework, so that the package depends on none.
 */
export interface LawTest {
  (name: string, run: () => Promise<void>): unknown;
  /** Registers a test that does not run. */
  readonly skip: (name: string, run: () => Promise<void>) => unknown;
}

/** One thing that a store must do. */
export interface Law<Stage> {
  readonly name: string;
  readonly run: (stage: Stage) => Promise<void>;
  /** Why this store cannot be held to the law. Absent where it is. */
  readonly skipped?: string | undefined;
}

/**
 * Registers laws as tests. A law that is skipped stays in the framework's report, with its reason: a law that silently does not run looks
 * like one that passes.
 *
 * @param setUp makes what one law runs on: called once for each law, so that no law meets what another one left behind
 */
export function registerLaws<Stage>(
  { test, name }: { readonly test: LawTest; readonly name: string | undefined },
  laws: readonly Law<Stage>[],
  setUp: () => Promise<Stage>,
): void {
  for (const law of laws) {
    const title = name === undefined ? law.name : `${name}: ${law.name}`;
    const run = async () => law.run(await setUp());
    if (law.skipped === undefined) test(title, run);
    else test.skip(`${title} (skipped: ${law.skipped})`, run);
  }
}
