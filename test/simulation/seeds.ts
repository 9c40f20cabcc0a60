/** Seeds under which something was once wrong, with what it was. Each runs with every test run. */
export const regressions: readonly { readonly seed: number; readonly was: string }[] = [
  {
    seed: 1613,
    was: "'discard' acknowledged a first delivery that was slow, because a second one of the same message held the claim",
  },
  {
    seed: 5674,
    was: 'a first try at the same acknowledged a second delivery, by a clock that was further off than the allowance',
  },
  {
    seed: 21093,
    was: "the next try counted from the time of an operator's decision, which is older than the claim that was granted after it",
  },
];
