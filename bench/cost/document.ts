import type { Plan } from './plan.ts';
import type { Results } from './results.ts';
import { asMarkdown, tablesOf } from './tables.ts';

/** `bench/BENCHMARKS.md`: what was measured, how, and what of it cannot be told from here. */
export function documentOf(results: Results, plan: Plan): string {
  const { date, commit, command, machine, versions } = results.environment;
  const facts = Object.entries({ date, commit, command: `\`${command}\``, machine, ...versions });
  const samples = plan.sizes.map(
    ({ size, rounds, batches }) => `${rounds} × ${batches} of ${size.toLocaleString('en-US')}`,
  );
  return `# What pawl costs

Written by \`npm run bench -- --write\`. Every number is of one run on one machine; only ratios within it mean anything elsewhere.

![Client CPU of a batch, as a multiple of the floor](cost.svg)

## Results

${tablesOf(results).map(asMarkdown).join('\n\n')}

\`requests\` and \`statements\` are of one batch, bytes and CPU of one message. A ratio is the median of the ratios of the rounds for CPU, and
a ratio of percentiles over all batches for wall time; a percentile that so few batches cannot tell is left out. Peak memory is the resident set
of a process that did nothing else: Node and the SDK are most of it.

## Contenders

- **floor**: \`BatchExecuteStatement\` with 25 \`INSERT\`s or \`UPDATE\`s and \`BatchGetItem\` with 100 keys, over the same attributes as pawl's, through
  the SDK's client, up to eight requests at once. The requests are ready before the clock starts. Nothing is decided, fingerprinted or retried. It batches a single
  message as well, where pawl and Powertools ask for one item, so that one message can cost them less than the floor.
- **pawl, eachMessage** and **pawl, sqsOnce under Middy**: as in the README, with \`onAbandoned: 'retry'\` and pawl's defaults. Two things are turned off,
  because nobody else does them: setting the visibility of what failed, and a line on the console for it.
- **Powertools**: \`BatchProcessor\` and \`makeIdempotent\` for each record over \`DynamoDBPersistenceLayer\`, as its documentation puts them together. The key is
  the same field of the body, and payload validation is on, over the parsed body, because pawl fingerprints as well. No local cache, which is its default.
- **Middy alone**: the batch handler without any protection. It runs duplicates again.

All have the same client with the SDK's defaults, the same messages and the same handler, which counts and, where it has to, throws. After each
block the effects and the answered failures are counted: a contender that did not do its work ends the run.

## Method

DynamoDB Local runs on the same machine. Every contender works in a process of its own, with a table of its own; only one works at a time. They are
warmed up for ${plan.warmUpMs / 1000} s each, and then take turns: a block of batches each, scenario by scenario, round by round, each round beginning
with another contender. Blocks: ${samples.join('; ')}. CPU is the user and system time of the contender's process over a block, with all its
threads: compiling and collecting garbage are in it, the server is not. Requests and bytes are counted in another pass, with a client of its own;
bytes are those on the socket, headers and all. Duplicates and redeliveries are of messages of the same round.

For a cold start the contender is bundled as \`lib/deployment/constructs\` bundles functions, and each bundle is loaded by ${plan.coldStarts} fresh processes, in turns. The floor
is a bundle of the SDK's DynamoDB client and nothing else.

## What is not measured

- **DynamoDB itself.** DynamoDB Local takes most of a millisecond for each statement, where the service has a network and many machines. Wall times
  here say more about DynamoDB Local than about anything else.
- **TLS and the network.** A real connection costs a handshake, most of all on a cold start, where ten single requests open ten connections and
  a shared request opens one.
- **Lambda.** Its share of a CPU grows with the memory of a function, its clock runs while it waits, and its cold start has more parts than an import.
- **SQS.** Messages are handed to the handlers as objects. What pawl asks of SQS after a failure (visibility) and for a dead letter is left out.
- **Throughput.** One batch at a time. How many a function or a table can take in a second is another question.
- **Contention, throttling and lost answers.** All is well here but the handler's own errors. What happens otherwise is tested, not timed.
- **The handler.** A real effect takes longer than all of this together.

## This run

| | |
|---|---|
${facts.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}
`;
}
