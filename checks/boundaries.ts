import { execFileSync } from 'node:child_process';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Package, packages } from './packages.ts';

/**
 * Fails when a file imports what its folder must not: arrows point inwards, and a runtime bundle stays free of CDK.
 *
 * The imports are those that TypeScript itself reports when asked how it resolves modules, so `import type`, re-exports,
 * `import()` and `typeof import()` all count. It cannot see an `import()` whose argument is computed.
 */

/** Both ends are paths from the repository's root; `to` may be a package or a built-in module instead, as it was written. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

export interface Rule {
  /** What is demanded, and why. */
  readonly rule: string;
  /** The files it is about. */
  readonly from: RegExp;
  /** What these may import, when all else is forbidden. */
  readonly only?: RegExp;
  /** What these must not import. */
  readonly never?: RegExp;
}

const ours = /^((bin|lib|lambda|shop|proof|checks|site|test|bench)\/|[^/]+\.ts$)/;
/** What a package imports that no user of it installs: types alone, and what is bundled into it. */
const development: Readonly<Record<string, readonly string[]>> = {
  pawl: ['@middy/core', 'aws-lambda'],
  '@pawl/cli': ['esbuild', 'preact'],
  '@pawl/rehearsal': ['aws-lambda'],
  '@pawl/testing': ['vitest'],
};

const cdk = /^(aws-cdk-lib|constructs)(\/|$)/;

export const rules: readonly Rule[] = [
  {
    rule: 'lib/pawl/kernel imports nothing but itself: time, randomness and I/O come in as parameters',
    from: /^lib\/pawl\/kernel\//,
    only: /^lib\/pawl\/kernel\//,
  },
  {
    rule: 'what lib/pawl/deployment uses of the runtime imports at most where a message is explained: constructs, doctor and command line must not load the runtime for it',
    from: /^lib\/pawl\/(kernel\/(defaults|door-options|unknown-option|process-wide|error-code|event-types|name|text)|stores\/dynamodb\/open-index)\.ts$/,
    only: /^lib\/pawl\/kernel\/(door-options|error-code|host|text)\.ts$/,
  },
  {
    rule: 'lib/pawl/payload reads and compares what messages say: it imports the kernel and itself',
    from: /^lib\/pawl\/payload\/(?!envelopes\/large-payload\.ts$)/,
    only: /^lib\/pawl\/(kernel|payload)\//,
  },
  {
    rule: 'the envelope of a payload in S3 is an entry of its own: nothing else may load the client of S3 for it',
    from: /^lib\/pawl\/payload\/envelopes\/large-payload\.ts$/,
    only: /^(lib\/pawl\/(kernel|payload)\/|@aws-sdk\/client-s3$)/,
  },
  {
    rule: 'the envelope of a payload in S3 is imported by its author, and by nothing in lib',
    from: /^lib\/pawl\//,
    never: /^lib\/pawl\/payload\/envelopes\/large-payload\.ts$/,
  },
  {
    rule: 'lib/pawl/rules alone decides, and is pure: it imports the kernel, when two payloads are the same intent, the port to AWS that a store may have, and itself',
    from: /^lib\/pawl\/rules\//,
    only: /^lib\/pawl\/(kernel\/|rules\/|payload\/fingerprint-rule\.ts$|aws\/aws\.ts$)/,
  },
  {
    rule: 'lib/pawl/rules is pure: time, randomness and I/O belong to the engine',
    from: /^lib\/pawl\/rules\//,
    never: /^lib\/pawl\/kernel\/(change|heartbeat|listener|process-wide|request|retry|warn-once)\.ts$/,
  },
  {
    rule: 'lib/pawl/engine acts on what the rules say: it imports them, the kernel, the payload, itself and the async context of Node; no store, no door',
    from: /^lib\/pawl\/engine\//,
    only: /^(lib\/pawl\/(kernel|payload|rules|engine)\/|node:async_hooks$)/,
  },
  {
    rule: 'lib/pawl/stores imports the kernel, the rules, the engine and itself; only stores/dynamodb may use the AWS SDK',
    from: /^lib\/pawl\/stores\/(?!dynamodb\/|postgres\/)/,
    only: /^lib\/pawl\/(kernel|rules|engine|stores)\//,
  },
  {
    rule: 'lib/pawl/stores/postgres imports the kernel, the rules, the host, what all stores share, and itself. It asks through the pool that it is given: no driver is in a bundle that its author did not put there',
    from: /^lib\/pawl\/stores\/postgres\//,
    only: /^lib\/pawl\/(kernel\/|rules\/|host\.ts$|stores\/(postgres\/|[^/]+\.ts$))/,
  },
  {
    rule: 'lib/pawl/stores/dynamodb imports the kernel, the claims, the host, the way to AWS, itself and the AWS SDK',
    from: /^lib\/pawl\/stores\/dynamodb\//,
    only: /^(lib\/pawl\/(aws|kernel|rules|engine|stores)\/|lib\/pawl\/host\.ts$|@aws-sdk\/|@smithy\/)/,
  },
  {
    rule: 'lib/pawl/aws is the port and its two makers: it imports the kernel and the host, and knows no store and no door',
    from: /^lib\/pawl\/aws\//,
    only: /^(lib\/pawl\/(aws|kernel)\/|lib\/pawl\/host\.ts$|@aws-sdk\/client-(dynamodb|sqs)$|aws4$|node:)/,
  },
  {
    rule: 'the way to AWS without the SDK imports none of it: the SDK is what it does without',
    from: /^lib\/pawl\/aws\/(?!sdk)/,
    never: /^(@aws-sdk\/|lib\/pawl\/aws\/sdk)/,
  },
  {
    rule: "only the entries of the stores make a way to AWS, and Powertools' layer, which takes a client of the SDK. All else is handed one: a default keeps what it needs in every bundle",
    from: /^lib\/pawl\/(?!aws\/|powertools\/layer\.ts$|stores\/dynamodb\/(all-records|index|lean|restored|sdk-stores)\.ts$)/,
    never: /^lib\/pawl\/aws\/(?!aws\.ts$)/,
  },
  {
    rule: 'what the stores of both ways share loads no client of the SDK: a consumer without it would carry it',
    from: /^lib\/pawl\/stores\/dynamodb\/(?!(index|restored|sdk-stores)\.ts$)/,
    never: /^lib\/pawl\/stores\/dynamodb\/(all-records|index|restored|sdk-stores)\.ts$/,
  },
  {
    rule: 'lib/pawl/sqs translates messages to claims: it imports the kernel, the payload, the claims and itself; no store, no other door',
    from: /^lib\/pawl\/sqs\//,
    never: /^lib\/pawl\/(?!(kernel|payload|rules|engine|sqs)\/|host\.ts$|aws\/)/,
  },
  {
    rule: 'lib/pawl/middy wraps batch handlers: it imports the kernel, the payload, the claims, the consumer of SQS and itself; no store',
    from: /^lib\/pawl\/middy\//,
    never: /^lib\/pawl\/(?!(kernel|payload|rules|engine|sqs|middy)\/|host\.ts$)/,
  },
  {
    rule: 'what all middlewares of pawl share (a watched request, an early time-out of Middy, its types, its age) belongs to no door: it imports the kernel',
    from: /^lib\/pawl\/middy\/(watched-request|early-timeout|middy-types|old-middy)\.ts$/,
    only: /^(lib\/pawl\/(kernel\/|middy\/middy-types\.ts$)|@middy\/core$)/,
  },
  {
    rule: 'lib/pawl/http translates requests to claims: it imports the kernel, the payload, the claims, itself, and what all middlewares share; nothing of SQS',
    from: /^lib\/pawl\/http\//,
    never:
      /^lib\/pawl\/(?!(kernel|payload|rules|engine|http)\/|host\.ts$|middy\/(watched-request|early-timeout|middy-types|old-middy)\.ts$)/,
  },
  {
    rule: "lib/pawl/transactions joins claims and the application's data: kernel, payload, claims, the consumer of SQS, the DynamoDB store and the AWS SDK",
    from: /^lib\/pawl\/transactions\/(?!postgres\/)/,
    only: /^(lib\/pawl\/(aws|kernel|payload|rules|engine|sqs|transactions|stores\/dynamodb)\/|lib\/pawl\/host\.ts$|@aws-sdk\/)/,
  },
  {
    rule: "lib/pawl/transactions/postgres joins claims and the application's statements: kernel, claims, the consumer of SQS, what all databases share, and the PostgreSQL store",
    from: /^lib\/pawl\/transactions\/postgres\//,
    only: /^lib\/pawl\/(kernel|rules|engine|sqs|transactions|stores\/postgres)\//,
  },
  {
    rule: 'what all databases share of transactions knows none of them: the consumer of one does not load the others',
    from: /^lib\/pawl\/transactions\/(carrier|commit-claim|phases|refused|transaction-consumer)\.ts$/,
    only: /^lib\/pawl\/((kernel|rules|engine|sqs)\/|transactions\/(carrier|commit-claim|phases|refused|transaction-consumer)\.ts$)/,
  },
  {
    rule: 'lib/pawl/outbox sends what was committed: it imports the kernel, the payload, the claims, how SQS is asked, the port to AWS and itself; only outbox/dynamodb and outbox/postgres know a store',
    from: /^lib\/pawl\/outbox\/(?!dynamodb\/|postgres\/|destinations\/|large-bodies\.ts$|index\.ts$)/,
    only: /^lib\/pawl\/((kernel|payload|rules|engine|outbox)\/|sqs\/(limit|refusal)\.ts$|host\.ts$|aws\/aws\.ts$)/,
  },
  {
    rule: 'each destination of an outbox asks one service, and an author imports it: nothing else may load its client',
    from: /^lib\/pawl\/outbox\/(destinations\/(?!queues\.ts$)|large-bodies\.ts$)/,
    only: /^(lib\/pawl\/(kernel|payload|outbox)\/|@aws-sdk\/client-(sns|eventbridge|s3)$)/,
  },
  {
    rule: 'lib/pawl/outbox/dynamodb writes messages with the data: it imports the outbox, the writes of a commit, the items of the store and the port to AWS',
    from: /^lib\/pawl\/outbox\/dynamodb\//,
    only: /^lib\/pawl\/((kernel|engine|outbox|transactions|stores\/dynamodb)\/|host\.ts$|aws\/aws\.ts$)/,
  },
  {
    rule: 'lib/pawl/outbox/postgres writes messages with the data: it imports the outbox, the rows of a commit, and the table of the store',
    from: /^lib\/pawl\/outbox\/postgres\//,
    only: /^lib\/pawl\/(kernel\/|engine\/made-inside\.ts$|outbox\/(?!dynamodb\/)|transactions\/deferred-write\.ts$|stores\/postgres\/)/,
  },
  {
    rule: 'a commit does not know what an outbox is: it carries writes that are made when they are committed',
    from: /^lib\/pawl\/(?!outbox\/)/,
    never: /^lib\/pawl\/outbox\//,
  },
  {
    rule: 'what decides about locks imports the kernel, and the places of the index, at most: time and I/O come in as parameters',
    from: /^lib\/pawl\/locks\/(acquisition|acquisition-state|acquisition-steps|decide|found-resource|listed|progress|record|settle|store)\.ts$/,
    only: /^lib\/pawl\/(kernel\/|rules\/(notes|open)\.ts$|locks\/(acquisition|acquisition-state|acquisition-steps|decide|found-resource|listed|progress|record|settle|store)\.ts$)/,
  },
  {
    rule: 'lib/pawl/locks imports the kernel, the host, itself and the async context of Node; only locks/dynamodb may use the AWS SDK and the items of the store',
    from: /^lib\/pawl\/locks\/(?!dynamodb\/|postgres\/|index\.ts$)/,
    only: /^(lib\/pawl\/((kernel|rules|engine)\/|locks\/(?!dynamodb\/)|host\.ts$)|node:async_hooks$)/,
  },
  {
    rule: 'lib/pawl/locks/dynamodb imports the kernel, the host, the locks, the items of the store and the AWS SDK',
    from: /^lib\/pawl\/locks\/dynamodb\//,
    only: /^(lib\/pawl\/(aws|kernel|payload|rules|engine|locks|stores\/dynamodb)\/|lib\/pawl\/host\.ts$|@aws-sdk\/)/,
  },
  {
    rule: 'lib/pawl/locks/postgres imports the kernel, the locks, and the table of the store',
    from: /^lib\/pawl\/locks\/postgres\//,
    only: /^lib\/pawl\/(kernel\/|locks\/(?!dynamodb\/)|stores\/postgres\/)/,
  },
  {
    rule: 'nothing of a store in PostgreSQL loads one in DynamoDB: its consumer has neither the SDK nor the table',
    from: /^lib\/pawl\/(postgres|(stores|locks|transactions|outbox)\/postgres)\//,
    never: /^(lib\/pawl\/[a-z]+\/dynamodb\/|@aws-sdk\/)/,
  },
  {
    rule: 'lib/pawl/observe listens: it imports the rules, the engine and Node, and no client of any service',
    from: /^lib\/pawl\/observe\//,
    only: /^(lib\/pawl\/(kernel|rules|engine|observe)\/|node:)/,
  },
  {
    rule: 'only what prints a template writes YAML: no function bundles the writer, and no stack needs it',
    from: /^lib\/(?!cli\/template-text\.ts$)/,
    never: /^yaml$/,
  },
  {
    rule: 'lib/pawl/operate is what an operator can see and do: it imports the kernel, the payload, the claims, the messages of SQS, what lists a store, the host and the types of SQS; no store',
    from: /^lib\/pawl\/operate\//,
    only: /^(lib\/pawl\/(aws|kernel|payload|rules|engine|sqs|operate)\/|lib\/pawl\/(host|stores\/listing)\.ts$|@aws-sdk\/client-sqs$)/,
  },
  {
    rule: 'lib/pawl/sweep settles claims that no message comes for: it imports the kernel, the claims, what lists a store, the host and itself; no store, no client',
    from: /^lib\/pawl\/sweep\//,
    only: /^lib\/pawl\/((kernel|rules|engine|sweep)\/|(host|stores\/listing)\.ts$)/,
  },
  {
    rule: 'lib/pawl/statements compares claims with what a provider says: it imports the kernel, the payload, the claims, how an operator resolves a claim, what lists a store, and the host; no store, no client',
    from: /^lib\/pawl\/statements\//,
    only: /^lib\/pawl\/((kernel|payload|rules|engine|statements)\/|operate\/resolve\.ts$|(host|stores\/listing)\.ts$)/,
  },
  {
    rule: 'lib/pawl/workflows starts what runs elsewhere: kernel, payload, claims, the consumer of SQS, the sweep and the host; no store. Each way to a target is an entry of its own, and alone loads its client',
    from: /^lib\/pawl\/workflows\/(?!(step|durable)-functions\.ts$)/,
    only: /^lib\/pawl\/((kernel|payload|rules|engine|sqs|sweep)\/|workflows\/(?!(step|durable)-functions\.ts$)|host\.ts$)/,
  },
  {
    rule: 'the way to Step Functions imports the kernel, the port and its client',
    from: /^lib\/pawl\/workflows\/step-functions\.ts$/,
    only: /^(lib\/pawl\/(kernel\/|workflows\/(workflow|start-error)\.ts$)|@aws-sdk\/client-sfn$)/,
  },
  {
    rule: 'the way to durable functions imports the kernel, the port and its client',
    from: /^lib\/pawl\/workflows\/durable-functions\.ts$/,
    only: /^(lib\/pawl\/(kernel\/|workflows\/(workflow|start-error)\.ts$)|@aws-sdk\/client-lambda$)/,
  },
  {
    rule: "lib/pawl/powertools has Powertools' call shapes over the engine: it imports the claims, what all middlewares share, the store in DynamoDB, the AWS SDK and JMESPath; no other door",
    from: /^lib\/pawl\/powertools\//,
    only: /^(lib\/pawl\/((kernel|payload|rules|engine|powertools)\/|host\.ts$|http\/still-running\.ts$|middy\/(watched-request|early-timeout|middy-types|old-middy)\.ts$|stores\/dynamodb\/(sdk-stores|stand-in|store|table|while-throttled)\.ts$|aws\/sdk\.ts$)|@aws-sdk\/(client|util)-dynamodb$|@aws-lambda-powertools\/jmespath(\/|$)|node:crypto$)/,
  },
  {
    rule: 'only lib/pawl/powertools loads JMESPath',
    from: /^lib\/(?!pawl\/powertools\/)/,
    never: /^@aws-lambda-powertools\//,
  },
  {
    rule: 'the engine of a rehearsal knows no rehearsal file',
    from: /^lib\/rehearsal\/(?!file\/|command\/|index\.ts$)/,
    never: /^lib\/rehearsal\/(file\/|index\.ts$)/,
  },
  {
    rule: 'the engine of a rehearsal knows no service: services stand on the engine, and one registry names them',
    from: /^lib\/rehearsal\/engine\//,
    never: /^lib\/rehearsal\/(services\/|[^/]+\.ts$)/,
  },
  {
    rule: 'a service of a rehearsal does not know which others there are: it imports those that it stands on, and not the registry',
    from: /^lib\/rehearsal\/services\/(?!registry\.ts$)/,
    never: /^lib\/rehearsal\/(services\/registry\.ts$|[^/]+\.ts$)/,
  },
  {
    rule: "only lib/rehearsal/pawl knows pawl's table, and a rehearsal file asks it: the stand-in for AWS runs any app",
    from: /^lib\/rehearsal\/(?!pawl\/|file\/|command\/)/,
    never: /^lib\/rehearsal\/pawl\//,
  },
  {
    rule: 'what runs inside a sandbox beside the code of a function imports Node at most',
    from: /^lib\/rehearsal\/engine\/lambda\/sandbox-(runtime|net)\.ts$/,
    only: /^(node:|lib\/rehearsal\/engine\/lambda\/sandbox-messages\.ts$)/,
  },
  {
    rule: 'npm start is a rehearsal like any other: it goes through the runner of rehearsal files, and starts no part of AWS by itself',
    from: /^shop\/((main|rehearsal|served)\.ts$|(traffic|fifo)\/)/,
    never:
      /^lib\/rehearsal\/(rehearsal|engine\/(provision|app\/synthesize|lambda\/lambda|servers\/(servers|dynamodb-local))|services\/sqs\/event-source)\.ts$/,
  },
  {
    rule: 'shop is the app that npm start rehearses: it imports no proof, no check, no test and no benchmark',
    from: /^shop\//,
    never: /^(proof|checks|test|bench)\//,
  },
  {
    rule: 'proof searches, simulates and kills: it imports no test, but what tests and proofs both stand on',
    from: /^proof\//,
    never: /^test\/(?!support\/|fixtures\/|testing\/)/,
  },
  {
    rule: 'a relative import leads to a file of this repository',
    from: /^/,
    never: /^\.\.?\//,
  },
  {
    rule: 'lib/pawl/deployment is what is right of a deployment: it loads no engine and no CDK. A stack that deploys pawl does not run it',
    from: /^lib\/pawl\/deployment\//,
    only: /^lib\/pawl\/(deployment\/|kernel\/(defaults|door-options|unknown-option|process-wide|error-code|event-types|name)\.ts$|sqs\/dead-letter-urls\.ts$|stores\/dynamodb\/open-index\.ts$)/,
  },
  {
    rule: 'the constructs load no engine: they import what is right of a deployment, and words of the kernel',
    from: /^lib\/cdk\//,
    only: /^(lib\/cdk\/|pawl\/(deployment|kernel)$|node:|(aws-cdk-lib|constructs)(\/|$))/,
  },
  {
    rule: 'only the constructs, the shop and bin (and their tests) import CDK: a runtime bundle must never contain it',
    from: /^(?!lib\/cdk\/|shop\/stacks\/|bin\/|test\/)/,
    never: cdk,
  },
  {
    rule: "the console's page runs in a browser: it imports itself, what it and its server say to each other, what pawl says of locks, how a text is made visible, and its view library",
    from: /^lib\/cli\/console\/page\/(?!bundle\.ts$)/,
    only: /^(lib\/cli\/(console\/(page\/(?!bundle\.ts$)|api\.ts$)|lock-words\.ts$)|pawl\/(locks|operate|statements|kernel)$|preact(\/|$))/,
  },
  {
    rule: "only the page's bundler imports one: users have none",
    from: /^lib\/(?!cli\/console\/page\/bundle\.ts$)/,
    never: /^esbuild$/,
  },
  {
    rule: "a rehearsal stands in for AWS, for any app: of pawl it knows words of the kernel and what CloudFormation's functions mean, and in the room of that name the table",
    from: /^lib\/rehearsal\/(?!pawl\/|command\/)/,
    never: /^pawl(\/(?!(kernel|deployment)$)|$)/,
  },
  {
    rule: 'lib/testing is for tests, and lib/rehearsal starts servers: nothing that is deployed imports them',
    from: /^(lambda|lib\/(pawl|cdk))\//,
    never: /^@pawl\//,
  },
  {
    rule: 'lambda is wiring and the effect, as a user writes it: it imports pawl by name, and no shop and no test',
    from: /^lambda\//,
    never: /^(lib|bin|shop|proof|checks|test|bench)\//,
  },
  ...packages.flatMap(rulesOf),
];

/** What a manifest lists is all that the code beside it may import, and packages import each other by name. */
function rulesOf({ name, folder, manifest }: Package): readonly Rule[] {
  const listed = [name, ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })];
  const names = [...listed, ...(development[name] ?? [])].map((one) => one.replaceAll(/[/@.-]/g, '\\$&')).join('|');
  return [
    {
      rule: `${folder} imports itself, by path, and what its package.json lists, by name`,
      from: new RegExp(`^${folder}/`),
      only: new RegExp(`^(${folder}/|node:|(${names})(/|$))`),
    },
  ];
}

/** What breaks a rule, one sentence each. */
function boundaryProblems(imports: readonly Import[]): string[] {
  const broken = rules.flatMap(({ rule, from, only, never }) =>
    imports
      .filter((edge) => from.test(edge.from))
      .filter((edge) => (only !== undefined && !only.test(edge.to)) || never?.test(edge.to) === true)
      .map((edge) => `${edge.from} imports ${edge.to}. Rule: ${rule}.`),
  );
  return [...broken, ...cycles(imports)];
}

/** Every cycle that a depth-first walk closes: each means that two files can only be understood together. */
function cycles(imports: readonly Import[]): string[] {
  const targets = Map.groupBy(imports, (edge) => edge.from);
  const finished = new Set<string>();
  const found: string[] = [];
  const walk = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) found.push(`Import cycle: ${[...path.slice(start), file].join(' → ')}.`);
    if (start >= 0 || finished.has(file)) return;
    for (const { to } of targets.get(file) ?? []) walk(to, [...path, file]);
    finished.add(file);
  };
  for (const file of targets.keys()) walk(file, []);
  return found;
}

/** All imports of all files that tsconfig.json includes, and of the console's page, which has a configuration of its own. */
function readImports(root: string): readonly Import[] {
  const imports: Import[] = [];
  const traced = ['tsconfig.json', 'lib/cli/console/page/tsconfig.json']
    .map((config) => runTsc(root, config))
    .join('\n');
  for (const match of traced.matchAll(/^=+ Resolving module '(.+)' from '(.+)'\. =+$/gm)) {
    const [, specifier = '', file = ''] = match;
    const from = file.startsWith(root) ? file.slice(root.length) : '';
    if (!ours.test(from)) continue;
    const target = posix.join(posix.dirname(from), specifier);
    imports.push({ from, to: /^\.\.?(\/|$)/.test(specifier) && ours.test(target) ? target : specifier });
  }
  return imports;
}

function runTsc(root: string, config: string): string {
  const args = ['node_modules/typescript/bin/tsc', '-p', config, '--noEmit', '--noCheck', '--traceResolution'];
  try {
    return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9 });
  } catch (error) {
    // It exits with an error when a file does not parse, and has printed all the same. That is for the type check to say.
    if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') return error.stdout;
    throw error;
  }
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const imports = readImports(root);
  const problems = boundaryProblems(imports);
  // A check that sees nothing passes everything: this file's own import must be among those found.
  if (!imports.some(({ from, to }) => from === 'checks/boundaries.ts' && to === 'node:url')) {
    problems.push(
      'The output of `tsc --traceResolution` was not understood: checks/boundaries.ts has to be adapted to it.',
    );
  }
  for (const problem of problems) console.error(problem);
  const files = new Set(imports.map(({ from }) => from)).size;
  console.log(`${imports.length} imports in ${files} files, ${problems.length} against the rules.`);
  if (problems.length > 0) process.exitCode = 1;
}
