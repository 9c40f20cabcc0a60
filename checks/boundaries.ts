import { execFileSync } from 'node:child_process';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

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

const OURS = /^((bin|lib|lambda|shop|proof|checks|site|test|bench)\/|[^/]+\.ts$)/;
const CDK = /^(aws-cdk-lib|constructs)(\/|$)/;

export const RULES: readonly Rule[] = [
  {
    rule: 'lib/kernel imports nothing but itself: time, randomness and I/O come in as parameters',
    from: /^lib\/kernel\//,
    only: /^lib\/kernel\//,
  },
  {
    rule: 'what lib/deployment uses of the runtime imports nothing: constructs, doctor and command line must not load the runtime for it',
    from: /^lib\/(kernel\/(defaults|unknown-option|process-wide|error-code)|stores\/dynamodb\/open-index)\.ts$/,
    only: /^$/,
  },
  {
    rule: 'lib/payload reads and compares what messages say: it imports the kernel and itself',
    from: /^lib\/payload\/(?!envelopes\/large-payload\.ts$)/,
    only: /^lib\/(kernel|payload)\//,
  },
  {
    rule: 'the envelope of a payload in S3 is an entry of its own: nothing else may load the client of S3 for it',
    from: /^lib\/payload\/envelopes\/large-payload\.ts$/,
    only: /^(lib\/(kernel|payload)\/|@aws-sdk\/client-s3$)/,
  },
  {
    rule: 'the envelope of a payload in S3 is imported by its author, and by nothing in lib',
    from: /^lib\//,
    never: /^lib\/payload\/envelopes\/large-payload\.ts$/,
  },
  {
    rule: 'lib/claims imports the kernel, the payload, itself and the async context of Node: no store, no door',
    from: /^lib\/claims\//,
    only: /^(lib\/(kernel|payload|claims)\/|node:async_hooks$)/,
  },
  {
    rule: 'lib/stores imports the kernel, the claims and itself; only stores/dynamodb may use the AWS SDK',
    from: /^lib\/stores\/(?!dynamodb\/)/,
    only: /^lib\/(kernel|claims|stores)\//,
  },
  {
    rule: 'lib/stores/dynamodb imports the kernel, the claims, the host, itself and the AWS SDK',
    from: /^lib\/stores\/dynamodb\/(?!lean\/)/,
    only: /^(lib\/(kernel|claims|stores)\/|lib\/host\.ts$|@aws-sdk\/|@smithy\/)/,
  },
  {
    rule: 'the lean transport imports no AWS SDK, and of the store only what does not load it: the SDK is what it does without',
    from: /^lib\/stores\/dynamodb\/lean\//,
    only: /^(lib\/(aws|kernel|claims|stores\/dynamodb\/lean)\/|lib\/host\.ts$|lib\/stores\/dynamodb\/(errors|shared-requests|single-requests|table|transport)\.ts$)/,
  },
  {
    rule: 'lib/aws asks AWS without its SDK: it imports the kernel, the host, Node and the signer, and knows no store and no door',
    from: /^lib\/aws\//,
    only: /^(lib\/(aws|kernel)\/|lib\/host\.ts$|aws4$|node:)/,
  },
  {
    rule: 'only the lean transports ask AWS without its SDK',
    from: /^lib\/(?!aws\/|stores\/dynamodb\/lean\/|sqs\/lean\/)/,
    never: /^lib\/aws\//,
  },
  {
    rule: 'what the lean doors of SQS share with the others loads no client of the SDK: a lean consumer would carry it',
    from: /^lib\/(sqs\/(?!(index|each-message|send-once|sdk-transport)\.ts$)|middy\/(?!(index|sqs-once)\.ts$)|transactions\/lean\.ts$)/,
    never:
      /^lib\/(sqs\/(index|each-message|send-once|sdk-transport)|middy\/(index|sqs-once)|transactions\/each-transaction)\.ts$/,
  },
  {
    rule: 'what both transports share loads no client of the SDK: a lean consumer would carry it',
    from: /^lib\/stores\/dynamodb\/(shared-requests|single-requests|table|transport|explain|notes|put|list-open|group-commit|statement|condition)\.ts$/,
    never: /^lib\/stores\/dynamodb\/(options|sdk-transport|store|individual|backfill)\.ts$/,
  },
  {
    rule: 'lib/sqs translates messages to claims: it imports the kernel, the payload, the claims and itself; no store, no other door',
    from: /^lib\/sqs\//,
    never: /^lib\/(?!(kernel|payload|claims|sqs)\/|host\.ts$|aws\/)/,
  },
  {
    rule: 'lib/middy wraps batch handlers: it imports the kernel, the payload, the claims, the consumer of SQS and itself; no store',
    from: /^lib\/middy\//,
    never: /^lib\/(?!(kernel|payload|claims|sqs|middy)\/|host\.ts$)/,
  },
  {
    rule: 'what all middlewares of pawl share (a watched request, an early time-out of Middy, its types) belongs to no door: it imports the kernel',
    from: /^lib\/middy\/(watched-request|early-timeout|middy-types)\.ts$/,
    only: /^(lib\/(kernel\/|middy\/middy-types\.ts$)|@middy\/core$)/,
  },
  {
    rule: 'lib/http translates requests to claims: it imports the kernel, the payload, the claims, itself, and what all middlewares share; nothing of SQS',
    from: /^lib\/http\//,
    never: /^lib\/(?!(kernel|payload|claims|http)\/|host\.ts$|middy\/(watched-request|early-timeout|middy-types)\.ts$)/,
  },
  {
    rule: "lib/transactions joins claims and the application's data: kernel, payload, claims, the consumer of SQS, the DynamoDB store and the AWS SDK",
    from: /^lib\/transactions\//,
    only: /^(lib\/(kernel|payload|claims|sqs|transactions|stores\/dynamodb)\/|lib\/host\.ts$|@aws-sdk\/)/,
  },
  {
    rule: 'what decides about locks imports the kernel at most: time and I/O come in as parameters',
    from: /^lib\/locks\/(acquisition|acquisition-state|acquisition-steps|decide|found-resource|progress|record|settle|store)\.ts$/,
    only: /^lib\/(kernel\/|locks\/(acquisition|acquisition-state|acquisition-steps|decide|found-resource|progress|record|settle|store)\.ts$)/,
  },
  {
    rule: 'lib/locks imports the kernel, the host, itself and the async context of Node; only locks/dynamodb may use the AWS SDK and the items of the store',
    from: /^lib\/locks\/(?!dynamodb\/|index\.ts$)/,
    only: /^(lib\/((kernel|claims)\/|locks\/(?!dynamodb\/)|host\.ts$)|node:async_hooks$)/,
  },
  {
    rule: 'lib/locks/dynamodb imports the kernel, the host, the locks, the items of the store and the AWS SDK',
    from: /^lib\/locks\/dynamodb\//,
    only: /^(lib\/(kernel|payload|claims|locks|stores\/dynamodb)\/|lib\/host\.ts$|@aws-sdk\/)/,
  },
  {
    rule: 'lib/observe listens: it imports the claims and Node, and no client of any service',
    from: /^lib\/observe\//,
    only: /^(lib\/(kernel|claims|observe)\/|node:)/,
  },
  {
    rule: 'lib/testing imports the kernel, the claims, the locks, the memory store, the host, Node and the types of SQS: no client, no Middy, no CDK',
    from: /^lib\/testing\//,
    only: /^(lib\/(kernel|claims|testing)\/|lib\/locks\/(?!dynamodb\/|index\.ts$)|lib\/stores\/memory\.ts$|lib\/sqs\/(event|options|transport)\.ts$|lib\/host\.ts$|node:)/,
  },
  {
    rule: 'lib/testing is for tests: nothing that gets deployed may import it',
    from: /^(?!lib\/testing\/|test\/|proof\/|bench\/)/,
    never: /^lib\/testing\//,
  },
  {
    rule: 'only lib/deployment/constructs, the shop and bin (and their tests) import CDK: a runtime bundle must never contain it',
    from: /^(?!lib\/deployment\/constructs\/|shop\/stacks\/|bin\/|test\/)/,
    never: CDK,
  },
  {
    rule: 'lib/deployment imports nothing else of lib but what needs no runtime, and no package: a stack that deploys pawl does not run it, and its facts are read elsewhere',
    from: /^lib\/deployment\/(?!constructs\/)/,
    only: /^lib\/(deployment\/(?!constructs\/)|sqs\/dead-letter-urls\.ts$|stores\/dynamodb\/open-index\.ts$|kernel\/(defaults|unknown-option|process-wide|error-code)\.ts$)/,
  },
  {
    rule: 'the constructs collect facts, and call lib/deployment/index.ts: they import that, themselves, and CDK',
    from: /^lib\/deployment\/constructs\//,
    only: /^(lib\/deployment\/(constructs\/|index\.ts$)|aws-cdk-lib(\/|$)|constructs$)/,
  },
  {
    rule: 'the command line and the rehearsal use lib/deployment through its index.ts',
    from: /^lib\/(cli|rehearsal)\//,
    never: /^lib\/deployment\/(?!index\.ts$)/,
  },
  {
    rule: 'lib/cli prints, and reads what is deployed: it imports what an operator can do, what statements have found, the rules of a deployment, the console, the DynamoDB store, the ready-made keys, the rehearsal, words of the kernel, and Node',
    from: /^lib\/cli\//,
    only: /^(lib\/(cli|console|deployment|operate|rehearsal|statements|stores\/dynamodb)\/|lib\/(payload|sqs)\/keys\.ts$|lib\/kernel\/(unknown-option|aws-error|error-code|granted|plural|visible)\.ts$|@aws-sdk\/|yaml$|node:)/,
  },
  {
    rule: 'only what prints a template writes YAML: no function bundles the writer, and no stack needs it',
    from: /^lib\/(?!cli\/template-text\.ts$)/,
    never: /^yaml$/,
  },
  {
    rule: 'lib/console serves a page over what an operator can see and do: it imports lib/operate, what statements have found, what a rehearsal shows, errors and unknown values of the kernel, Node and the client of CloudWatch',
    from: /^lib\/console\/(?!page\/)/,
    only: /^(lib\/console\/(?!page\/)|lib\/(operate|statements)\/index\.ts$|lib\/operate\/young-doubt\.ts$|lib\/rehearsal\/file\/view\.ts$|lib\/kernel\/(errors|recorded-error|unknown)\.ts$|node:|@aws-sdk\/client-cloudwatch$)/,
  },
  {
    rule: 'what a page shows of a rehearsal is data: it imports nothing, and of the rehearsal the console knows nothing else',
    from: /^lib\/rehearsal\/file\/view\.ts$/,
    only: /^$/,
  },
  {
    rule: "the console's page runs in a browser: it imports itself, what it and its server say to each other, how a text is made visible, and its view library",
    from: /^lib\/console\/page\/(?!bundle\.ts$)/,
    only: /^(lib\/console\/(page\/(?!bundle\.ts$)|api\.ts$)|lib\/(operate|statements)\/index\.ts$|lib\/kernel\/visible\.ts$|preact(\/|$))/,
  },
  {
    rule: "only the page's bundler imports one: users have none",
    from: /^lib\/(?!console\/page\/bundle\.ts$|rehearsal\/)/,
    never: /^esbuild$/,
  },
  {
    rule: 'only the command line serves the console, and npm start asks it to',
    from: /^(lib\/(?!console\/|cli\/)|lambda\/|bin\/|shop\/)/,
    never: /^lib\/console\//,
  },
  {
    rule: 'lib/operate is what an operator can see and do: it imports the kernel, the payload, the claims, the messages of SQS, the host and the client of SQS; no store',
    from: /^lib\/operate\//,
    only: /^(lib\/(kernel|payload|claims|sqs|operate)\/|lib\/host\.ts$|@aws-sdk\/client-sqs$)/,
  },
  {
    rule: 'lib/sweep settles claims that no message comes for: it imports the kernel, the claims, the host and itself; no store, no client',
    from: /^lib\/sweep\//,
    only: /^lib\/((kernel|claims|sweep)\/|host\.ts$)/,
  },
  {
    rule: 'lib/statements compares claims with what a provider says: it imports the kernel, the payload, the claims, how an operator resolves a claim, and the host; no store, no client',
    from: /^lib\/statements\//,
    only: /^lib\/((kernel|payload|claims|statements)\/|operate\/resolve\.ts$|host\.ts$)/,
  },
  {
    rule: 'lib/rehearsal stands in for AWS, for any app: it imports itself, Node, the AWS SDK, a signer, a bundler and the SQS server',
    from: /^lib\/rehearsal\/(?!file\/)/,
    only: /^(lib\/rehearsal\/|node:|@aws-sdk\/|(aws-lambda|aws4|esbuild|fauxqs)$)/,
  },
  {
    rule: 'lib/rehearsal/file runs a rehearsal file: it imports the engine, errors and options of the kernel, Node and the AWS SDK',
    from: /^lib\/rehearsal\/file\//,
    only: /^(lib\/rehearsal\/|lib\/kernel\/(errors|take-options|unknown-option|plural)\.ts$|node:|@aws-sdk\/)/,
  },
  {
    rule: 'the engine of a rehearsal knows no rehearsal file',
    from: /^lib\/rehearsal\/(?!file\/|index\.ts$)/,
    never: /^lib\/rehearsal\/(file\/|index\.ts$)/,
  },
  {
    rule: "only lib/rehearsal/pawl knows pawl's table and events, and a rehearsal file asks it: the stand-in for AWS runs any app",
    from: /^lib\/rehearsal\/(?!pawl\/|file\/)/,
    never: /^lib\/rehearsal\/pawl\//,
  },
  {
    rule: 'what runs inside a sandbox beside the code of a function imports Node at most',
    from: /^lib\/rehearsal\/sandbox-(runtime|net)\.ts$/,
    only: /^(node:|lib\/rehearsal\/sandbox\.ts$)/,
  },
  {
    rule: 'lib/rehearsal starts servers: only the command line, the shop, proofs, benchmarks, tests, and the checks of the package, the printed templates, the examples, a release and the workflows import it',
    from: /^(?!lib\/rehearsal\/|lib\/cli\/(rehearse|rehearsal-[a-z]+)\.ts$|lib\/console\/api\.ts$|shop\/|test\/|proof\/|bench\/|checks\/(package|printed|examples|release)\/|checks\/workflows\.ts$)/,
    never: /^lib\/rehearsal\//,
  },
  {
    rule: 'bin holds entry points without logic: it imports the shop, the command line and the CDK',
    from: /^bin\//,
    only: /^(shop\/|lib\/cli\/|aws-cdk-lib$)/,
  },
  {
    rule: 'npm start is a rehearsal like any other: it goes through the runner of rehearsal files, and starts no part of AWS by itself',
    from: /^shop\/((main|rehearsal|served)\.ts$|(traffic|fifo)\/)/,
    never: /^lib\/rehearsal\/(rehearsal|servers|lambda|event-source|provision|synthesize|dynamodb-local)\.ts$/,
  },
  {
    rule: 'shop is the app that npm start rehearses: it imports no proof, no check, no test and no benchmark',
    from: /^shop\//,
    never: /^(proof|checks|test|bench)\//,
  },
  {
    rule: 'lib imports nothing from outside: it is what gets published',
    from: /^lib\//,
    never: /^(bin|lambda|shop|proof|checks|test|bench)\//,
  },
  {
    rule: 'lambda is wiring and the effect: no constructs, no bin, no shop, no test, no bench',
    from: /^lambda\//,
    never: /^(lib\/deployment|bin|shop|proof|checks|test|bench)\//,
  },
  {
    rule: 'proof searches, simulates and kills: it imports no test, but what tests and proofs both stand on',
    from: /^proof\//,
    never: /^test\/(?!support\/|fixtures\/|testing\/)/,
  },
  {
    rule: "our own files are imported by path: the package's name would read dist/ and pass every other rule",
    from: /^/,
    never: /^pawl(\/|$)/,
  },
  {
    rule: 'a relative import leads to a file of this repository',
    from: /^/,
    never: /^\.\.?\//,
  },
];

/** What breaks a rule, one sentence each. */
function boundaryProblems(imports: readonly Import[]): string[] {
  const broken = RULES.flatMap(({ rule, from, only, never }) =>
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
  const traced = ['tsconfig.json', 'lib/console/page/tsconfig.json'].map((config) => runTsc(root, config)).join('\n');
  for (const match of traced.matchAll(/^=+ Resolving module '(.+)' from '(.+)'\. =+$/gm)) {
    const [, specifier = '', file = ''] = match;
    const from = file.startsWith(root) ? file.slice(root.length) : '';
    if (!OURS.test(from)) continue;
    const target = posix.join(posix.dirname(from), specifier);
    imports.push({ from, to: /^\.\.?(\/|$)/.test(specifier) && OURS.test(target) ? target : specifier });
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
