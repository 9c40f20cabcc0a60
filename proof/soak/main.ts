import { createProgress } from '../../lib/rehearsal/progress.ts';
import { help, readCommandLine } from './command-line.ts';
import { asText } from './result.ts';
import { soak } from './soak.ts';

async function main(args: readonly string[]): Promise<void> {
  const commandLine = readCommandLine(args);
  if (commandLine === 'help') return console.log(help);
  const progress = createProgress(process.stderr);
  const result = await soak({ ...commandLine, progress });
  progress.end();
  console.log(commandLine.json ? JSON.stringify(result) : asText(result));
  if (result.lost > 0 || result.doubled > 0 || result.unfinished > 0) process.exitCode = 1;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 1;
}
