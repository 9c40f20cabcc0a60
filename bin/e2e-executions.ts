import { main } from '../shop/executions/main.ts';

process.exitCode = await main(process.argv.includes('--verbose'));
