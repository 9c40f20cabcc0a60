import type { Plan } from './plan.ts';
import type { Results } from './results.ts';
import { asMarkdown } from './table.ts';
import { tablesOf } from './tables.ts';

/** `bench/BENCHMARKS.md`: the results, the method, and what the numbers cannot tell. */
export function documentOf(results: Results, plan: Plan): string {
  const { date, commit, command, machine, versions } = results.environment;
  const facts = Object.entries({ date, commit, command: `\`${command}\``, machine, ...versions });
  const samples = plan.sizes.map(
    ({ size, rounds, batches }) => `${rounds} × ${batches} of ${size.toLocaleString('en-US')}`,
  );
  return `# What pawl costs

\`npm run bench -- --write\` writes this page. All numbers come from one run on one machine. On another machine only the ratios mean something.

![Client CPU of a batch, as a multiple of the floor](cost.svg)

## Results

${tablesOf(results).map(asMarkdown).join('\n\n')}

- \`requests\` and \`statements\` count one batch. Bytes and CPU are per message.
- A CPU ratio is the median of the ratios of the rounds. A ratio of wall times is a ratio of percentiles over all batches. A percentile is left out if the batches are too few for it.
- Peak memory is the resident set of a process that did nothing else. Node and the SDK are most of it.

## Contenders

- **floor**: \`BatchExecuteStatement\` with 25 \`INSERT\`s or \`UPDATE\`s, and \`BatchGetItem\` with 100 keys, over the same attributes as pawl's, through the SDK's client, up to eight requests at once. The requests are ready
  before the clock starts. The floor decides nothing, takes no fingerprint and repeats nothing. It sends a batch for a single message as well. pawl and Powertools ask for one item there, so a single message can cost them less than the floor.
- **pawl, eachMessage** and **pawl, sqsOnce under Middy**: as in the README, with \`onAbandoned: 'retry'\` and pawl's defaults. Two features are off because the other contenders do not have them: setting the visibility of a failed
  message, and writing a line about it to the console.
- **pawl, lean**: the same as eachMessage, without the AWS SDK, by \`pawl/dynamodb/lean\`. Its requests are counted above its own repetitions.
- **Powertools**: \`BatchProcessor\`, and \`makeIdempotent\` for each record, over \`DynamoDBPersistenceLayer\`, as its documentation combines them. The key is the same field of the body. Payload validation is on, over the parsed body,
  because pawl takes a fingerprint as well. There is no local cache, which is its default.
- **Middy alone**: the batch handler without any protection. It runs duplicates again.

All contenders have the same client with the SDK's defaults, the same messages and the same handler. The handler counts and, where the scenario says so, throws. After each block the run counts the effects and the reported failures. If a
contender did not do its work, the run ends.

## Method

- DynamoDB Local runs on the same machine. Every contender has a process and a table of its own, and only one works at a time.
- Each contender warms up for ${plan.warmUpMs / 1000} s. Then they take turns: a block of batches each, scenario by scenario, round by round. Each round begins with another contender.
- Blocks: ${samples.join('; ')}.
- CPU is the user and system time of the contender's process over a block, with all its threads. It includes compilation and garbage collection. It excludes the server.
- A second pass, with a client of its own, counts requests and bytes. Bytes are those on the socket, with headers.
- Duplicates and redeliveries repeat messages of the same round.
- For a cold start, the contender is bundled as \`lib/cdk\` bundles functions. ${plan.coldStarts} fresh processes load each bundle, in turns. The floor is a bundle of the SDK's DynamoDB client and nothing else.

## What is not measured

- **DynamoDB itself.** DynamoDB Local takes most of a millisecond per statement. The service has a network and many machines. The wall times here mostly describe DynamoDB Local.
- **TLS and the network.** A real connection costs a handshake. This matters most on a cold start: ten single requests open ten connections, a shared request opens one.
- **Lambda.** Its share of a CPU grows with the memory of a function, its clock runs while it waits, and its cold start has more parts than an import.
- **SQS.** The handlers get messages as objects. The run leaves out pawl's requests to SQS: visibility after a failure, and dead letters.
- **Throughput.** One batch runs at a time. The run does not show how many batches a function or a table can take in a second.
- **Contention, throttling and lost responses.** Nothing fails here but the handler. The tests cover these faults, without timings.
- **The handler.** A real effect takes longer than all of this together.

## This run

| | |
|---|---|
${facts.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}
`;
}
