#!/usr/bin/env node
const HELP = `Usage: pawl <command>

  doctor <stack or function>   checks what is deployed against the wiring rules
  template <tool>              prints a consumer for SAM, Terraform, the Serverless Framework or CloudFormation

See: pawl <command> --help`;

const NEEDED = ['cloudformation', 'dynamodb', 'iam', 'lambda', 'sqs'].map((name) => `@aws-sdk/client-${name}`);

/** Runs the command line to its end. @returns the exit code */
async function main([command, ...args]: readonly string[]): Promise<number> {
  if (command === 'doctor') {
    try {
      const { doctor } = await import('./doctor.ts');
      return await doctor(args);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
      // The clients are optional peers: a project that only wraps handlers needs few of them.
      process.stderr.write(`${error.message}\npawl doctor needs: npm install --save-dev ${NEEDED.join(' ')}\n`);
      return 2;
    }
  }
  if (command === 'template') {
    const { template } = await import('./template.ts');
    return template(args);
  }
  const asked = command === undefined || command === '--help' || command === '-h';
  (asked ? process.stdout : process.stderr).write(`${asked ? '' : `There is no command '${command}'.\n`}${HELP}\n`);
  return asked ? 0 : 2;
}

process.exitCode = await main(process.argv.slice(2));
