/*
 * One machine has the time for a share of the long tests: `npm run test:long -- --shard=2/5`. `.ci/run` has one, another one for another commit; the workflow `ci` has all of
 * them, side by side; and so has `npm run test:long`.
 */

/** The files that take more than half a minute, those that take longest first: one of them that begins last keeps a core waiting. `.test.ts` is left out. */
export const heavy: readonly string[] = [
  'suites/integration/shop/postgres.long',
  'suites/integration/outbox/crash-points.long',
  'suites/integration/sweep/never-back.long',
  'suites/integration/operate/ended.long',
  'proof/observe.long',
  'suites/integration/rehearsal/file.long',
  'suites/integration/outbox/poisoned.long',
  'pawl/statements/remedy-kills.long',
  'suites/laws/dynamodb-batches.long',
  'suites/integration/shop/chain-points.long',
  'proof/model/model.long',
  'suites/conformance/http.long',
  'suites/integration/shop/chain.long',
  'suites/matrix/matrix.long',
  'suites/integration/rehearsal/apps.long',
  'docs/tutorial.long',
  'suites/integration/shop/rehearsal.long',
  'suites/integration/rehearsal/cannot-run.long',
  'suites/laws/postgres.long',
  'checks/release/dry-run.long',
  'suites/integration/rehearsal/deploy.long',
  'proof/shares.long',
  'suites/integration/rehearsal/not-held-against.long',
  'suites/integration/rehearsal/planted.long',
  'suites/integration/shop/incident.long',
  'pawl/workflows/deliveries.long',
  'suites/conformance/queue.long',
  'proof/simulation/outbox-postgres.long',
  'suites/integration/console/rehearsal.long',
  'suites/integration/crash-points.long',
  'suites/integration/restored-statements.long',
  'suites/integration/shop/incident-keyboard.long',
  'suites/integration/repayments.long',
  'suites/integration/edge-values.long',
  'suites/integration/rehearsal/shows-nothing.long',
  'suites/laws/lean-dynamodb.long',
  'suites/integration/outbox/kills.long',
  'suites/integration/payment-callback.long',
  'suites/integration/shop/fifo.long',
  'suites/laws/dynamodb-troubled-batches.long',
  'proof/model-locks/model.long',
  'suites/integration/shop/console.long',
  'suites/integration/postgres-kills.long',
  'proof/campaign/packed.long',
  'docs/examples',
  'proof/simulation/simulation.long',
  'site/site.long',
  'cdk/own-rules.long',
  'suites/integration/rehearsal/signals.long',
  'cdk/app.long',
  'suites/integration/rehearsal/innocent.long',
  'docs/unit-tests.long',
  'proof/simulation/outbox.long',
  'proof/simulation/postgres.long',
  'suites/integration/restored',
  'suites/integration/rehearsal/observed.long',
  'suites/integration/operate/processes.long',
  'suites/integration/sweep/beside-callers.long',
  'suites/laws/dynamodb.long',
  'suites/integration/rehearsal/clients.long',
  'suites/integration/operate/ended',
  'docs/adopt.long',
  'suites/laws/postgres-in-process',
  'suites/integration/console/incident.long',
  'proof/simulation/instances.long',
];

/** The place of a file among the heavy ones; -1 if it is none of them. */
export function placeOf(file: string): number {
  return heavy.findIndex((name) => file.endsWith(`/${name}.test.ts`));
}

/**
 * Which share of so many has a heavy file, from 1 on; nothing for any other file, which all of them have. They are dealt out to and fro, so that each share
 * takes as long as the others.
 */
export function shareOf(file: string, count: number): number | undefined {
  const place = placeOf(file);
  if (place < 0) return undefined;
  const [round, turn] = [Math.floor(place / count), place % count];
  return round % 2 === 0 ? turn + 1 : count - turn;
}
