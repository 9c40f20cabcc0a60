import { publicEntries } from '../packages.ts';
import { type Project, peers, type Step } from './project.ts';

/** The versions of TypeScript that pawl is for: the first, the last of 5, and all majors since. */
export const compilers = ['5.4', '5.6', '5.9', '6.0', '7.0'] as const;

type Compiler = (typeof compilers)[number];

/** How TypeScript looks for a package. */
interface Resolution {
  readonly folder: string;
  readonly options: (compiler: Compiler) => object;
}

const resolutions: readonly Resolution[] = [
  { folder: 'nodenext', options: () => ({ module: 'nodenext' }) },
  { folder: 'node16', options: () => ({ module: 'node16' }) },
  { folder: 'bundler', options: () => ({ module: 'preserve', moduleResolution: 'bundler' }) },
  { folder: 'nodenext-commonjs', options: () => ({ module: 'nodenext' }) },
  {
    folder: 'node10-commonjs',
    // TypeScript 7 has no node10 any more, and takes `bundler` for CommonJS.
    options: (compiler) => ({
      module: 'commonjs',
      moduleResolution: compiler === '7.0' ? 'bundler' : 'node10',
      ...(compiler === '6.0' ? { ignoreDeprecations: '6.0' } : {}),
    }),
  },
];

/** One name of each entry, and each entry's types must be there: a declaration that is not found makes `any` of what it declares. */
const nameOfEntry: Readonly<Record<string, string>> = {
  pawl: 'once',
  'pawl/dynamodb': 'dynamoStore',
  'pawl/dynamodb/lean': 'lean',
  'pawl/postgres': 'postgresStore',
  'pawl/sqs': 'eachMessage',
  'pawl/s3': 'largePayload',
  'pawl/middy': 'sqsOnce',
  'pawl/transactions': 'transactionalStore',
  'pawl/http': 'httpOnce',
  'pawl/locks': 'resourceLocks',
  'pawl/observe': 'metricEvents',
  'pawl/operate': 'operator',
  'pawl/statements': 'reconcileStatements',
  'pawl/sweep': 'sweepOpenClaims',
  'pawl/outbox': 'dynamoOutbox',
  'pawl/outbox/sns': 'topics',
  'pawl/outbox/eventbridge': 'eventBuses',
  'pawl/outbox/s3': 'largeBodies',
  'pawl/powertools': 'makeIdempotent',
  'pawl/workflows': 'startOnce',
  'pawl/workflows/step-functions': 'stepFunctions',
  'pawl/workflows/durable-functions': 'durableFunctions',
  '@pawl/testing': 'crashSweep',
  '@pawl/testing/fakes': 'fakes',
  '@pawl/cdk': 'Consumer',
};

function usesOfAll(): string {
  // Those without a copy for `require` are not found in each of these ways. `rehearsal.ts` checks the types of that one.
  const inEachWay = publicEntries.filter(({ of }) => of.hasRequire);
  const names = inEachWay.map(({ name: entry }) => {
    const name = nameOfEntry[entry];
    if (name === undefined) throw new Error(`checks/package/types.ts: which name of ${entry} is to be imported?`);
    return { name, from: entry };
  });
  return `
${names.map(({ name, from }) => `import { ${name} } from '${from}';`).join('\n')}
import { sdk } from 'pawl/dynamodb';

type IsAny<T> = 0 extends 1 & T ? true : false;
${names.map(({ name }) => `export const typesOf_${name}: IsAny<typeof ${name}> = false;`).join('\n')}
export const typesOfMiddy: IsAny<ReturnType<typeof sqsOnce>> = false;
export const typesOfClient: IsAny<NonNullable<NonNullable<Parameters<typeof sdk>[0]>['dynamodb']>> = false;
export const typesOfConstruct: IsAny<InstanceType<typeof Consumer>['function']> = false;
export const handler = eachMessage(
  { operation: 'x', store: dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }), key: () => 'k', onAbandoned: 'park' },
  async ({ body }, claim) => console.log(body, claim.effectKey),
);
`;
}

/**
 * Every entry, by every compiler, in every way to look for a package. The first and the last compiler check the declarations as well, as far as they are
 * pawl's: that reads all of CDK, and takes minutes.
 */
export function typesProject(compiler: Compiler): Project {
  const files: Record<string, string> = {};
  const checksDeclarations = compiler === compilers[0] || compiler === compilers.at(-1);
  const steps: Step[] = [];
  for (const { folder, options } of resolutions) {
    const type = folder.endsWith('commonjs') ? 'commonjs' : 'module';
    files[`${folder}/package.json`] = JSON.stringify({ name: folder, private: true, type });
    files[`${folder}/all.ts`] = usesOfAll();
    files[`${folder}/tsconfig.json`] = JSON.stringify({
      compilerOptions: {
        // As `cdk init` has them.
        target: 'es2022',
        lib: ['es2022'],
        strict: true,
        declaration: true,
        noEmit: true,
        types: ['node'],
        skipLibCheck: !(checksDeclarations && folder.startsWith('nodenext')),
        ...options(compiler),
      },
      files: ['all.ts'],
    });
    steps.push({
      args: ['node_modules/typescript/bin/tsc', '-p', folder],
      // The declarations of other packages are not always right, and most projects skip them.
      ignores: /^(\.\.\/)*node_modules\/(?!@?pawl\/)/,
    });
  }
  const middy = ['@middy/core@7', '@types/aws-lambda'];
  const clients = ['dynamodb', 's3', 'sqs'].map((name) => `@aws-sdk/client-${name}`);
  return {
    name: `types, TypeScript ${compiler}`,
    has: [
      `typescript@${compiler}`,
      '@types/node@22',
      ...middy,
      ...peers('highest', ...clients, '@aws-sdk/util-dynamodb', 'aws-cdk-lib', 'constructs'),
    ],
    files,
    steps,
  };
}
